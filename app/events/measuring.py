"""Which events are to be measured again: those that were changed, once nobody has changed them for some seconds."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.clock import now
from app.db.models import Event, Member
from app.events.queries import QUIET

MOST_AT_ONCE = 20


def events_to_measure(session: Session) -> list[UUID]:
    """Return the events whose time has come, the longest waiting first."""
    query = select(Event.id).where(Event.measure_at <= now()).order_by(Event.measure_at)
    return list(session.scalars(query.limit(MOST_AT_ONCE)))


def put_off(session: Session, event_id: UUID, *, until_later: bool) -> None:
    """Take an event off the list until it is changed again; `until_later`, only while it is being measured."""
    again = now() + QUIET if until_later else None
    write = update(Event).where(Event.id == event_id).values(measure_at=again, updated_at=Event.updated_at)
    session.execute(write, execution_options={"synchronize_session": False})


def owner_of(session: Session, event_id: UUID) -> UUID | None:
    """Return an owner of an event: a run needs somebody whose turn it takes."""
    owners = select(Member.user_id).where(Member.event_id == event_id, Member.role == "owner")
    return session.scalar(owners.order_by(Member.user_id).limit(1))
