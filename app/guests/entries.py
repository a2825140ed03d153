"""What is entered about guests, and writing it; app/guests/entry_checks.py checks it first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Literal
from uuid import UUID

from sqlalchemy import delete, insert, tuple_, update
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import flag_modified

from app.db.models import Group, GroupGuest, Guest, Party
from app.db.models.guests import CHILDREN
from app.db.types import new_id
from app.guests import party_and_group_names as labels
from app.guests.name_order import Names, parts_following
from app.guests.namesakes import mark_of, with_new_mark
from app.guests.queries import groups as group_queries
from app.guests.queries import guests as queries
from app.guests.queries.fields import StoredValue
from app.guests.value_writes import changed_values, write_values
from app.web.names import name_key
from app.web.unset import UNSET, Unset

MAX_GUESTS = 20_000
Reply = Literal["invited", "yes", "maybe", "no"]
REPLY_WORDS: dict[str, str] = {"yes": "attending", "maybe": "maybe", "invited": "no reply yet", "no": "not attending"}
CHUNK = 500
AgeGroup = Literal["adult", "teenager", "child", "baby"]
AGE_WORDS: dict[str, str] = {"adult": "adult", "teenager": "teenager", "child": "child", "baby": "baby"}
PLAIN_FIELDS = (
    *("title", "first_name", "last_name", "email", "phone", "note", "reply", "age_group"),
    *("diet", "allergies", "other_allergies", "high_chair", "wheelchair", "public_name"),
)


@dataclass(frozen=True)
class GuestEntry:
    """A guest as entered; what is left out stays as it is stored.

    Without a name, first and last name make it. `child` is another way to say the age group. Side, meals and own
    fields are entered by name; `values` is what the check makes of them, and what is written.
    """

    name: str = ""
    id: UUID | None = None
    note: str | Unset = UNSET
    party: str | Unset | None = UNSET
    groups: Sequence[str] | Unset = UNSET
    reply: str | Unset = UNSET
    child: bool | Unset = UNSET
    diet: str | Unset = UNSET
    high_chair: bool | Unset = UNSET
    public_name: str | Unset = UNSET
    title: str | Unset = UNSET
    first_name: str | Unset = UNSET
    last_name: str | Unset = UNSET
    email: str | Unset = UNSET
    phone: str | Unset = UNSET
    age_group: str | Unset = UNSET
    wheelchair: bool | Unset = UNSET
    allergies: Sequence[str] | Unset = UNSET
    other_allergies: str | Unset = UNSET
    side: str | Unset | None = UNSET
    meals: Mapping[str, str | None] | Unset = UNSET
    fields: Mapping[str, str | None] | Unset = UNSET
    values: Mapping[UUID, StoredValue] = field(default_factory=dict)


@dataclass(slots=True)
class NewGuest:
    """A guest who waits for their entry, as a plain row: ten thousand of them are written three times as fast."""

    event_id: UUID
    position: int
    id: UUID = field(default_factory=new_id)
    name: str = ""
    name_key: str = ""
    note: str = ""
    reply: str = "invited"
    age_group: str = "adult"
    diet: str = ""
    high_chair: bool = False
    public_name: str = ""
    title: str = ""
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    phone: str = ""
    wheelchair: bool = False
    allergies: tuple[str, ...] = ()
    other_allergies: str = ""
    party_id: UUID | None = None
    version: int = 1


COLUMNS = tuple(column.name for column in fields(NewGuest))
Written = Sequence[tuple[Guest | NewGuest, GuestEntry]]


def write_entries(session: Session, event_id: UUID, entries: Written) -> None:
    """Write checked entries to their guests, new or stored."""
    entries = _with_new_marks(session, event_id, entries)
    renamed = labels.rename_parties(session, event_id, _moves(entries))
    parties = labels.ensure(session, Party, event_id, (e.party for _, e in entries if isinstance(e.party, str)))
    grouped = [(guest, entry.groups) for guest, entry in entries if not isinstance(entry.groups, Unset)]
    groups = labels.ensure(session, Group, event_id, (name for _, names in grouped for name in names))
    before = _memberships(session, event_id, {guest.id for guest, _ in grouped if isinstance(guest, Guest)})
    after = {(groups[name_key(name)], guest.id) for guest, names in grouped for name in names}
    for guest, entry in entries:
        _write_entry(guest, entry, parties)
    values = {guest.id: entry.values for guest, entry in entries if entry.values}
    stored = {guest.id for guest, entry in entries if entry.values and isinstance(guest, Guest)}
    given = changed_values(session, event_id, values, stored)
    changed = {guest_id for _, guest_id in before ^ after} | {guest_id for guest_id, _, _ in given}
    count_up(guest for guest, _ in entries if guest.id in changed or guest.party_id in renamed)
    new = {guest.id: guest for guest, _ in entries if isinstance(guest, NewGuest)}
    if new:
        session.execute(insert(Guest), [{name: getattr(guest, name) for name in COLUMNS} for guest in new.values()])
    session.flush()
    write_values(session, given, new)
    write_memberships(session, before, after)
    if any(not isinstance(entry.party, Unset) for _, entry in entries):
        labels.drop_unused_parties(session, event_id)


def _with_new_marks(session: Session, event_id: UUID, entries: Written) -> Written:
    """Return the entries with names that follow a new household: “James Smith (Lopez)” moves to García."""
    moved = [
        (guest, entry)
        for guest, entry in entries
        if isinstance(guest, Guest) and guest.party_id and isinstance(entry.party, str) and entry.name == guest.name
    ]
    if not any(mark_of(guest.name, guest.public_name) for guest, _ in moved):
        return entries
    households = queries.party_names(session, event_id)
    taken = {guest.name_key for guest in queries.guests_of(session, event_id)}
    names: dict[UUID, str] = {}
    for guest, entry in moved:
        before = households.get(guest.party_id) if guest.party_id else None
        name = with_new_mark(guest.name, guest.public_name, before, str(entry.party), taken)
        names[guest.id] = name
        taken.add(name_key(name))
    return [(guest, replace(entry, name=names.get(guest.id, entry.name))) for guest, entry in entries]


def _moves(entries: Written) -> list[tuple[UUID, UUID, str]]:
    return [
        (guest.id, guest.party_id, entry.party)
        for guest, entry in entries
        if isinstance(guest, Guest) and guest.party_id and isinstance(entry.party, str)
    ]


def first_in_group(entries: Sequence[GuestEntry], name: str) -> int:
    """Return the place of the first entry that names this group."""
    key = name_key(name)
    named = ([] if isinstance(entry.groups, Unset) else entry.groups for entry in entries)
    return next((place for place, names in enumerate(named) if any(name_key(group) == key for group in names)), 0)


def _write_entry(guest: Guest | NewGuest, entry: GuestEntry, parties: dict[str, UUID]) -> None:
    # Written only where it differs: of 10,000 guests sent again, most are as they were.
    names = Names(guest.name, guest.first_name, guest.last_name)
    for name in PLAIN_FIELDS:
        value = getattr(entry, name)
        if value is not UNSET and getattr(guest, name) != value:
            setattr(guest, name, value)
    if guest.name != entry.name:
        parts = parts_following(names, Names(entry.name, guest.first_name, guest.last_name))
        if parts != (guest.first_name, guest.last_name):
            guest.first_name, guest.last_name = parts
        guest.name, guest.name_key = entry.name, name_key(entry.name)
    if entry.age_group is UNSET and entry.child is not UNSET and (guest.age_group in CHILDREN) != entry.child:
        guest.age_group = "child" if entry.child else "adult"
    if not isinstance(entry.party, Unset):
        party_id = parties[name_key(entry.party)] if entry.party else None
        if guest.party_id != party_id:
            guest.party_id = party_id


def _memberships(session: Session, event_id: UUID, guest_ids: set[UUID]) -> set[tuple[UUID, UUID]]:
    if not guest_ids:
        return set()
    return {pair for pair in group_queries.memberships(session, event_id) if pair[1] in guest_ids}


def count_up(guests: Iterable[Guest | NewGuest]) -> None:
    """Count the versions of stored guests up whose groups change, or the name of whose party does."""
    for guest in guests:
        if isinstance(guest, Guest):
            flag_modified(guest, "name")  # party and groups are part of what a version stands for


def write_memberships(session: Session, before: set[tuple[UUID, UUID]], after: set[tuple[UUID, UUID]]) -> None:
    """Turn the pairs (group, guest) `before` into those `after`, and count the groups' versions up."""
    gone, new = (sorted(pairs, key=_in_order) for pairs in (before - after, after - before))
    for start in range(0, len(gone), CHUNK):
        pair = tuple_(GroupGuest.group_id, GroupGuest.guest_id)
        session.execute(delete(GroupGuest).where(pair.in_(gone[start : start + CHUNK])))
    if new:
        session.execute(insert(GroupGuest), [{"group_id": group, "guest_id": guest} for group, guest in new])
    touched = {group for group, _ in before ^ after}
    if touched:
        session.execute(update(Group).where(Group.id.in_(touched)).values(version=Group.version + 1))


def _in_order(pair: tuple[UUID, UUID]) -> tuple[int, int]:
    return pair[0].int, pair[1].int
