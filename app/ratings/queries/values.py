"""Reads of what is said about pairs besides ratings: memberships and wishes."""

from __future__ import annotations

from typing import TypeVar
from uuid import UUID

from sqlalchemy import BindParameter, Select, and_, bindparam, func, select
from sqlalchemy.orm import Session, aliased

from app.db.conditions import may_come
from app.db.models import Group, GroupGuest, Guest, Wish
from app.db.once import once

T = TypeVar("T")

# Built once: building a query takes as long as running it, and each page of a plan asks these.
_EVENT: BindParameter[UUID] = bindparam("event")
_GROUP_NAMES = select(Group.id, Group.name).where(Group.event_id == _EVENT).order_by(Group.id)
_MEMBERSHIPS = (
    select(GroupGuest.group_id, GroupGuest.guest_id)
    .join(Group, Group.id == GroupGuest.group_id)
    .where(Group.event_id == _EVENT)
    .order_by(GroupGuest.group_id, GroupGuest.guest_id)
)
_ACCEPTED_WISHES = (
    select(Wish.guest_id, Wish.other_id)
    .where(Wish.event_id == _EVENT, Wish.accepted_at.is_not(None))
    .order_by(Wish.guest_id, Wish.other_id)
)


@once
def group_names_of(session: Session, event_id: UUID) -> dict[UUID, str]:
    """Return the names of the groups, in the order in which the groups were made."""
    return {row[0]: row[1] for row in session.execute(_GROUP_NAMES, {"event": event_id})}


@once
def memberships_of(session: Session, event_id: UUID) -> list[tuple[UUID, UUID]]:
    """Return who is in which group as (group, guest), in a fixed order, removed guests included."""
    return [(group, guest) for group, guest in session.execute(_MEMBERSHIPS, {"event": event_id})]


@once
def accepted_wishes_of(session: Session, event_id: UUID) -> list[tuple[UUID, UUID]]:
    """Return the wishes that the planner has accepted as (guest, other), in a fixed order."""
    return [(guest, other) for guest, other in session.execute(_ACCEPTED_WISHES, {"event": event_id})]


def count_undecided(session: Session, event_id: UUID) -> int:
    """Return how many wishes the planner has neither accepted nor declined; the page of ratings mentions them."""
    return session.scalar(_COUNT_UNDECIDED, {"event": event_id}) or 0


def between_coming(query: Select[T]) -> Select[T]:
    """Keep the wishes of which both guests may come."""
    first, second = aliased(Guest), aliased(Guest)
    return query.join(first, and_(first.id == Wish.guest_id, *may_come(first))).join(
        second, and_(second.id == Wish.other_id, *may_come(second))
    )


_UNDECIDED = Wish.event_id == _EVENT, Wish.accepted_at.is_(None), Wish.declined_at.is_(None)
_COUNT_UNDECIDED = select(func.count()).select_from(between_coming(select(Wish.guest_id).where(*_UNDECIDED)).subquery())
