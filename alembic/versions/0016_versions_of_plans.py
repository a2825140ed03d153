"""Versions of plans: numbers, the one in use, copies, and deleting with undo."""

import sqlalchemy as sa

import app.db.types
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

OF_RUN = "uq_plans_run_id"
IS_MAIN = sa.text("alternative_of IS NULL")
MADE_BY_RUN = sa.text("alternative_of IS NULL AND NOT is_copy")
# A version is a plan with its alternatives, so these have its number.
NUMBERS = """
UPDATE plans SET used_at = created_at, number = (
    SELECT count(*) FROM plans AS earlier
    WHERE earlier.event_id = plans.event_id AND earlier.alternative_of IS NULL
    AND earlier.id <= coalesce(plans.alternative_of, plans.id)
)
"""
# The older schema has one such plan for each run.
DETACH_COPIES = """
UPDATE plans SET run_id = NULL WHERE is_copy AND alternative_of IS NULL AND EXISTS (
    SELECT 1 FROM plans AS other
    WHERE other.run_id = plans.run_id AND other.id <> plans.id AND other.alternative_of IS NULL
)
"""


def upgrade() -> None:
    """Bring the schema forward."""
    op.drop_index(OF_RUN, table_name="plans")
    with op.batch_alter_table("plans", schema=None) as batch_op:
        batch_op.add_column(sa.Column("number", sa.Integer(), nullable=False, server_default="1"))
        batch_op.add_column(sa.Column("used_at", app.db.types.UtcDateTime(timezone=True), nullable=True))
        batch_op.add_column(sa.Column("is_copy", sa.Boolean(), nullable=False, server_default=sa.false()))
        batch_op.add_column(sa.Column("created_by", sa.Uuid(), nullable=True))
        batch_op.add_column(sa.Column("deleted_at", app.db.types.UtcDateTime(timezone=True), nullable=True))
        batch_op.create_foreign_key(
            batch_op.f("fk_plans_created_by"), "users", ["created_by"], ["id"], ondelete="SET NULL"
        )
        batch_op.create_index(batch_op.f("ix_plans_created_by"), ["created_by"], unique=False)
    op.execute(NUMBERS)
    op.create_index(OF_RUN, "plans", ["run_id"], unique=True, sqlite_where=MADE_BY_RUN, postgresql_where=MADE_BY_RUN)


def downgrade() -> None:
    """Take the schema back: no plan is lost, so deleted ones are shown again, and copies forget their run."""
    op.drop_index(OF_RUN, table_name="plans")
    op.execute(DETACH_COPIES)
    with op.batch_alter_table("plans", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_plans_created_by"))
        batch_op.drop_constraint(batch_op.f("fk_plans_created_by"), type_="foreignkey")
        for column in ("deleted_at", "created_by", "is_copy", "used_at", "number"):
            batch_op.drop_column(column)
    op.create_index(OF_RUN, "plans", ["run_id"], unique=True, sqlite_where=IS_MAIN, postgresql_where=IS_MAIN)
