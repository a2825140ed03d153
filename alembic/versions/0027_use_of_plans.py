"""Whether the plan of a run is in use at once, even if open links show another one."""

import sqlalchemy as sa

from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.add_column(sa.Column("use_plan", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    """Bring the schema back."""
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.drop_column("use_plan")
