"""What is entered about guests: the check of it, and its writing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args
from uuid import UUID

from sqlalchemy import delete, insert, tuple_, update
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import flag_modified

from app.db.models import Group, GroupGuest, Guest, Party
from app.db.types import new_id
from app.errors import FieldError, Invalid, collected
from app.guests import party_and_group_names as labels
from app.guests.queries import groups as group_queries
from app.web.names import clean_name, clean_note, name_key
from app.web.unset import UNSET, Unset

MAX_GUESTS = 20_000
Reply = Literal["invited", "yes", "maybe", "no"]
REPLY_WORDS: dict[str, str] = {"yes": "attending", "maybe": "maybe", "invited": "no reply yet", "no": "not attending"}
CHUNK = 500
PLAIN_FIELDS = ("note", "reply", "child", "diet", "high_chair", "public_name")


@dataclass(frozen=True)
class GuestEntry:
    """A guest as entered; what is left out stays as it is stored."""

    name: str
    id: UUID | None = None
    note: str | Unset = UNSET
    party: str | Unset | None = UNSET
    groups: Sequence[str] | Unset = UNSET
    reply: str | Unset = UNSET
    child: bool | Unset = UNSET
    diet: str | Unset = UNSET
    high_chair: bool | Unset = UNSET
    public_name: str | Unset = UNSET


def check_entry(entry: GuestEntry, where: str = "") -> GuestEntry:
    """Return the entry with its texts tidied, or raise every fault in it, each below the path `where`."""
    faults: list[FieldError] = []

    def checked(field: str, clean: Callable[[Any, str], Any]) -> Any:
        value = getattr(entry, field)
        return value if value is UNSET else collected(faults, lambda: clean(value, f"{where}{field}"), UNSET)

    found = replace(
        entry,
        name=checked("name", clean_name),
        note=checked("note", clean_note),
        party=checked("party", _clean_party),
        groups=checked("groups", _clean_groups),
        reply=checked("reply", clean_reply),
        diet=checked("diet", _clean_diet),
        public_name=checked("public_name", _clean_public_name),
    )
    if faults:
        raise Invalid(faults)
    return found


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
    child: bool = False
    diet: str = ""
    high_chair: bool = False
    public_name: str = ""
    party_id: UUID | None = None
    version: int = 1


COLUMNS = tuple(column.name for column in fields(NewGuest))
Written = Sequence[tuple[Guest | NewGuest, GuestEntry]]


def write_entries(session: Session, event_id: UUID, entries: Written) -> None:
    """Write checked entries to their guests, new or stored."""
    renamed = labels.rename_parties(session, event_id, _moves(entries))
    parties = labels.ensure(session, Party, event_id, (e.party for _, e in entries if isinstance(e.party, str)))
    grouped = [(guest, entry.groups) for guest, entry in entries if not isinstance(entry.groups, Unset)]
    groups = labels.ensure(session, Group, event_id, (name for _, names in grouped for name in names))
    before = _memberships(session, event_id, {guest.id for guest, _ in grouped if isinstance(guest, Guest)})
    after = {(groups[name_key(name)], guest.id) for guest, names in grouped for name in names}
    for guest, entry in entries:
        _write_entry(guest, entry, parties)
    changed = {guest_id for _, guest_id in before ^ after}
    count_up(guest for guest, _ in entries if guest.id in changed or guest.party_id in renamed)
    new = {guest.id: guest for guest, _ in entries if isinstance(guest, NewGuest)}.values()
    if new:
        session.execute(insert(Guest), [{name: getattr(guest, name) for name in COLUMNS} for guest in new])
    session.flush()
    write_memberships(session, before, after)
    if any(not isinstance(entry.party, Unset) for _, entry in entries):
        labels.drop_unused_parties(session, event_id)


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


def _clean_party(party: str | None, where: str) -> str | None:
    return clean_name(party, where, "The household name") if party and party.strip() else None


def _clean_groups(groups: Sequence[str], where: str) -> tuple[str, ...]:
    return tuple(clean_group_name(name, f"{where}/{number}") for number, name in enumerate(groups))


def clean_reply(reply: str, where: str = "reply") -> str:
    """Return the reply, or say which ones there are."""
    if reply not in get_args(Reply):
        raise Invalid(FieldError(where, "The reply must be invited (no reply yet), yes, maybe or no."))
    return reply


def _clean_diet(diet: str, where: str) -> str:
    return clean_name(diet, where, "The diet") if diet.strip() else ""


def _clean_public_name(name: str, where: str) -> str:
    return clean_name(name, where, "The name shown to guests") if name.strip() else ""


def clean_group_name(text: str, where: str = "name") -> str:
    """Return a group's name tidied; a comma would split it where groups are written in one line."""
    name = clean_name(text, where, "The group name")
    if "," in name:
        raise Invalid(FieldError(where, f"The group name “{name}” contains a comma. Commas separate groups."))
    return name


def _write_entry(guest: Guest | NewGuest, entry: GuestEntry, parties: dict[str, UUID]) -> None:
    # Written only where it differs: of 10,000 guests sent again, most are as they were.
    if guest.name != entry.name:
        guest.name, guest.name_key = entry.name, name_key(entry.name)
    for name in PLAIN_FIELDS:
        value = getattr(entry, name)
        if value is not UNSET and getattr(guest, name) != value:
            setattr(guest, name, value)
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
