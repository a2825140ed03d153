"""other good plans beside the one that a run chose."""

import sqlalchemy as sa

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

OF_RUN = "uq_plans_run_id"
IS_MAIN = sa.text("alternative_of IS NULL")


def upgrade() -> None:
    """Bring the schema forward."""
    with op.batch_alter_table("plans", schema=None) as batch_op:
        batch_op.add_column(sa.Column("alternative_of", sa.Uuid(), nullable=True))
        batch_op.create_foreign_key(
            batch_op.f("fk_plans_alternative_of"), "plans", ["alternative_of"], ["id"], ondelete="CASCADE"
        )
        batch_op.create_index(batch_op.f("ix_plans_alternative_of"), ["alternative_of"], unique=False)
        batch_op.create_index(batch_op.f("ix_plans_run_id"), ["run_id"], unique=False)
        batch_op.drop_constraint(batch_op.f(OF_RUN), type_="unique")
    op.create_index(OF_RUN, "plans", ["run_id"], unique=True, sqlite_where=IS_MAIN, postgresql_where=IS_MAIN)


def downgrade() -> None:
    """Take the schema back: the other plans go."""
    op.drop_index(OF_RUN, table_name="plans")
    op.execute("DELETE FROM seats WHERE plan_id IN (SELECT id FROM plans WHERE alternative_of IS NOT NULL)")
    op.execute("DELETE FROM moves WHERE plan_id IN (SELECT id FROM plans WHERE alternative_of IS NOT NULL)")
    op.execute("DELETE FROM links WHERE plan_id IN (SELECT id FROM plans WHERE alternative_of IS NOT NULL)")
    op.execute("DELETE FROM plans WHERE alternative_of IS NOT NULL")
    with op.batch_alter_table("plans", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_plans_run_id"))
        batch_op.drop_index(batch_op.f("ix_plans_alternative_of"))
        batch_op.drop_constraint(batch_op.f("fk_plans_alternative_of"), type_="foreignkey")
        batch_op.drop_column("alternative_of")
        batch_op.create_unique_constraint(batch_op.f(OF_RUN), ["run_id"])
