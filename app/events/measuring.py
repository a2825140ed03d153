"""Which events are to be measured again: those that were changed, once nobody has changed them for some seconds."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from app.clock import now
from app.db.conditions import is_seated
from app.db.models import Event, Guest, Member, Run

MOST_AT_ONCE = 20
MOST_WAITING = 2
"""Measurements that may wait for a worker: whoever opens a page and asks for one is not far behind these."""
REST = 3
"""After a measurement its event rests for so many times as long: one of 1,000 guests keeps a processor busy for most
of a minute."""
LONGEST_REST = timedelta(minutes=3)
"""How long an event of 1,000 guests rests at most, one of fewer by their square: small ones are slow only where the
machine is busy, and whoever waits for them has waited long enough."""


def events_to_measure(session: Session) -> list[UUID]:
    """Return the events whose time has come, the longest waiting first."""
    query = select(Event.id).where(Event.measure_at <= now()).order_by(Event.measure_at)
    return list(session.scalars(query.limit(MOST_AT_ONCE)))


def free_measurements(session: Session) -> int:
    """Return how many more measurements may wait for a worker."""
    is_waiting = (Run.purpose == "questions", Run.status == "queued")
    return MOST_WAITING - (session.scalar(select(func.count()).select_from(Run).where(*is_waiting)) or 0)


def put_off(session: Session, event_id: UUID, until: datetime | None) -> None:
    """Leave an event alone until then; None is until it is changed again, and until then it is not being measured."""
    write = update(Event).where(Event.id == event_id).values(measure_at=until, updated_at=Event.updated_at)
    session.execute(write, execution_options={"synchronize_session": False})


def rests_until(session: Session, event_id: UUID) -> datetime | None:
    """Return until when an event rests from its last measurement, or None if it does not."""
    last = select(Run.started_at, Run.finished_at).where(Run.event_id == event_id, Run.purpose == "questions")
    row = session.execute(last.order_by(Run.created_at.desc(), Run.id.desc()).limit(1)).first()
    if row is None or row[0] is None or row[1] is None:
        return None
    guests = session.scalar(select(func.count()).where(Guest.event_id == event_id, is_seated())) or 0
    until: datetime = row[1] + min(REST * (row[1] - row[0]), LONGEST_REST * (guests / 1000) ** 2)
    return until if until > now() else None


def owner_of(session: Session, event_id: UUID) -> UUID | None:
    """Return an owner of an event: a run needs somebody whose turn it takes."""
    owners = select(Member.user_id).where(Member.event_id == event_id, Member.role == "owner")
    return session.scalar(owners.order_by(Member.user_id).limit(1))
