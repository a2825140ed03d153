"""Runs that wait until the solver is compiled, once on each machine: what each one needs, and how far that is."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from uuid import UUID

from sqlalchemy import Case, ColumnElement, case, exists, literal, null, select, update
from sqlalchemy.orm import Session

from app.db.models import Run
from app.runs.progress import PREPARING, RunProgress
from app.solver import Need

NOTHING = "nothing"


def _need() -> Case[str]:
    """Say in SQL what a run needs of the solver."""
    return case(
        (Run.purpose == "check", literal(NOTHING)),
        (Run.purpose == "questions", literal("questions")),
        (Run.repair, literal("repair")),
        (Run.method == "paper", literal("paper")),
        (Run.fairness != "none", literal("fairness")),
        else_=literal("full"),
    )


def can_begin(ready: Collection[Need]) -> ColumnElement[bool]:
    """Say in SQL which runs a worker can solve, from the parts of its solver that are ready."""
    return _need().in_([*ready, NOTHING])


def can_run_begin(session: Session, run_id: UUID, ready: Collection[Need]) -> bool:
    """Return whether a worker can solve this run with the parts of its solver that are ready; a deleted run can."""
    return session.scalar(select(Run.id).where(Run.id == run_id, ~can_begin(ready))) is None


def note_preparing(session: Session, counts: Mapping[Need, tuple[int, int]]) -> None:
    """Write into waiting runs how many of the parts that they need are ready.

    Where another worker is solving, runs wait for their turn there: nothing is written.
    """
    if session.scalar(select(exists().where(Run.status == "running"))):
        return
    for need, (ready, parts) in counts.items():
        progress = RunProgress(PREPARING, 0, 0, None, 0.0, None, (), parts_ready=ready, parts=parts)
        waiting = update(Run).where(Run.status == "queued", Run.purpose == "plan", _need() == need)
        session.execute(waiting.values(progress=progress.to_stored()))


def forget_preparing(session: Session) -> None:
    """Take that out of waiting runs again: now they wait for their turn."""
    waiting = update(Run).where(Run.status == "queued", Run.purpose == "plan", Run.progress.is_not(None))
    session.execute(waiting.values(progress=null()))
