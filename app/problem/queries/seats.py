"""Reads of plans and seats that a run starts from."""

from __future__ import annotations

from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import BindParameter, ColumnElement, Select, bindparam, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.clock import now
from app.db.conditions import is_open, is_seated
from app.db.models import Guest, Link, Plan, Run, Seat
from app.db.once import once

_EVENT: BindParameter[UUID] = bindparam("event")
_PLAN: BindParameter[UUID] = bindparam("plan")
_RUN: BindParameter[UUID] = bindparam("run")


class SeatRow(NamedTuple):
    """The place in a plan of a guest who is still to be seated."""

    guest_id: UUID
    name: str
    table_id: UUID
    seat: int
    locked: bool


class Maker(NamedTuple):
    """The run that made a plan: its limits, its marks, and the plan it started from.

    That plan is None where there was none or it was deleted.
    """

    event_id: UUID
    restarts: int
    marks: dict[str, Any] | None
    plan_before: UUID | None
    time_limit: float
    finish_requested: bool


_PLAN_OF = select(Plan).where(Plan.id == _PLAN, Plan.event_id == _EVENT, Plan.deleted_at.is_(None))


def select_current_plan(event_id: ColumnElement[UUID] | InstrumentedAttribute[UUID]) -> Select[UUID]:
    """Return the query of the plan in use, never an alternative: the one that a run made or a person chose last."""
    return (
        select(Plan.id)
        .where(Plan.event_id == event_id, Plan.alternative_of.is_(None), Plan.deleted_at.is_(None))
        .order_by(Plan.used_at.desc().nulls_last(), Plan.id.desc())
        .limit(1)
    )


_CURRENT = select_current_plan(_EVENT)
_OPEN_LINKS = (
    select(Link.plan_id, func.count())
    .where(Link.event_id == _EVENT, *is_open(Link, bindparam("at")))
    .group_by(Link.plan_id)
)
_MADE_BY = (
    select(Run.event_id, Run.restarts, Run.marks, Plan.id, Run.time_limit, Run.finish_requested)
    .outerjoin(Plan, (Plan.id == Run.from_plan) & Plan.deleted_at.is_(None))
    .where(Run.id == _RUN)
)


_SEATS = (
    select(Seat.guest_id, Guest.name, Seat.table_id, Seat.seat, Seat.locked)
    .join(Guest, Guest.id == Seat.guest_id)
    .where(Seat.plan_id == _PLAN, is_seated())
    .order_by(Seat.table_id, Seat.seat, Guest.position, Guest.id)
)


@once
def plan_of(session: Session, event_id: UUID, plan_id: UUID) -> Plan | None:
    return session.scalar(_PLAN_OF, {"event": event_id, "plan": plan_id})


@once
def current_plan_id(session: Session, event_id: UUID) -> UUID | None:
    """Return the id of the plan in use."""
    return session.scalar(_CURRENT, {"event": event_id})


@once
def count_open_links(session: Session, event_id: UUID) -> dict[UUID | None, int]:
    """Return how many open links show each plan to which one is pinned; None is whichever plan is in use."""
    return {row[0]: row[1] for row in session.execute(_OPEN_LINKS, {"event": event_id, "at": now()})}


def count_following_links(session: Session, event_id: UUID) -> int:
    """Return how many open links show whichever plan is in use."""
    return count_open_links(session, event_id).get(None, 0)


def use_at_once(session: Session, event_id: UUID) -> bool:
    """Return whether a new plan is put to use without asking: not if open links show another one."""
    return current_plan_id(session, event_id) is None or not count_following_links(session, event_id)


@once
def maker_of(session: Session, run_id: UUID | None) -> Maker | None:
    """Return what a plan's page needs of the run that made it, if that is still stored."""
    row = session.execute(_MADE_BY, {"run": run_id}).one_or_none() if run_id else None
    return Maker(*row) if row else None


@once
def seats_of(session: Session, plan_id: UUID) -> list[SeatRow]:
    """Return who sits where, without those who are not coming or were removed, in the order of the seats."""
    return [SeatRow(*row) for row in session.execute(_SEATS, {"plan": plan_id})]
