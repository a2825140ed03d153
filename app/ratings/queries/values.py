"""Reads of what is said about pairs besides ratings: group ratings, memberships and accepted wishes."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import BindParameter, bindparam, select
from sqlalchemy.orm import Session

from app.db.models import Group, GroupGuest, Wish
from app.db.once import once

# Made once: to make a query takes as long as to run it, and each page of a plan asks these.
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
