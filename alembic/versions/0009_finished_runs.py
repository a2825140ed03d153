"""An index over the ends of runs: SQLite would read every problem to find the columns that stand behind it."""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None
COLUMNS = ["purpose", "status", "finished_at", "started_at", "id"]


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_index("ix_runs_purpose_status", "runs", COLUMNS)


def downgrade() -> None:
    """Take the schema back."""
    op.drop_index("ix_runs_purpose_status", table_name="runs")
