"""Revisions of the tables and rules of events: with them, the versions of lists are read from the event alone."""

import sqlalchemy as sa

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None
COLUMNS = ("tables_revision", "rules_revision")


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
