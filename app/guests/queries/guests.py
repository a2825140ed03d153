"""Reads of guests."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, bindparam, exists, func, select
from sqlalchemy.orm import Session

from app.db.conditions import is_seated
from app.db.models import Event, Group, GroupGuest, Guest, GuestImport, Party
from app.db.once import once
from app.guests.public_names import SeatedPerson


class GuestRow(NamedTuple):
    """What lists show of a guest, quicker to read than the entity."""

    id: UUID
    name: str
    note: str
    party_id: UUID | None
    reply: str
    age_group: str
    diet: str
    high_chair: bool
    public_name: str
    version: int
    title: str
    first_name: str
    last_name: str
    email: str
    phone: str
    wheelchair: bool
    allergies: tuple[str, ...]
    other_allergies: str


def people_of(session: Session, event_id: UUID) -> Iterator[SeatedPerson]:
    """Yield everyone who is to be seated with what their public name depends on, households taken to sit together."""
    query = select(Guest.id, Guest.name, Guest.public_name, Guest.party_id, Guest.party_id)
    query = query.where(Guest.event_id == event_id, is_seated()).order_by(Guest.position, Guest.id)
    yield from (SeatedPerson(*row) for row in session.execute(query))


@once
def names_ever_of(session: Session, event_id: UUID) -> Sequence[str]:
    """Return the names of all guests of an event, with those who declined or were removed."""
    return session.scalars(select(Guest.name).where(Guest.event_id == event_id)).all()


@once
def guests_of(session: Session, event_id: UUID, *, with_removed: bool = False) -> Sequence[Guest]:
    """Return the event's guests in their order, without the removed ones unless asked."""
    return session.scalars(_EVER if with_removed else _PRESENT, {"event": event_id}).all()


@once
def seated_guests_of(session: Session, event: Event) -> Sequence[Guest]:
    """Return the event's guests who are to be seated, in their order."""
    return session.scalars(_SEATED, {"event": event.id}).all()


@once
def seated_names_of(session: Session, event_id: UUID) -> list[SeatedName]:
    """Return the same guests with no more than who they are, which takes a fraction of the time."""
    return [SeatedName(*row) for row in session.execute(_SEATED_NAMES, {"event": event_id})]


def has_seat(event: Event, reply: str) -> bool:
    """Say whether a present guest who gave this reply is to be seated: the same as `is_seated`, without a query."""
    return reply == "yes" or (reply != "no" and event.seats_undecided)


def count_seated(session: Session, event_id: UUID) -> int:
    return session.scalar(_COUNT_SEATED, {"event": event_id}) or 0


def find_guests(
    session: Session, event_id: UUID, *, limit: int | None = None, after: UUID | None = None
) -> Sequence[GuestRow]:
    """Return present guests in their order, from behind `after`."""
    query = _ROWS if after is None else _ROWS.where(_is_behind(event_id, after))
    if limit is not None:
        query = query.limit(limit)
    return [GuestRow(*row) for row in session.execute(query, {"event": event_id})]


def _is_behind(event_id: UUID, after: UUID) -> ColumnElement[bool]:
    # The cursor may have been removed since; its position still tells where to go on.
    position = select(Guest.position).where(Guest.id == after, Guest.event_id == event_id).scalar_subquery()
    return (Guest.position > position) | ((Guest.position == position) & (Guest.id > after))


def count_guests(session: Session, event_id: UUID) -> int:
    """Return how many guests are present."""
    return session.scalar(_COUNT_PRESENT, {"event": event_id}) or 0


def guest_of(session: Session, event_id: UUID, guest_id: UUID, *, removed: bool = False) -> Guest | None:
    """Return one guest of the event, among those present or among those removed."""
    return session.scalar(_ONE_REMOVED if removed else _ONE, {"event": event_id, "guest": guest_id})


def has_removed(session: Session, event_id: UUID) -> bool:
    """Say whether somebody was removed from the list and is still stored."""
    return bool(session.scalar(_HAS_REMOVED, {"event": event_id}))


def removed_guests(session: Session, event_id: UUID) -> Sequence[Guest]:
    """Return the removed guests who are still stored, in the order of the list."""
    return session.scalars(_REMOVED, {"event": event_id}).all()


def namesake(session: Session, event_id: UUID, key: str, *, besides: UUID | None = None) -> Guest | None:
    """Return the present guest whose name has this key, if there is one `besides` the guest given."""
    query = _NAMESAKES if besides is None else _NAMESAKES.where(Guest.id != besides)
    return session.scalars(query, {"event": event_id, "key": key}).first()


def unnamed_guests(session: Session, event_id: UUID) -> Sequence[Guest]:
    """Return the present guests whose names may be those of seats that are kept for somebody."""
    may_be = Guest.name_key.contains("guest of ") | Guest.name_key.contains("child of ")
    return session.scalars(_PRESENT.where(may_be), {"event": event_id}).all()


def last_position(session: Session, event_id: UUID) -> int:
    """Return the highest position in use, removed guests included, or −1."""
    highest = session.scalar(_LAST_POSITION, {"event": event_id})
    return -1 if highest is None else highest


def guest_ids_of(session: Session, event_id: UUID) -> set[UUID]:
    return set(session.scalars(_PRESENT_IDS, {"event": event_id}))


class SeatedName(NamedTuple):
    """A guest who is to be seated, and their party."""

    id: UUID
    name: str
    party_id: UUID | None


class Named(NamedTuple):
    """A guest by name, whether they come, and by what they are put in order."""

    id: UUID
    name: str
    reply: str
    name_key: str
    position: int


@once
def named_guests(session: Session, event_id: UUID) -> list[Named]:
    """Return the present guests in their order, with no more than pages about others need of them."""
    return [Named(*row) for row in session.execute(_NAMED, {"event": event_id})]


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
    return {row[0]: row[1] for row in session.execute(_PARTY_NAMES, {"event": event_id})}


def party_members(session: Session, event_id: UUID) -> list[tuple[UUID, UUID]]:
    """Return the present guests who belong to a party, each with it."""
    query = select(Guest.id, Guest.party_id).where(Guest.event_id == event_id, Guest.removed_at.is_(None))
    return [(guest, party) for guest, party in session.execute(query) if party is not None]


def plain_values(session: Session, event_id: UUID) -> dict[str, dict[UUID, str]]:
    """Return the reply and the age group of every present guest."""
    query = select(Guest.id, Guest.reply, Guest.age_group).where(Guest.event_id == event_id, Guest.removed_at.is_(None))
    rows = session.execute(query).all()
    return {"reply": {row[0]: row[1] for row in rows}, "age_group": {row[0]: row[2] for row in rows}}


@once
def group_names(session: Session, event_id: UUID, guest_ids: frozenset[UUID] | None = None) -> dict[UUID, list[str]]:
    """Return for each guest in a group the names of their groups, in the order in which the groups were made."""
    query = _GROUP_NAMES if guest_ids is None else _GROUP_NAMES.where(GroupGuest.guest_id.in_(guest_ids))
    gathered: dict[UUID, list[str]] = {}
    for guest_id, name in session.execute(query, {"event": event_id}):
        gathered.setdefault(guest_id, []).append(name)
    return gathered


def import_of(session: Session, event_id: UUID, import_id: UUID) -> GuestImport | None:
    return session.scalar(select(GuestImport).where(GuestImport.id == import_id, GuestImport.event_id == event_id))


def last_change(session: Session, event_id: UUID, user_id: UUID, since: datetime) -> tuple[UUID, dict[str, Any]] | None:
    """Return the id and the words of somebody's last change of many guests that can be undone, if it is recent."""
    # A file counts from when it was confirmed; rows of an earlier version have only the other time.
    moment = func.coalesce(GuestImport.finished_at, GuestImport.created_at)
    query = select(GuestImport.id, GuestImport.columns).where(
        GuestImport.event_id == event_id,
        GuestImport.user_id == user_id,
        GuestImport.status == "done",
        GuestImport.undo.is_not(None),
        moment >= since,
    )
    found = session.execute(query.order_by(moment.desc(), GuestImport.id.desc()).limit(1)).first()
    return (found[0], found[1]) if found else None


# Made once: to make a statement takes longer than to run it.
_OF_EVENT = Guest.event_id == bindparam("event")
_IS_PRESENT = Guest.removed_at.is_(None)
_IN_ORDER = Guest.position, Guest.id
_EVER = select(Guest).where(_OF_EVENT).order_by(*_IN_ORDER)
_PRESENT = select(Guest).where(_OF_EVENT, _IS_PRESENT).order_by(*_IN_ORDER)
_ROWS = _PRESENT.with_only_columns(*(getattr(Guest, name) for name in GuestRow._fields))
_PRESENT_IDS = select(Guest.id).where(_OF_EVENT, _IS_PRESENT)
_SEATED = select(Guest).where(_OF_EVENT, is_seated()).order_by(*_IN_ORDER)
_SEATED_NAMES = _SEATED.with_only_columns(Guest.id, Guest.name, Guest.party_id)
_COUNT_SEATED = select(func.count(Guest.id)).where(_OF_EVENT, is_seated())
_COUNT_PRESENT = select(func.count(Guest.id)).where(_OF_EVENT, _IS_PRESENT)
_ONE = select(Guest).where(_OF_EVENT, _IS_PRESENT, Guest.id == bindparam("guest"))
_ONE_REMOVED = select(Guest).where(_OF_EVENT, Guest.removed_at.is_not(None), Guest.id == bindparam("guest"))
_REMOVED = select(Guest).where(_OF_EVENT, Guest.removed_at.is_not(None)).order_by(Guest.position, Guest.id)
_HAS_REMOVED = select(exists().where(_OF_EVENT, Guest.removed_at.is_not(None)))
_NAMESAKES = select(Guest).where(_OF_EVENT, _IS_PRESENT, Guest.name_key == bindparam("key"))
_LAST_POSITION = select(func.max(Guest.position)).where(_OF_EVENT)
_NAMED = _PRESENT.with_only_columns(*(getattr(Guest, name) for name in Named._fields))
_PARTY_NAMES = select(Party.id, Party.name).where(Party.event_id == bindparam("event"))
_GROUP_NAMES = (
    select(GroupGuest.guest_id, Group.name)
    .join(Group, Group.id == GroupGuest.group_id)
    .where(Group.event_id == bindparam("event"))
    .order_by(Group.id)
)
