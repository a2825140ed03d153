"""Reads that tell the version of a list, and whether there is anything in it, without reading the list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import ColumnElement, Select, bindparam, exists, or_, select
from sqlalchemy.orm import Session

from app.db.event_parts import Part
from app.db.models import Event, Group, GroupRating, Guest, Rating, RatingMatrix, Rule, Table
from app.events.queries import stored_revision

ListName = Literal["guests", "groups", "tables", "rules", "ratings", "group_ratings"]
PARTS_LEFT_OUT: dict[ListName, tuple[Part, ...]] = {
    "guests": ("ratings", "plans", "tables", "rules"),
    "groups": ("ratings", "plans", "tables", "rules"),
    "tables": ("ratings", "plans", "rules"),
    "rules": ("ratings", "plans"),  # a rule about a table that was removed is not listed
    "ratings": ("plans", "tables", "rules"),
    "group_ratings": ("ratings", "plans", "tables", "rules"),
}
"""Parts of an event that can change without any change of the list."""


def revision_of_list(session: Session, event_id: UUID, name: ListName) -> int:
    """Return a number that counts up with every change of the list, as it is stored now; 0 without such an event."""
    return session.execute(_REVISIONS[name], {"event": event_id}).scalar() or 0


def has_entries(session: Session, event_id: UUID, name: ListName) -> bool:
    """Tell whether there is anything in the list."""
    return bool(session.execute(_HAS_ENTRIES[name], {"event": event_id}).scalar_one())


def _revision(left_out: Sequence[Part]) -> Select[int]:
    return select(stored_revision(left_out)).where(Event.id == bindparam("event"))


def _any(model: type[Any], *wanted: ColumnElement[bool]) -> ColumnElement[bool]:
    return exists().where(model.event_id == bindparam("event"), *wanted)


# Made once: to make a statement takes longer than to run it.
_REVISIONS = {name: _revision(left_out) for name, left_out in PARTS_LEFT_OUT.items()}
_HAS_ENTRIES: dict[ListName, Select[bool]] = {
    "guests": select(_any(Guest, Guest.removed_at.is_(None))),
    "groups": select(_any(Group)),
    "tables": select(_any(Table, Table.removed_at.is_(None))),
    "rules": select(_any(Rule)),
    "ratings": select(or_(_any(Rating), _any(RatingMatrix))),
    "group_ratings": select(_any(GroupRating)),
}
