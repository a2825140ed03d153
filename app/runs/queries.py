"""Reads of runs, without the problem that each one carries: that can be a hundred megabytes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, LargeBinary, Select, and_, func, or_, select
from sqlalchemy.orm import Session

from app.db.models import Plan, Run, RunNames
from app.db.models.runs import LIVE, OVER
from app.runs.options import OPTION_NAMES, SHORT_OPTION_NAMES, RunOptions, split_options
from app.runs.progress import RunProgress

NOT_STORED = ("options", "plan_id", "seating", "well_seated")


@dataclass(frozen=True)
class RunRow:
    """A run as people see it, with the plan it made; only a run that is read alone has its `met_tables`."""

    options: RunOptions
    id: UUID
    event_id: UUID
    status: str
    progress: RunProgress | None
    error: str | None
    cancel_requested: bool
    finish_requested: bool
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    plan_id: UUID | None
    seating: tuple[int, ...] = ()
    """The table of each guest in the best plan so far, both by their places in the problem."""
    well_seated: int | None = None
    """How many guests sit with someone they like in it, where that is known."""

    @property
    def is_over(self) -> bool:
        return self.status in OVER

    @property
    def has_plan_so_far(self) -> bool:
        """Whether it has found a plan that it could end with; a large event has one only near the end."""
        return bool(self.seating) or (self.progress is not None and self.progress.best is not None)


def _rows(option_names: Sequence[str] = SHORT_OPTION_NAMES) -> Select[Any]:
    """Return the query for runs that make plans; those that choose questions are not shown."""
    options = [getattr(Run, name) for name in option_names]
    own = [getattr(Run, field.name) for field in fields(RunRow) if field.name not in NOT_STORED]
    made = and_(Plan.run_id == Run.id, _is_its_plan())
    return select(*options, *own, Plan.id).outerjoin(Plan, made).where(Run.purpose == "plan")


def _is_its_plan() -> ColumnElement[bool]:
    """Return the condition for the one plan of a run that counts: no alternative, no copy, and not deleted."""
    return Plan.alternative_of.is_(None) & Plan.is_copy.is_(False) & Plan.deleted_at.is_(None)


def _run_row(row: Sequence[Any], option_names: Sequence[str] = SHORT_OPTION_NAMES) -> RunRow:
    options, (run_id, event_id, status, progress, *rest) = split_options(row, option_names)
    seating = tuple((progress or {}).get("seating", ()))
    run = RunRow(options, run_id, event_id, status, RunProgress.from_stored(progress), *rest)
    return replace(run, seating=seating, well_seated=(progress or {}).get("well_seated")) if seating else run


def run_by_id(session: Session, run_id: UUID) -> RunRow | None:
    """Return a run that makes a plan, whatever its event, with all of its options."""
    row = session.execute(_rows(OPTION_NAMES).where(Run.id == run_id)).one_or_none()
    return _run_row(row, OPTION_NAMES) if row else None


def runs_by_ids(session: Session, run_ids: Collection[UUID]) -> dict[UUID, RunRow]:
    """Return those of these runs that there are, by their ids."""
    found = (_run_row(row) for row in session.execute(_rows().where(Run.id.in_(run_ids))))
    return {run.id: run for run in found}


def runs_of(session: Session, event_id: UUID, *, limit: int | None = None, after: UUID | None = None) -> list[RunRow]:
    """Return the event's runs, the newest first, from behind `after`."""
    query = _rows().where(Run.event_id == event_id)
    if after is not None:
        # A form chooses its run's id before it is sent, so the id alone does not tell the order.
        made = select(Run.created_at).where(Run.id == after, Run.event_id == event_id).scalar_subquery()
        query = query.where(or_(Run.created_at < made, and_(Run.created_at == made, Run.id < after)))
    rows = session.execute(query.order_by(Run.created_at.desc(), Run.id.desc()).limit(limit))
    return [_run_row(row) for row in rows]


def count_by_status(session: Session) -> dict[str, int]:
    """Return how many runs that make plans there are of each status, of all events together."""
    rows = session.execute(select(Run.status, func.count()).where(Run.purpose == "plan").group_by(Run.status))
    return dict.fromkeys((*LIVE, *OVER), 0) | {row[0]: row[1] for row in rows}


def start_of_problem(session: Session, run_id: UUID | None, size: int) -> bytes | None:
    """Return the first bytes of what the run solved, packed: all of it may be a hundred megabytes."""
    start = func.substr(Run.problem, 1, size, type_=LargeBinary)
    found = session.scalar(select(start).where(Run.id == run_id)) if run_id else None
    return bytes(found) if found else None


def names_in_run(session: Session, run_id: UUID | None) -> dict[str, str]:
    """Return what the guests were called that a run seated, by id."""
    return (session.scalar(select(RunNames.names).where(RunNames.run_id == run_id)) if run_id else None) or {}
