"""Reads that tell whether a list has changed, without reading all of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Select, bindparam, case, func, select
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
    count, latest, uploaded, kind = session.execute(_RATINGS, {"event": event_id}).one()
    return Stamp(f"{count} {latest} {uploaded} {kind}", not count and uploaded is None)


def stamp_of_group_ratings(session: Session, event_id: UUID) -> Stamp:
    """Return the stamp of the grid of groups."""
    count, latest = session.execute(_GROUP_RATINGS, {"event": event_id}).one()
    return Stamp(f"{count} {latest}", not count)


def _stamp(session: Session, model: type[Group] | type[Rule], event_id: UUID) -> Stamp:
    count, versions, newest = session.execute(_STAMPS[model], {"event": event_id}).one()
    return Stamp(f"{count} {versions} {newest}", not count)


def _stamp_with_removed(session: Session, model: type[Guest] | type[Table], event_id: UUID) -> Stamp:
    count, listed, versions, newest = session.execute(_STAMPS[model], {"event": event_id}).one()
    return Stamp(f"{count} {listed} {versions} {newest}", not listed)


def _versions(model: type[Group] | type[Rule]) -> Select[*tuple[Any, ...]]:
    # A change counts a version up, a new row is the newest, and a deletion without a new row is one row fewer.
    columns = func.count(), func.sum(model.version), func.max(model.created_at)
    return select(*columns).where(model.event_id == bindparam("event"))


def _versions_with_removed(model: type[Guest] | type[Table]) -> Select[*tuple[Any, ...]]:
    present = func.count(case((model.removed_at.is_(None), 1)))
    columns = func.count(), present, func.sum(model.version), func.max(model.created_at)
    return select(*columns).where(model.event_id == bindparam("event"))


def _ratings() -> Select[*tuple[Any, ...]]:
    is_of_event = Rating.event_id == bindparam("event")
    written = select(func.count().label("count"), func.max(Rating.updated_at).label("latest")).where(is_of_event)
    return select(
        written.subquery(),
        select(RatingMatrix.created_at).where(RatingMatrix.event_id == bindparam("event")).scalar_subquery(),
        select(Event.kind).where(Event.id == bindparam("event")).scalar_subquery(),
    )


# Made once: to make a statement takes longer than to run it.
_RATINGS = _ratings()
_GROUP_RATINGS = select(func.count(), func.max(GroupRating.updated_at)).where(
    GroupRating.event_id == bindparam("event")
)
_STAMPS: dict[type[Any], Select[*tuple[Any, ...]]] = {
    Group: _versions(Group),
    Rule: _versions(Rule),
    Guest: _versions_with_removed(Guest),
    Table: _versions_with_removed(Table),
}
