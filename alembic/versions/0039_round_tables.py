"""Which tables each round of a run uses."""

import sqlalchemy as sa

from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward; earlier runs used all tables in every round."""
    op.add_column("runs", sa.Column("round_tables", sa.JSON(), server_default="[]", nullable=False))


def downgrade() -> None:
    """Bring the schema back."""
    op.drop_column("runs", "round_tables")
