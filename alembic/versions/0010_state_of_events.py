"""Indexes for what every kept page asks: SQLite would read through each stored problem and plan for it."""

from __future__ import annotations

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the indexes."""
    op.create_index("ix_runs_event_created", "runs", ["event_id", "created_at"])
    op.create_index("ix_plans_event_state", "plans", ["event_id", "created_at", "version"])


def downgrade() -> None:
    """Remove them."""
    op.drop_index("ix_plans_event_state", "plans")
    op.drop_index("ix_runs_event_created", "runs")
