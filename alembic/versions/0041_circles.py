"""Which groups are circles, marked within a larger group."""

import sqlalchemy as sa

from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward; groups made earlier are ordinary ones, also those inside others."""
    op.add_column("groups", sa.Column("circle_of", sa.Uuid(), nullable=True))


def downgrade() -> None:
    """Bring the schema back; circles become ordinary groups."""
    op.drop_column("groups", "circle_of")
