"""fairness, a plan to start from, a cost of moves and repairs: what may be asked of a run besides a good plan."""

import sqlalchemy as sa

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.add_column(sa.Column("fairness", sa.String(length=10), nullable=False, server_default="none"))
        batch_op.add_column(sa.Column("from_plan", sa.Uuid(), nullable=True))
        batch_op.add_column(sa.Column("move_cost", sa.Double(), nullable=False, server_default="0"))
        batch_op.add_column(sa.Column("repair", sa.Boolean(), nullable=False, server_default=sa.false()))
    with op.batch_alter_table("plans", schema=None) as batch_op:
        batch_op.add_column(sa.Column("moved", sa.Integer(), nullable=True))


def downgrade() -> None:
    """Take the schema back."""
    with op.batch_alter_table("plans", schema=None) as batch_op:
        batch_op.drop_column("moved")
    with op.batch_alter_table("runs", schema=None) as batch_op:
        for column in ("repair", "move_cost", "from_plan", "fairness"):
            batch_op.drop_column(column)
