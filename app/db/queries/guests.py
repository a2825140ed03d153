"""Reads of guests."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, TypeVar
from uuid import UUID

from sqlalchemy import ColumnElement, Select, bindparam, func, select
from sqlalchemy.orm import Session

from app.db.models import Event, Group, GroupGuest, Guest, Party
from app.db.once import once

T = TypeVar("T")


@once
def guests_of(
    session: Session,
    event_id: UUID,
    *,
    limit: int | None = None,
    after: UUID | None = None,
    with_removed: bool = False,
) -> Sequence[Guest]:
    """Return the event's guests in their order, from behind `after`, without the removed ones unless asked."""
    query = select(Guest).where(Guest.event_id == event_id)
    if not with_removed:
        query = query.where(Guest.removed_at.is_(None))
    if after is not None:
        # The cursor may have been removed since; its position still tells where to go on.
        position = select(Guest.position).where(Guest.id == after, Guest.event_id == event_id).scalar_subquery()
        query = query.where((Guest.position > position) | ((Guest.position == position) & (Guest.id > after)))
    return session.scalars(query.order_by(Guest.position, Guest.id).limit(limit)).all()


def is_seated() -> ColumnElement[bool]:
    """Return the one condition that decides who gets a seat, for queries that read `Guest`.

    Whoever said no is not seated, nor is a removed guest; those who have not decided are if the event says so.
    """
    undecided = select(Event.seats_undecided).where(Event.id == Guest.event_id).scalar_subquery()
    return Guest.removed_at.is_(None) & ((Guest.reply == "yes") | ((Guest.reply != "no") & undecided))


_IN_ORDER = (Guest.position, Guest.id)
_SEATED = select(Guest).where(Guest.event_id == bindparam("event"), is_seated()).order_by(*_IN_ORDER)
_SEATED_NAMES = _SEATED.with_only_columns(Guest.id, Guest.name, Guest.party_id)


@once
def seated_guests_of(session: Session, event: Event) -> Sequence[Guest]:
    """Return the event's guests who are to be seated, in their order."""
    return session.scalars(_SEATED, {"event": event.id}).all()


@once
def seated_names_of(session: Session, event_id: UUID) -> list[SeatedName]:
    """Return the same guests with no more than who they are, which takes a fraction of the time."""
    return [SeatedName(*row) for row in session.execute(_SEATED_NAMES, {"event": event_id})]


def count_seated(session: Session, event_id: UUID) -> int:
    """Return how many guests are to be seated."""
    return session.scalar(select(func.count(Guest.id)).where(Guest.event_id == event_id, is_seated())) or 0


def find_guests(
    session: Session,
    event_id: UUID,
    search: str,
    *,
    limit: int | None,
    offset: int = 0,
    replies: Collection[str] = (),
) -> Sequence[Guest]:
    """Return present guests whose name's key has `search` in it, or who gave one of `replies`, in their order."""
    query = _found(select(Guest), event_id, search, replies).order_by(Guest.position, Guest.id)
    return session.scalars(query.limit(limit).offset(offset)).all()


def count_guests(session: Session, event_id: UUID, search: str = "", replies: Collection[str] = ()) -> int:
    """Return how many present guests have `search` in their name's key, or gave one of `replies`."""
    return session.scalar(_found(select(func.count(Guest.id)), event_id, search, replies)) or 0


def count_replies(session: Session, event_id: UUID) -> dict[str, int]:
    """Return how many present guests gave each reply."""
    query = select(Guest.reply, func.count(Guest.id)).where(Guest.event_id == event_id, Guest.removed_at.is_(None))
    return dict(session.execute(query.group_by(Guest.reply)).all())


def _found(query: Select[T], event_id: UUID, search: str, replies: Collection[str]) -> Select[T]:
    query = query.where(Guest.event_id == event_id, Guest.removed_at.is_(None))
    matches = Guest.name_key.contains(search, autoescape=True) | Guest.reply.in_(replies)
    return query.where(matches) if search else query


def guest_of(session: Session, event_id: UUID, guest_id: UUID, *, removed: bool = False) -> Guest | None:
    """Return one guest of the event, among those present or among those removed."""
    state = Guest.removed_at.is_not(None) if removed else Guest.removed_at.is_(None)
    return session.scalar(select(Guest).where(Guest.id == guest_id, Guest.event_id == event_id, state))


def namesake(session: Session, event_id: UUID, key: str, *, besides: UUID | None = None) -> Guest | None:
    """Return the present guest whose name has this key, if there is one `besides` the guest given."""
    query = select(Guest).where(Guest.event_id == event_id, Guest.name_key == key, Guest.removed_at.is_(None))
    if besides is not None:
        query = query.where(Guest.id != besides)
    return session.scalars(query).first()


def last_position(session: Session, event_id: UUID) -> int:
    """Return the highest position in use, removed guests included, or −1."""
    highest = session.scalar(select(func.max(Guest.position)).where(Guest.event_id == event_id))
    return -1 if highest is None else highest


def guest_ids_of(session: Session, event_id: UUID) -> set[UUID]:
    """Return the ids of the present guests."""
    return set(session.scalars(select(Guest.id).where(Guest.event_id == event_id, Guest.removed_at.is_(None))))


class SeatedName(NamedTuple):
    """A guest who is to be seated, and their party."""

    id: UUID
    name: str
    party_id: UUID | None


class Named(NamedTuple):
    """A guest by name, and whether they come."""

    id: UUID
    name: str
    reply: str


@once
def named_guests(session: Session, event_id: UUID) -> list[Named]:
    """Return the present guests in their order, with no more than pages about others need of them."""
    query = select(Guest.id, Guest.name, Guest.reply).where(Guest.event_id == event_id, Guest.removed_at.is_(None))
    return [Named(*row) for row in session.execute(query.order_by(Guest.position, Guest.id))]


def names_ever(session: Session, event_id: UUID) -> dict[UUID, str]:
    """Return the names of all guests of the event by their ids, of those who were removed too."""
    query = select(Guest.id, Guest.name).where(Guest.event_id == event_id)
    return {row.id: row.name for row in session.execute(query)}


def chosen_guests(session: Session, event_id: UUID, guest_ids: Collection[UUID]) -> list[Guest]:
    """Return those of these guests who are present, in their order; named in Python, for there may be thousands."""
    wanted = set(guest_ids)
    return [guest for guest in guests_of(session, event_id) if guest.id in wanted]


@once
def party_names(session: Session, event_id: UUID) -> dict[UUID, str]:
    """Return the names of the event's parties by their id."""
    return {row.id: row.name for row in session.execute(select(Party.id, Party.name).where(Party.event_id == event_id))}


def party_members(session: Session, event_id: UUID) -> list[tuple[UUID, UUID]]:
    """Return the present guests who belong to a party, each with it."""
    query = select(Guest.id, Guest.party_id).where(Guest.event_id == event_id, Guest.removed_at.is_(None))
    return [(guest, party) for guest, party in session.execute(query) if party is not None]


@once
def group_names(session: Session, event_id: UUID, guest_ids: frozenset[UUID] | None = None) -> dict[UUID, list[str]]:
    """Return for each guest in a group the names of their groups, in the order in which the groups were made."""
    query = (
        select(GroupGuest.guest_id, Group.name)
        .join(Group, Group.id == GroupGuest.group_id)
        .where(Group.event_id == event_id)
        .order_by(Group.id)
    )
    if guest_ids is not None:
        query = query.where(GroupGuest.guest_id.in_(guest_ids))
    return _gathered((row[0], row[1]) for row in session.execute(query))


def _gathered(pairs: Iterable[tuple[UUID, str]]) -> dict[UUID, list[str]]:
    gathered: dict[UUID, list[str]] = {}
    for key, name in pairs:
        gathered.setdefault(key, []).append(name)
    return gathered
