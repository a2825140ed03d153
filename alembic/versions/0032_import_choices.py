"""What was chosen in the preview of an import is kept with its file."""

import sqlalchemy as sa

from alembic import op

revision = "0032"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    with op.batch_alter_table("guest_imports") as imports:
        imports.add_column(sa.Column("choices", sa.JSON(), nullable=False, server_default="{}"))
    with op.batch_alter_table("guest_imports") as imports:
        imports.alter_column("choices", server_default=None)


def downgrade() -> None:
    """Take the schema back."""
    with op.batch_alter_table("guest_imports") as imports:
        imports.drop_column("choices")
