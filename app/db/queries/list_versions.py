"""Reads that tell whether a list has changed, without reading all of it."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from app.db.models import Event, Group, GroupRating, Guest, Rating, RatingMatrix, Rule, Table


@dataclass(frozen=True)
class Stamp:
    """A text that is another one after any change, and whether nothing is listed."""

    text: str
    is_empty: bool


def stamp_of_guests(session: Session, event_id: UUID) -> Stamp:
    """Return the stamp of the guests."""
    return _stamp_with_removed(session, Guest, event_id)


def stamp_of_tables(session: Session, event_id: UUID) -> Stamp:
    """Return the stamp of the tables."""
    return _stamp_with_removed(session, Table, event_id)


def stamp_of_groups(session: Session, event_id: UUID) -> Stamp:
    """Return the stamp of the groups."""
    return _stamp(session, Group, event_id)


def stamp_of_rules(session: Session, event_id: UUID) -> Stamp:
    """Return the stamp of the rules."""
    return _stamp(session, Rule, event_id)


def stamp_of_ratings(session: Session, event_id: UUID) -> Stamp:
    """Return the stamp of all ratings: the single ones, an uploaded matrix, and whether they are scores."""
    written = select(func.count(), func.max(Rating.updated_at)).where(Rating.event_id == event_id)
    matrix = select(RatingMatrix.created_at).where(RatingMatrix.event_id == event_id)
    count, latest = session.execute(written).one()
    uploaded = session.scalar(matrix)
    kind = session.scalar(select(Event.kind).where(Event.id == event_id))
    return Stamp(f"{count} {latest} {uploaded} {kind}", not count and uploaded is None)


def stamp_of_group_ratings(session: Session, event_id: UUID) -> Stamp:
    """Return the stamp of the grid of groups."""
    written = select(func.count(), func.max(GroupRating.updated_at)).where(GroupRating.event_id == event_id)
    count, latest = session.execute(written).one()
    return Stamp(f"{count} {latest}", not count)


def _stamp(session: Session, model: type[Group] | type[Rule], event_id: UUID) -> Stamp:
    # A change counts a version up, a new row is the newest, and a deletion without a new row is one row fewer.
    query = select(func.count(), func.sum(model.version), func.max(model.created_at)).where(model.event_id == event_id)
    count, versions, newest = session.execute(query).one()
    return Stamp(f"{count} {versions} {newest}", not count)


def _stamp_with_removed(session: Session, model: type[Guest] | type[Table], event_id: UUID) -> Stamp:
    present = func.count(case((model.removed_at.is_(None), 1)))
    query = select(func.count(), present, func.sum(model.version), func.max(model.created_at))
    count, listed, versions, newest = session.execute(query.where(model.event_id == event_id)).one()
    return Stamp(f"{count} {listed} {versions} {newest}", not listed)
