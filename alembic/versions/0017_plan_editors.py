"""Who works on a plan now, and whom they hold."""

import sqlalchemy as sa

import app.db.types
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_table(
        "plan_editors",
        sa.Column("plan_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("tab", sa.Uuid(), nullable=False),
        sa.Column("guests", sa.JSON(), nullable=False),
        sa.Column("seen_at", app.db.types.UtcDateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["plan_id"], ["plans.id"], name=op.f("fk_plan_editors_plan_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_plan_editors_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("plan_id", "user_id", "tab", name=op.f("pk_plan_editors")),
    )
    op.create_index(op.f("ix_plan_editors_user_id"), "plan_editors", ["user_id"])


def downgrade() -> None:
    """Take the schema back."""
    op.drop_table("plan_editors")
