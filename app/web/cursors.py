"""Cursors of pages: an id that is not in the list is an error, not the end of the list."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from app.db.models import Group, Guest, Link, Member, Plan, Rule, Run, Table
from app.errors import FieldError, Invalid

OfEvent = type[Group] | type[Guest] | type[Link] | type[Plan] | type[Rule] | type[Run] | type[Table]
UNKNOWN = "This isn't a valid “next” value for this list, or the item it points to was deleted. Start again without it."


def check_cursor(session: Session, model: OfEvent, event_id: UUID, after: UUID | None) -> None:
    """Refuse a cursor that is not the id of such a row of the event; one that was removed, but is kept, will do."""
    if after is not None:
        _require(session, 1, model.id == after, model.event_id == event_id)


def check_pair_cursor(session: Session, event_id: UUID, after: tuple[UUID, UUID] | None) -> None:
    """Refuse a cursor that does not name two guests of the event."""
    if after is not None:
        _require(session, len(set(after)), Guest.id.in_(after), Guest.event_id == event_id)


def check_event_cursor(session: Session, user_id: UUID, after: UUID | None) -> None:
    """Refuse a cursor that is not one of the account's events."""
    if after is not None:
        _require(session, 1, Member.event_id == after, Member.user_id == user_id)


def _require(session: Session, rows: int, *conditions: ColumnElement[bool]) -> None:
    if session.scalar(select(func.count()).where(*conditions)) != rows:
        raise Invalid(FieldError("after", UNKNOWN))
