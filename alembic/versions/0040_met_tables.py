"""Who sat together before several rounds of a run."""

import sqlalchemy as sa

from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward; nobody was named in earlier runs."""
    op.add_column("runs", sa.Column("met_tables", sa.JSON(), server_default="[]", nullable=False))


def downgrade() -> None:
    """Bring the schema back."""
    op.drop_column("runs", "met_tables")
