"""Named links that follow the plan in use and count their uses; names shown to guests, and high chairs."""

import sqlalchemy as sa

import app.db.types
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

# No link shows anything else after the upgrade than before: those of the plan in use follow it from now on.
FOLLOW = """
UPDATE links SET plan_id = NULL WHERE plan_id = (
    SELECT id FROM plans
    WHERE plans.event_id = links.event_id AND alternative_of IS NULL AND deleted_at IS NULL
    ORDER BY used_at IS NULL, used_at DESC, id DESC LIMIT 1
)
"""
PIN = """
UPDATE links SET plan_id = (
    SELECT id FROM plans
    WHERE plans.event_id = links.event_id AND alternative_of IS NULL AND deleted_at IS NULL
    ORDER BY used_at IS NULL, used_at DESC, id DESC LIMIT 1
) WHERE plan_id IS NULL
"""
# Older code would show a plan to whoever has such a link, whatever it was for.
DROP_OTHER_AUDIENCES = "DELETE FROM links WHERE audience <> 'guests'"
DROP_WITHOUT_PLAN = "DELETE FROM links WHERE plan_id IS NULL"


def upgrade() -> None:
    """Bring the schema forward."""
    with op.batch_alter_table("guests", schema=None) as batch_op:
        batch_op.add_column(sa.Column("high_chair", sa.Boolean(), nullable=False, server_default=sa.false()))
        batch_op.add_column(sa.Column("public_name", sa.String(length=200), nullable=False, server_default=""))
    with op.batch_alter_table("links", schema=None) as batch_op:
        batch_op.alter_column("plan_id", existing_type=sa.Uuid(), nullable=True)
        batch_op.add_column(sa.Column("name", sa.String(length=200), nullable=False, server_default=""))
        batch_op.add_column(sa.Column("token_seed", sa.String(length=64), nullable=False, server_default=""))
        batch_op.add_column(sa.Column("uses", sa.Integer(), nullable=False, server_default="0"))
        batch_op.add_column(sa.Column("last_used_at", app.db.types.UtcDateTime(timezone=True), nullable=True))
        batch_op.add_column(sa.Column("version", sa.Integer(), nullable=False, server_default="1"))
    op.execute(FOLLOW)


def downgrade() -> None:
    """Take the schema back: guests' links show the plan that is in use now; those without a plan and others go."""
    op.execute(DROP_OTHER_AUDIENCES)
    op.execute(PIN)
    op.execute(DROP_WITHOUT_PLAN)
    with op.batch_alter_table("links", schema=None) as batch_op:
        for column in ("version", "last_used_at", "uses", "token_seed", "name"):
            batch_op.drop_column(column)
        batch_op.alter_column("plan_id", existing_type=sa.Uuid(), nullable=False)
    with op.batch_alter_table("guests", schema=None) as batch_op:
        batch_op.drop_column("public_name")
        batch_op.drop_column("high_chair")
