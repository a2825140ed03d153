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
    """Bring the schema back; circles become ordinary groups, and what was measured before is forgotten."""
    op.drop_column("groups", "circle_of")
    batches = sa.table("question_batches", sa.column("event_id", sa.Uuid()), sa.column("progress", sa.JSON()))
    connection = op.get_bind()
    for event_id, progress in connection.execute(sa.select(batches.c.event_id, batches.c.progress)).all():
        if progress and progress.pop("before", None) is not None:  # earlier code cannot read it
            connection.execute(sa.update(batches).where(batches.c.event_id == event_id).values(progress=progress))
