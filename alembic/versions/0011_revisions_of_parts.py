"""Revisions of the ratings and plans of events: pages that show neither are kept when only these change."""

import sqlalchemy as sa

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None
COLUMNS = ("ratings_revision", "plans_revision")


def upgrade() -> None:
    """Bring the schema forward."""
    with op.batch_alter_table("events", schema=None) as batch_op:
        for name in COLUMNS:
            batch_op.add_column(sa.Column(name, sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    """Take the schema back."""
    with op.batch_alter_table("events", schema=None) as batch_op:
        for name in COLUMNS:
            batch_op.drop_column(name)
