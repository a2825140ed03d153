"""How settled a plan is, next to its questions; and pairs of groups that were asked about and skipped."""

import sqlalchemy as sa

from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    with op.batch_alter_table("question_batches", schema=None) as batch_op:
        batch_op.add_column(sa.Column("progress", sa.JSON(), nullable=True))
    with op.batch_alter_table("group_ratings", schema=None) as batch_op:
        batch_op.alter_column("score", existing_type=sa.Float(), nullable=True)


def downgrade() -> None:
    """Bring the schema back; pairs of groups that were skipped are asked about again."""
    op.execute(sa.text("DELETE FROM group_ratings WHERE score IS NULL"))
    with op.batch_alter_table("group_ratings", schema=None) as batch_op:
        batch_op.alter_column("score", existing_type=sa.Float(), nullable=False)
    with op.batch_alter_table("question_batches", schema=None) as batch_op:
        batch_op.drop_column("progress")
