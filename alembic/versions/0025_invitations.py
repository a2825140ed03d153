"""Invitations to an event, and when its members were last there."""

import sqlalchemy as sa

import app.db.types
from alembic import op

revision = "0025"
down_revision = "0027"
branch_labels = None
depends_on = None

MOMENT = app.db.types.UtcDateTime(timezone=True)


def upgrade() -> None:
    """Bring the schema forward."""
    with op.batch_alter_table("members", schema=None) as batch_op:
        batch_op.add_column(sa.Column("seen_at", MOMENT, nullable=True))
    op.create_table(
        "invitations",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("event_id", sa.Uuid(), nullable=False),
        sa.Column("role", sa.String(length=10), nullable=False),
        sa.Column("email", sa.String(length=320), nullable=True),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("token_seed", sa.String(length=64), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.Column("used_at", MOMENT, nullable=True),
        sa.Column("used_by", sa.Uuid(), nullable=True),
        sa.CheckConstraint("role IN ('owner', 'editor', 'viewer')", name=op.f("ck_invitations_role")),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_invitations_event_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_invitations_created_by"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["used_by"], ["users.id"], name=op.f("fk_invitations_used_by"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_invitations_token_hash")),
    )
    for column in ("event_id", "created_by", "used_by"):
        op.create_index(f"ix_invitations_{column}", "invitations", [column])


def downgrade() -> None:
    """Take the schema back."""
    op.drop_table("invitations")
    with op.batch_alter_table("members", schema=None) as batch_op:
        batch_op.drop_column("seen_at")
