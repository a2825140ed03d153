"""When to measure again how settled the plan of an event is."""

import sqlalchemy as sa

import app.db.types
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("events", sa.Column("measure_at", app.db.types.UtcDateTime(timezone=True), nullable=True))
    op.create_index(op.f("ix_events_measure_at"), "events", ["measure_at"])


def downgrade() -> None:
    """Bring the schema back."""
    op.drop_index(op.f("ix_events_measure_at"), "events")
    op.drop_column("events", "measure_at")
