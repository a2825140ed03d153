"""Reads of groups."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import bindparam, func, or_, select
from sqlalchemy.orm import Session, aliased

from app.db.models import Group, GroupGuest, GroupRating, Guest, Rule, RuleValue, Table
from app.db.once import once

_GROUPS = select(Group).where(Group.event_id == bindparam("event")).order_by(Group.id)
_LARGER = aliased(Group)
_CIRCLES = (
    select(Group.id, _LARGER.id)
    .join(_LARGER, (_LARGER.id == Group.circle_of) & (_LARGER.event_id == Group.event_id))
    .where(Group.event_id == bindparam("event"))
    .order_by(Group.id)
)
_COLOURS = select(Group.name, Group.colour).where(Group.event_id == bindparam("event")).order_by(Group.id)


@once
def groups_of(
    session: Session, event_id: UUID, *, limit: int | None = None, after: UUID | None = None
) -> Sequence[Group]:
    """Return the event's groups in the order in which they were made, from behind `after`."""
    query = _GROUPS if after is None else _GROUPS.where(Group.id > after)
    query = query if limit is None else query.limit(limit)
    return session.scalars(query, {"event": event_id}).all()


@once
def circles_of(session: Session, event_id: UUID) -> dict[UUID, UUID]:
    """Return the circles of the event, each with the larger group in which it was marked and which is still there.

    What was marked within a circle is no circle: its larger group was deleted then, and is back now.
    """
    marked = {row[0]: row[1] for row in session.execute(_CIRCLES, {"event": event_id})}
    return {circle: larger for circle, larger in marked.items() if larger not in marked}


@once
def colours_of(session: Session, event_id: UUID) -> dict[str, str]:
    """Return the colours of the event's groups by their names, in the order in which they were made."""
    return {row[0]: row[1] for row in session.execute(_COLOURS, {"event": event_id})}


def group_of(session: Session, event_id: UUID, group_id: UUID) -> Group | None:
    return session.scalar(select(Group).where(Group.id == group_id, Group.event_id == event_id))


def members_of(session: Session, event_id: UUID, group_ids: Collection[UUID]) -> dict[UUID, list[UUID]]:
    """Return for each of the groups its present guests, in their order."""
    query = (
        select(GroupGuest.group_id, GroupGuest.guest_id)
        .join(Guest, Guest.id == GroupGuest.guest_id)
        .where(Guest.event_id == event_id, Guest.removed_at.is_(None), GroupGuest.group_id.in_(group_ids))
        .order_by(Guest.position, Guest.id)
    )
    members: dict[UUID, list[UUID]] = {group_id: [] for group_id in group_ids}
    for group_id, guest_id in session.execute(query):
        members[group_id].append(guest_id)
    return members


def memberships(session: Session, event_id: UUID) -> set[tuple[UUID, UUID]]:
    """Return who is in which group, as pairs of group and guest, removed guests included."""
    query = select(GroupGuest.group_id, GroupGuest.guest_id).join(Group, Group.id == GroupGuest.group_id)
    return {(row[0], row[1]) for row in session.execute(query.where(Group.event_id == event_id))}


# Built once: building a query takes as long as running it, and each page of a plan needs these.
_GROUP_CELLS = (
    select(GroupRating.group_a, GroupRating.group_b, GroupRating.score)
    .where(GroupRating.event_id == bindparam("event"))
    .order_by(GroupRating.group_a, GroupRating.group_b)
)
_GROUP_RATINGS = _GROUP_CELLS.where(GroupRating.score.is_not(None))
_SKIPPED_GROUPS = _GROUP_CELLS.where(GroupRating.score.is_(None))


@once
def group_ratings_of(session: Session, event_id: UUID) -> list[tuple[UUID, UUID, float]]:
    """Return the cells of the group × group grid that were entered, by their groups."""
    rows = session.execute(_GROUP_RATINGS, {"event": event_id})
    return [(a, b, score) for a, b, score in rows if score is not None]


def skipped_groups_of(session: Session, event_id: UUID) -> list[tuple[UUID, UUID]]:
    """Return the pairs of groups that were asked about and skipped, by their groups."""
    return [(a, b) for a, b, _ in session.execute(_SKIPPED_GROUPS, {"event": event_id})]


def count_rules(session: Session, event_id: UUID, field: str, value: UUID) -> int:
    """Return how many rules are about a value."""
    query = select(func.count(Rule.id.distinct())).join(RuleValue, RuleValue.rule_id == Rule.id)
    is_about = (RuleValue.field == field, RuleValue.value == str(value))
    return session.scalar(query.where(Rule.event_id == event_id, *is_about)) or 0


def ratings_with(session: Session, group_id: UUID) -> list[tuple[UUID, UUID, float | None]]:
    """Return what was entered for a group in the grid of groups, skipped questions included."""
    query = select(GroupRating.group_a, GroupRating.group_b, GroupRating.score)
    is_of = or_(GroupRating.group_a == group_id, GroupRating.group_b == group_id)
    return [(a, b, score) for a, b, score in session.execute(query.where(is_of))]


def tables_reserved_for(session: Session, event_id: UUID, group_id: UUID) -> Sequence[Table]:
    return session.scalars(select(Table).where(Table.event_id == event_id, Table.reserved_for == group_id)).all()
