"""Members of any event, as whoever runs the installation manages them on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.accounts.users import account_with
from app.db.models import Event, Member, Role
from app.errors import NotFound
from app.events import member_queries, membership
from app.events.member_queries import MemberRow

NO_EVENT = "There is no event with this id. “convive member list” shows all events."


@dataclass(frozen=True)
class ListedEvent:
    """An event, to find its id."""

    id: UUID
    date: date | None
    members: int
    name: str


def list_events(session: Session) -> Sequence[ListedEvent]:
    """Return all events, the newest first, with how many members each has."""
    members = select(func.count()).where(Member.event_id == Event.id).scalar_subquery()
    query = select(Event.id, Event.date, members, Event.name).order_by(Event.id.desc())
    return [ListedEvent(*row) for row in session.execute(query)]


def list_members(session: Session, event_id: UUID) -> Sequence[MemberRow]:
    """Return the members of an event, owners first."""
    _require_event(session, event_id)
    return member_queries.members_of(session, event_id)


def add_member(session: Session, event_id: UUID, email: str, role: Role) -> None:
    """Make any account a member."""
    user_id = _hold(session, event_id, email, role)
    membership.add(session, event_id, user_id, role, by=None)


def change_role(session: Session, event_id: UUID, email: str, role: Role) -> None:
    """Give a member another role."""
    user_id = _hold(session, event_id, email, role)
    membership.change(session, event_id, user_id, role, by=None)


def remove_member(session: Session, event_id: UUID, email: str) -> None:
    """Take a member's access away."""
    user_id = _hold(session, event_id, email)
    membership.remove(session, event_id, user_id, by=None)


def _hold(session: Session, event_id: UUID, email: str, role: str = "viewer") -> UUID:
    """Check what was typed, hold the event and return the account."""
    membership.check_role(role)
    _require_event(session, event_id)
    member_queries.lock_event(session, event_id)
    return account_with(session, email).id


def _require_event(session: Session, event_id: UUID) -> None:
    if session.get(Event, event_id) is None:
        raise NotFound(NO_EVENT)
