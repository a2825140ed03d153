"""a revision of events: whether anything was changed between what was read and what is written."""

import sqlalchemy as sa

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    with op.batch_alter_table("events", schema=None) as batch_op:
        batch_op.add_column(sa.Column("revision", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    """Take the schema back."""
    with op.batch_alter_table("events", schema=None) as batch_op:
        batch_op.drop_column("revision")
