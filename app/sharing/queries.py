"""Reads of links."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import BindParameter, ColumnElement, bindparam, exists, func, select
from sqlalchemy.orm import Session, defer

from app.db.conditions import is_open, is_seated
from app.db.models import Event, Guest, Link, Plan, Seat, Table
from app.plans.queries.rounds import is_of_rounds
from app.problem.queries.seats import select_current_plan


class LinkState(NamedTuple):
    """What an open link shows now, and what counts the changes of it; no plan where there is none in use."""

    link_id: UUID
    event_id: UUID
    audience: str
    plan_id: UUID | None
    revision: int
    ratings_revision: int


class TableSeat(NamedTuple):
    """A guest at a table of one of several rounds."""

    number: int
    table_id: UUID
    table: str
    guest_id: UUID


def is_shared(at: datetime | BindParameter[datetime]) -> tuple[ColumnElement[bool], ...]:
    """Return the condition for links that are open and show the plan in use or one that was not deleted."""
    has_plan = exists().where(Plan.id == Link.plan_id, Plan.deleted_at.is_(None))
    return *is_open(Link, at), Link.plan_id.is_(None) | has_plan


def state_of_link(session: Session, token_hash: str, at: datetime) -> LinkState | None:
    """Return what an open link shows, in one short read."""
    row = session.execute(_STATE_OF_LINK, {"token_hash": token_hash, "at": at}).one_or_none()
    return LinkState(*row) if row else None


def link_by_hash(session: Session, token_hash: str) -> Link:
    """Return the link with this token, open or not."""
    return session.scalars(select(Link).where(Link.token_hash == token_hash)).one()


def links_of(
    session: Session,
    event_id: UUID,
    at: datetime,
    *,
    plan_id: UUID | None = None,
    with_following: bool = False,
    limit: int,
    after: UUID | None,
) -> Sequence[Link]:
    """Return the open links of the event, or those pinned to a plan, with those that follow the one in use if asked.

    Those of a plan that was deleted are among them: they show nothing now, but can be closed or pinned to another plan.
    """
    query = select(Link).where(Link.event_id == event_id, *is_open(Link, at))
    if plan_id is not None:
        pinned = Link.plan_id == plan_id
        query = query.where(pinned | Link.plan_id.is_(None) if with_following else pinned)
    if after is not None:
        query = query.where(Link.id < after)
    return session.scalars(query.order_by(Link.id.desc()).limit(limit)).all()


def link_of(session: Session, event_id: UUID, link_id: UUID, at: datetime) -> Link | None:
    return session.scalar(select(Link).where(Link.id == link_id, Link.event_id == event_id, *is_open(Link, at)))


def plans_by_ids(session: Session, event_id: UUID, ids: Collection[UUID]) -> Sequence[Plan]:
    """Return those of the plans that were not deleted, without their figures."""
    if not ids:
        return ()
    query = select(Plan).where(Plan.id.in_(ids), Plan.event_id == event_id, Plan.deleted_at.is_(None))
    return session.scalars(query.options(defer(Plan.figures)).order_by(Plan.id.desc())).all()


def first_rounds_of(session: Session, main: UUID) -> dict[UUID, int]:
    """Return the first of several rounds in which each guest sits."""
    return {row[0]: row[1] for row in session.execute(_FIRST_ROUNDS, {"main": main})}


def table_seats_of(session: Session, main: UUID, number: int = 0) -> list[TableSeat]:
    """Return who sits at each table, by table and seat: in all rounds of a plan, or in the one with this number."""
    query = _TABLE_SEATS.where(Plan.round == number) if number else _TABLE_SEATS
    return [TableSeat._make(row) for row in session.execute(query, {"main": main})]


# Built once: building a query takes as long as running it.
_STATE_OF_LINK = (
    select(
        Link.id,
        Link.event_id,
        Link.audience,
        func.coalesce(Link.plan_id, select_current_plan(Link.event_id).correlate(Link).scalar_subquery()),
        Event.revision,
        Event.ratings_revision,
    )
    .join(Event, Event.id == Link.event_id)
    .where(Link.token_hash == bindparam("token_hash"), *is_shared(bindparam("at")))
)
_IN_ROUNDS = (is_of_rounds(bindparam("main")), Plan.deleted_at.is_(None), is_seated())
_FIRST_ROUNDS = (
    select(Seat.guest_id, func.min(Plan.round))
    .join(Plan, Plan.id == Seat.plan_id)
    .join(Guest, Guest.id == Seat.guest_id)
    .where(*_IN_ROUNDS)
    .group_by(Seat.guest_id)
)
_TABLE_SEATS = (
    select(Plan.round, Table.id, Table.name, Seat.guest_id)
    .join(Seat, Seat.plan_id == Plan.id)
    .join(Guest, Guest.id == Seat.guest_id)
    .join(Table, Table.id == Seat.table_id)
    .where(*_IN_ROUNDS)
    .order_by(Plan.round, Table.position, Table.id, Seat.seat, Guest.position, Guest.id)
)
