"""Whether somebody asked a run to end with the best plan so far."""

import sqlalchemy as sa

from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward; nobody asked earlier runs."""
    op.add_column("runs", sa.Column("finish_requested", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    """Bring the schema back; runs that were asked go on to their time limit, and repeats are not spread."""
    op.execute("UPDATE runs SET goal = 'new' WHERE goal = 'spread'")
    op.drop_column("runs", "finish_requested")
