"""Versions of whole lists: counted up by every change, read without reading the list.

They are made of the counters of the event (decision 0048), which each writer of the event counts up in its transaction.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from app.events import list_version_queries as queries
from app.events.context import EventContext
from app.events.list_version_queries import ListName
from app.events.page_state import EventState, read_state


@dataclass(frozen=True)
class ListVersion:
    """The version of a list."""

    version: int


def read_version(session: Session, event_id: UUID, name: ListName) -> ListVersion:
    """Return the version of a list. Whoever reads it before the list never holds a version newer than the list."""
    return ListVersion(queries.revision_of_list(session, event_id, name))


def is_empty(session: Session, event_id: UUID, name: ListName) -> bool:
    """Tell whether there is nothing in the list that could be overwritten."""
    return not queries.has_entries(session, event_id, name)


def state_of_list(ctx: EventContext, name: ListName) -> EventState:
    """Return what somebody's pages of a list depend on; its revision is the version of the list."""
    return read_state(ctx, queries.PARTS_LEFT_OUT[name])
