"""Versions of whole lists: counted up by every change, read without reading the list.

They are made of the counters of the event (decision 0048), which each writer of the event counts up in its transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import ColumnElement, Select, bindparam, exists, or_, select
from sqlalchemy.orm import Session

from app.db.models import Event, Group, GroupRating, Guest, Rating, RatingMatrix, Rule, Table
from app.db.models.events import Part
from app.events.context import EventContext
from app.events.page_state import EventState, read_state
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


@dataclass(frozen=True)
class ListVersion:
    """The version of a list."""

    version: int


def read_version(session: Session, event_id: UUID, name: ListName) -> ListVersion:
    """Return the version of a list. Whoever reads it before the list never holds a version newer than the list."""
    return ListVersion(session.execute(_REVISIONS[name], {"event": event_id}).scalar() or 0)


def is_empty(session: Session, event_id: UUID, name: ListName) -> bool:
    """Tell whether there is nothing in the list that could be overwritten."""
    return not session.execute(_HAS_ENTRIES[name], {"event": event_id}).scalar_one()


def state_of_list(ctx: EventContext, name: ListName) -> EventState:
    """Return what somebody's pages of a list depend on; its revision is the version of the list."""
    return read_state(ctx, PARTS_LEFT_OUT[name])


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
