"""What was printed of a plan."""

import sqlalchemy as sa

import app.db.types
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_table(
        "prints",
        sa.Column("plan_id", sa.Uuid(), nullable=False),
        sa.Column("what", sa.String(length=20), nullable=False),
        sa.Column("cards", sa.JSON(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", app.db.types.UtcDateTime(timezone=True), nullable=False),
        sa.Column("event_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_prints_event_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["plan_id"], ["plans.id"], name=op.f("fk_prints_plan_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_prints")),
    )
    op.create_index(op.f("ix_prints_event_id"), "prints", ["event_id"], unique=False)
    op.create_index("ix_prints_plan_id_what", "prints", ["plan_id", "what"], unique=False)


def downgrade() -> None:
    """Take the schema back."""
    op.drop_table("prints")
