"""Versions of whole lists: the ETag of every page of a list, and the If-Match of a PUT that replaces it.

They are read without the list, from the counters of the event (decision 0048), which each writer counts up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Depends, Header, Response
from sqlalchemy import ColumnElement, Select, bindparam, exists, or_, select
from sqlalchemy.orm import Session

from app.db.models import Event, Group, GroupRating, Guest, Rating, RatingMatrix, Rule, Table
from app.db.models.events import Part
from app.errors import VersionMissing
from app.events.cached_pages import EventState, read_state
from app.events.context import EventContext
from app.events.queries import stored_revision
from app.web.json_api.conditional import IfMatch, etag

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
UNSAFE = (
    "Send If-Match with the current ETag of the list, so that you don't remove something that was just added, "
    "or “If-Match: *” to replace the list whatever its version. Only an empty list can be set without it."
)
IF_MATCH = "The ETag of the list; * replaces the list whatever its version. Not needed if the list is empty"


@dataclass(frozen=True)
class ListVersion:
    """The version of a list."""

    version: int


def read_version(session: Session, event_id: UUID, name: ListName) -> ListVersion:
    """Return the version of a list. Whoever reads it before the list never holds a version newer than the list."""
    return ListVersion(session.execute(_REVISIONS[name], {"event": event_id}).scalar() or 0)


def is_empty(session: Session, event_id: UUID, name: ListName) -> bool:
    """Return whether there is nothing in the list that could be overwritten."""
    return not session.execute(_HAS_ENTRIES[name], {"event": event_id}).scalar_one()


def state_of_list(ctx: EventContext, name: ListName) -> EventState:
    """Return what somebody's pages of a list depend on; its revision is the version of the list."""
    return read_state(ctx, PARTS_LEFT_OUT[name])


@dataclass(frozen=True)
class ListMatch:
    """The version of the list that the client means to replace, if it sent one."""

    value: str | None

    def hold(self, ctx: EventContext, name: ListName) -> None:
        """Hold the event; refuse when the list was changed since, or when something nobody read would be replaced."""
        ctx.hold()
        if self.value is not None:
            IfMatch(self.value).check(read_version(ctx.session, ctx.event_id, name))
        elif not is_empty(ctx.session, ctx.event_id, name):
            raise VersionMissing(UNSAFE)


async def list_match(if_match: Annotated[str | None, Header(description=IF_MATCH)] = None) -> ListMatch:
    """Take the If-Match header, which an empty list does not need."""
    return ListMatch(if_match)


MatchOfList = Annotated[ListMatch, Depends(list_match)]


def set_version(response: Response, session: Session, event_id: UUID, name: ListName) -> None:
    """Send the version of the list as its ETag; called before the list is read."""
    response.headers["ETag"] = etag(read_version(session, event_id, name))


def _revision(left_out: Sequence[Part]) -> Select[int]:
    return select(stored_revision(left_out)).where(Event.id == bindparam("event"))


def _any(model: type[Any], *wanted: ColumnElement[bool]) -> ColumnElement[bool]:
    return exists().where(model.event_id == bindparam("event"), *wanted)


# Built once: building a statement takes longer than running it.
_REVISIONS = {name: _revision(left_out) for name, left_out in PARTS_LEFT_OUT.items()}
_HAS_ENTRIES: dict[ListName, Select[bool]] = {
    "guests": select(_any(Guest, Guest.removed_at.is_(None))),
    "groups": select(_any(Group)),
    "tables": select(_any(Table, Table.removed_at.is_(None))),
    "rules": select(_any(Rule)),
    "ratings": select(or_(_any(Rating), _any(RatingMatrix))),
    "group_ratings": select(_any(GroupRating)),
}
