"""What must be true after all kills: each acknowledged run is done once, with one plan."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import func, select, text

from app.db.models import Plan, Run
from app.db.session import Sessions, transaction
from fault.site import OVER

IS_ASKED_FOR = Run.purpose == "plan"
"""Workers also write runs that choose questions, without anybody asking."""
COUNT_RUNS = select(func.count()).select_from(Run).where(IS_ASKED_FOR)


@dataclass(frozen=True)
class Outcome:
    """How the runs ended."""

    acknowledged: int
    stored: int
    done: int
    with_one_plan: int
    jobs_left: int
    taken_again: int
    longest_seconds: float

    @property
    def is_right(self) -> bool:
        """Whether every acknowledged run is done exactly once, and there are no other runs."""
        return self.acknowledged == self.stored == self.done == self.with_one_plan


def count_waiting(sessions: Sessions) -> int:
    """Return the number of runs that are not over."""
    with transaction(sessions, read_only=True) as session:
        return session.scalar(COUNT_RUNS.where(Run.status.not_in(OVER))) or 0


def count_solved_now(sessions: Sessions) -> int:
    """Return the number of runs that a worker holds."""
    with transaction(sessions, read_only=True) as session:
        return session.scalar(COUNT_RUNS.where(Run.status == "running")) or 0


def read_outcome(sessions: Sessions, acknowledged: set[UUID]) -> Outcome:
    """Count runs, plans and jobs in the database."""
    with transaction(sessions, read_only=True) as session:
        read = select(Run.id, Run.status, Run.attempts, Run.created_at, Run.finished_at).where(IS_ASKED_FOR)
        rows = session.execute(read).all()
        counted = select(Plan.run_id, func.count()).where(Plan.alternative_of.is_(None)).group_by(Plan.run_id)
        plans = dict(session.execute(counted).all())
        jobs = 0
        if session.get_bind().dialect.name == "postgresql":
            jobs = session.scalar(text("SELECT count(*) FROM procrastinate_jobs WHERE status = 'todo'")) or 0
    known = [row for row in rows if row.id in acknowledged]
    return Outcome(
        acknowledged=len(acknowledged),
        stored=len(rows),
        done=sum(row.status == "done" for row in known),
        with_one_plan=sum(plans.get(row.id) == 1 for row in known),
        jobs_left=jobs,
        taken_again=sum(row.attempts > 1 for row in known),
        longest_seconds=max((row.finished_at - row.created_at).total_seconds() for row in rows if row.finished_at),
    )
