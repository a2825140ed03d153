"""Reads of what is said about pairs besides ratings: group ratings, memberships and accepted wishes."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.db.models import Group, GroupGuest, GroupRating, Wish
from app.db.once import once


@once
def group_ratings_of(session: Session, event_id: UUID) -> list[tuple[UUID, UUID, float]]:
    """Return the cells of the group × group grid that were entered, by their groups."""
    query = select(GroupRating.group_a, GroupRating.group_b, GroupRating.score).where(GroupRating.event_id == event_id)
    return [(a, b, score) for a, b, score in session.execute(query.order_by(GroupRating.group_a, GroupRating.group_b))]


@once
def group_names_of(session: Session, event_id: UUID) -> dict[UUID, str]:
    """Return the names of the groups, in the order in which the groups were made."""
    query = select(Group.id, Group.name).where(Group.event_id == event_id).order_by(Group.id)
    return {row.id: row.name for row in session.execute(query)}


@once
def memberships_of(session: Session, event_id: UUID) -> list[tuple[UUID, UUID]]:
    """Return who is in which group as (group, guest), in a fixed order, removed guests included."""
    query = select(GroupGuest.group_id, GroupGuest.guest_id).join(Group, Group.id == GroupGuest.group_id)
    rows = session.execute(query.where(Group.event_id == event_id).order_by(GroupGuest.group_id, GroupGuest.guest_id))
    return [(group, guest) for group, guest in rows]


@once
def accepted_wishes_of(session: Session, event_id: UUID) -> list[tuple[UUID, UUID]]:
    """Return the wishes that the planner has accepted as (guest, other), in a fixed order."""
    query = select(Wish.guest_id, Wish.other_id).where(Wish.event_id == event_id, Wish.accepted_at.is_not(None))
    return [(guest, other) for guest, other in session.execute(query.order_by(Wish.guest_id, Wish.other_id))]
