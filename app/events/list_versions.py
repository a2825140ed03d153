"""Versions of whole lists: another one after any change, read without reading the list."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from app.events import list_version_queries as queries


@dataclass(frozen=True)
class ListVersion:
    """The version of a list, and whether there is nothing in it that could be overwritten."""

    version: str
    is_empty: bool


def of_guests(session: Session, event_id: UUID) -> ListVersion:
    """Return the version of the guests; the names of their groups are part of it."""
    people, groups = queries.stamp_of_guests(session, event_id), queries.stamp_of_groups(session, event_id)
    return ListVersion(_digest("guests", people.text, groups.text), people.is_empty)


def of_groups(session: Session, event_id: UUID) -> ListVersion:
    """Return the version of the groups; who is in them is part of it."""
    people, groups = queries.stamp_of_guests(session, event_id), queries.stamp_of_groups(session, event_id)
    return ListVersion(_digest("groups", people.text, groups.text), groups.is_empty)


def of_tables(session: Session, event_id: UUID) -> ListVersion:
    """Return the version of the tables."""
    return _version("tables", queries.stamp_of_tables(session, event_id))


def of_rules(session: Session, event_id: UUID) -> ListVersion:
    """Return the version of the rules."""
    return _version("rules", queries.stamp_of_rules(session, event_id))


def of_ratings(session: Session, event_id: UUID) -> ListVersion:
    """Return the version of all ratings, single ones and an uploaded matrix together."""
    return _version("ratings", queries.stamp_of_ratings(session, event_id))


def of_group_ratings(session: Session, event_id: UUID) -> ListVersion:
    """Return the version of the grid of groups."""
    return _version("group_ratings", queries.stamp_of_group_ratings(session, event_id))


def _version(name: str, stamp: queries.Stamp) -> ListVersion:
    return ListVersion(_digest(name, stamp.text), stamp.is_empty)


def _digest(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:24]
