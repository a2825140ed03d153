"""Reads of events."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import reduce
from operator import sub
from typing import Any, get_args
from uuid import UUID

from sqlalchemy import ColumnElement, Select, Update, bindparam, func, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.clock import now
from app.db.conditions import is_open, is_seated
from app.db.models import Event, Guest, Link, Member, Plan, QuestionBatch, Role, Run, Table
from app.db.models.events import Part

# Built once: nearly every request asks it, and building a query takes as long as running it.
_WITH_ROLE = (
    select(Event, Member.role)
    .join(Member, Member.event_id == Event.id)
    .where(Event.id == bindparam("event"), Member.user_id == bindparam("user"))
)

_HELD_WITH_ROLE = _WITH_ROLE.with_for_update(key_share=True, of=Event)
_EVENTS = (
    select(Event)
    .join(Member, Member.event_id == Event.id)
    .where(Member.user_id == bindparam("user"))
    .order_by(Event.id.desc())
)
# Neither the version of the event's own fields changes with a count, nor when these were last edited.
_COUNT_ALL = (
    update(Event).where(Event.id == bindparam("event")).values(revision=Event.revision + 1, updated_at=Event.updated_at)
)
_COUNTERS: dict[Part, InstrumentedAttribute[int]] = {
    part: getattr(Event, f"{part}_revision") for part in get_args(Part)
}
QUIET = timedelta(seconds=5)
"""So long after the last change a worker measures again how settled the plan is; plans change nothing about that."""
_COUNT_AND_MEASURE = _COUNT_ALL.values(measure_at=bindparam("measure_at"))
_COUNT: dict[Part | None, Update] = {
    None: _COUNT_AND_MEASURE,
    **{part: _COUNT_AND_MEASURE.values({counter: counter + 1}) for part, counter in _COUNTERS.items()},
    "plans": _COUNT_ALL.values({Event.plans_revision: Event.plans_revision + 1}),
}


def event_with_role(
    session: Session, event_id: UUID, user_id: UUID, *, hold: bool = False
) -> tuple[Event, Role] | None:
    """Return the event and the user's role there, or None if they have none.

    With `hold` the event is held as `lock` does: as it is once whoever held it before is done.
    """
    query = _HELD_WITH_ROLE if hold else _WITH_ROLE
    found = session.execute(query, {"event": event_id, "user": user_id}, execution_options={"populate_existing": hold})
    row = found.one_or_none()
    return (row[0], row[1]) if row else None


def lock(session: Session, event_id: UUID) -> None:
    """Hold the event's row, so that what is checked now still holds when it is written.

    SQLite locks the whole file for a writing session anyway and has no such clause. Not to lock the key
    lets others add rows that refer to the event.
    """
    session.execute(select(Event.id).where(Event.id == event_id).with_for_update(key_share=True))
    count_revision(session, event_id)


def count_revision(session: Session, event_id: UUID, only: Part | None = None) -> None:
    """Count the event's revision up: whoever read it before notices that something was changed since.

    With `only`, nothing but that part changes.
    """
    values = {"event": event_id} if only == "plans" else {"event": event_id, "measure_at": now() + QUIET}
    session.execute(_COUNT[only], values, execution_options={"synchronize_session": False})


def revision_without(event: Event, parts: Sequence[Part]) -> int:
    """Return a number that counts up with every change of the event that is not one of these parts alone."""
    counted: int = event.revision - sum(getattr(event, _COUNTERS[part].key) for part in parts)
    return counted


def stored_revision(without: Sequence[Part]) -> ColumnElement[int]:
    """Return the same number as a column, for reads of what is stored now."""
    return reduce(sub, (_COUNTERS[part] for part in without), Event.revision + 0)


def revision_of(session: Session, event_id: UUID) -> int | None:
    """Return the revision as it is stored now."""
    return session.scalar(select(Event.revision).where(Event.id == event_id))


def events_of(session: Session, user_id: UUID, *, limit: int, after: UUID | None = None) -> Sequence[Event]:
    """Return the user's events, the newest first, from behind `after`."""
    query = _EVENTS if after is None else _EVENTS.where(Event.id < after)
    return session.scalars(query.limit(limit), {"user": user_id}).all()


def edited_by(session: Session, user_id: UUID, event_ids: Sequence[UUID]) -> list[UUID]:
    """Return those of the events in which the user is an editor or the owner."""
    query = select(Member.event_id).where(Member.user_id == user_id, Member.role != "viewer")
    return list(session.scalars(query.where(Member.event_id.in_(event_ids))))


def counts(session: Session, event_ids: Sequence[UUID]) -> dict[UUID, tuple[int, int, int, int, int]]:
    """Return for each event: guests, tables, seats, plans, and how many guests are to be seated."""
    rows = session.execute(_COUNTS, {"events": list(event_ids)})
    return {row[0]: (row[1], row[2], row[3], row[4], row[5]) for row in rows}


def _counts() -> Select[UUID, int, int, int, int, int]:
    guests = select(func.count()).where(Guest.event_id == Event.id, Guest.removed_at.is_(None)).scalar_subquery()
    tables = select(func.count()).where(Table.event_id == Event.id, Table.removed_at.is_(None)).scalar_subquery()
    seats = (
        select(func.coalesce(func.sum(Table.seats), 0))
        .where(Table.event_id == Event.id, Table.removed_at.is_(None))
        .scalar_subquery()
    )
    is_version = Plan.deleted_at.is_(None) & Plan.alternative_of.is_(None)
    plans = select(func.count()).where(Plan.event_id == Event.id, is_version).scalar_subquery()
    seated = select(func.count()).where(Guest.event_id == Event.id, is_seated()).scalar_subquery()
    query = select(Event.id, guests, tables, seats, plans, seated)
    return query.where(Event.id.in_(bindparam("events", expanding=True)))


_COUNTS = _counts()


def runs_and_plans_state(session: Session, event_id: UUID) -> tuple[Any, ...]:
    """Return a few numbers that differ with each new run, each plan that is made, changed or removed, and each link."""
    return tuple(session.execute(_RUNS_AND_PLANS, {"event": event_id, "at": now()}).one())


def progress_state(session: Session, event_id: UUID) -> tuple[Any, ...]:
    """Return a value that changes whenever the settledness of the plan is measured, or is about to be."""
    return tuple(session.execute(select(*_MEASURED), {"event": event_id}).one())


_MEASURED: tuple[ColumnElement[Any], ...] = (
    select(QuestionBatch.created_at).where(QuestionBatch.event_id == bindparam("event")).scalar_subquery(),
    select(Event.measure_at.is_not(None)).where(Event.id == bindparam("event")).scalar_subquery(),
)


def _runs_and_plans() -> Select[Any]:
    of_runs: list[ColumnElement[Any]] = [func.count(), func.max(Run.created_at)]
    of_plans: list[ColumnElement[Any]] = [func.count(), func.sum(Plan.version), func.max(Plan.created_at)]
    parts = [
        select(value).where(row.event_id == bindparam("event")).scalar_subquery()
        for row, values in ((Run, of_runs), (Plan, of_plans))
        for value in values
    ]
    of_links = select(func.count()).where(Link.event_id == bindparam("event"), *is_open(Link, bindparam("at")))
    versions = select(func.sum(Link.version)).where(Link.event_id == bindparam("event"))
    return select(*parts, of_links.scalar_subquery(), versions.scalar_subquery(), *_MEASURED)


_RUNS_AND_PLANS = _runs_and_plans()
