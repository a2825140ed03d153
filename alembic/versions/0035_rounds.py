"""Several rounds: what a run is asked for, and which round a plan is."""

import sqlalchemy as sa

from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("runs", sa.Column("rounds", sa.Integer(), server_default="1", nullable=False))
    op.add_column("runs", sa.Column("goal", sa.String(10), server_default="new", nullable=False))
    op.add_column("runs", sa.Column("hosts", sa.JSON(), server_default="[]", nullable=False))
    op.add_column("runs", sa.Column("met_at", sa.Uuid(), nullable=True))
    op.add_column("runs", sa.Column("split_households", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("plans", sa.Column("round", sa.Integer(), server_default="0", nullable=False))
    op.add_column("plans", sa.Column("split_households", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    """Bring the schema back; of several rounds the first one stays as a plan, and the others as its alternatives."""
    for column in ("split_households", "round"):
        op.drop_column("plans", column)
    for column in ("split_households", "met_at", "hosts", "goal", "rounds"):
        op.drop_column("runs", column)
