"""Reads of links."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import BindParameter, ColumnElement, bindparam, exists, func, select
from sqlalchemy.orm import Session, defer

from app.db.conditions import is_open
from app.db.models import Event, Link, Plan
from app.problem.queries.seats import select_current_plan


def is_shared(at: datetime | BindParameter[datetime]) -> tuple[ColumnElement[bool], ...]:
    """Return what holds for a link that is open and leads to a plan that was not deleted."""
    has_plan = exists().where(Plan.id == Link.plan_id, Plan.deleted_at.is_(None))
    return *is_open(Link, at), Link.plan_id.is_(None) | has_plan


def open_link(session: Session, token_hash: str, at: datetime) -> Link | None:
    """Return the link that a token opens, if it is neither revoked nor expired."""
    return session.scalar(select(Link).where(Link.token_hash == token_hash, *is_shared(at)))


def state_of_link(session: Session, token_hash: str, at: datetime) -> tuple[UUID | None, int] | None:
    """Return the plan of an open link and the revision of its event without that of ratings, in one short read."""
    row = session.execute(_STATE_OF_LINK, {"token_hash": token_hash, "at": at}).one_or_none()
    return (row[0], row[1]) if row else None


def link_by_hash(session: Session, token_hash: str) -> Link:
    """Return the link with this token, open or not."""
    return session.scalars(select(Link).where(Link.token_hash == token_hash)).one()


def links_of(
    session: Session, event_id: UUID, at: datetime, *, plan_id: UUID | None, limit: int, after: UUID | None
) -> Sequence[Link]:
    """Return the open links of the event or of one of its plans, the newest first."""
    query = select(Link).where(Link.event_id == event_id, *is_shared(at))
    if plan_id is not None:
        query = query.where(Link.plan_id == plan_id)
    if after is not None:
        query = query.where(Link.id < after)
    return session.scalars(query.order_by(Link.id.desc()).limit(limit)).all()


def link_of(session: Session, event_id: UUID, link_id: UUID, at: datetime) -> Link | None:
    return session.scalar(select(Link).where(Link.id == link_id, Link.event_id == event_id, *is_shared(at)))


def event_and_plan(session: Session, link: Link) -> tuple[Event, Plan]:
    """Return what a link leads to, without the figures."""
    query = (
        select(Event, Plan)
        .join(Plan, Plan.event_id == Event.id)
        .where(Plan.id == link.plan_id, Event.id == link.event_id)
        .options(defer(Plan.figures, raiseload=True))
    )
    event, plan = session.execute(query).one()
    return event, plan


# Made once: to make a query takes as long as to run it.
_STATE_OF_LINK = (
    select(
        func.coalesce(Link.plan_id, select_current_plan(Link.event_id).correlate(Link).scalar_subquery()),
        Event.revision - Event.ratings_revision,
    )
    .join(Event, Event.id == Link.event_id)
    .where(Link.token_hash == bindparam("token_hash"), *is_shared(bindparam("at")))
)
