"""Runs that check the rules of an event."""

import sqlalchemy as sa

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None
NAME = "purpose"


def upgrade() -> None:
    """Bring the schema forward."""
    _allow("'plan', 'questions', 'check'")


def downgrade() -> None:
    """Take the schema back."""
    op.execute(sa.text("DELETE FROM runs WHERE purpose = 'check'"))
    _allow("'plan', 'questions'")


def _allow(purposes: str) -> None:
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("ck_runs_purpose"), type_="check")
        batch_op.create_check_constraint(op.f("ck_runs_purpose"), f"purpose IN ({purposes})")
