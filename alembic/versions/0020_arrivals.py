"""Who has arrived at an event."""

import sqlalchemy as sa

import app.db.types
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_table(
        "arrivals",
        sa.Column("guest_id", sa.Uuid(), nullable=False),
        sa.Column("arrived_at", app.db.types.UtcDateTime(timezone=True), nullable=True),
        sa.Column("acted_at", app.db.types.UtcDateTime(timezone=True), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("link_id", sa.Uuid(), nullable=True),
        sa.Column("event_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_arrivals_event_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["guest_id"], ["guests.id"], name=op.f("fk_arrivals_guest_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["link_id"], ["links.id"], name=op.f("fk_arrivals_link_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_arrivals_user_id"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("guest_id", name=op.f("pk_arrivals")),
    )
    for column in ("event_id", "link_id", "user_id"):
        op.create_index(op.f(f"ix_arrivals_{column}"), "arrivals", [column], unique=False)


def downgrade() -> None:
    """Take the schema back."""
    op.drop_table("arrivals")
