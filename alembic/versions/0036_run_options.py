"""Runs that stop when no better plan is likely, and the chance that guests come who may stay away."""

import sqlalchemy as sa

from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward; earlier runs took their whole time, as if everyone came."""
    op.add_column("runs", sa.Column("stop_early", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("runs", sa.Column("maybe_percent", sa.Integer(), server_default="100", nullable=False))
    op.add_column("runs", sa.Column("no_reply_percent", sa.Integer(), server_default="100", nullable=False))


def downgrade() -> None:
    """Bring the schema back."""
    for column in ("no_reply_percent", "maybe_percent", "stop_early"):
        op.drop_column("runs", column)
