"""What is entered about guests: the check of it, and its writing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from sqlalchemy import delete, insert, tuple_, update
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import flag_modified

from app.db.models import Group, GroupGuest, Guest, Party
from app.db.queries import groups as group_queries
from app.errors import Fault, Invalid
from app.services import labels
from app.services.names import clean_name, clean_note, name_key
from app.services.unset import UNSET, Unset

T = TypeVar("T")
D = TypeVar("D")
MAX_GUESTS = 20_000
CHUNK = 500


@dataclass(frozen=True)
class GuestEntry:
    """A guest as entered; what is left out stays as it is stored."""

    name: str
    id: UUID | None = None
    note: str | Unset = UNSET
    party: str | Unset | None = UNSET
    groups: Sequence[str] | Unset = UNSET


def check_entry(entry: GuestEntry, where: str = "") -> GuestEntry:
    """Return the entry with its texts tidied, or raise every fault in it, each below the path `where`."""
    faults: list[Fault] = []
    checked = GuestEntry(
        name=_taken(faults, lambda: clean_name(entry.name, f"{where}name"), ""),
        id=entry.id,
        note=_taken(faults, lambda: _checked_note(entry.note, where), UNSET),
        party=_taken(faults, lambda: _checked_party(entry.party, where), UNSET),
        groups=_taken(faults, lambda: _checked_groups(entry.groups, where), UNSET),
    )
    if faults:
        raise Invalid(faults)
    return checked


def write_entries(session: Session, event_id: UUID, entries: Sequence[tuple[Guest, GuestEntry]]) -> None:
    """Write checked entries to their guests, new or stored."""
    named = [entry.party for _, entry in entries if isinstance(entry.party, str)]
    parties = labels.ensure(session, Party, event_id, named)
    changes_party = any(not isinstance(entry.party, Unset) for _, entry in entries)
    for guest, entry in entries:
        _write_entry(guest, entry, parties)
    session.add_all([guest for guest, _ in entries])
    session.flush()
    _write_groups(session, event_id, [(g, e.groups) for g, e in entries if not isinstance(e.groups, Unset)])
    if changes_party:
        labels.drop_unused_parties(session, event_id)


def _taken(faults: list[Fault], check: Callable[[], T], otherwise: D) -> T | D:
    try:
        return check()
    except Invalid as error:
        faults.extend(error.faults)
        return otherwise


def _checked_note(note: str | Unset, where: str) -> str | Unset:
    return note if isinstance(note, Unset) else clean_note(note, f"{where}note")


def _checked_party(party: str | Unset | None, where: str) -> str | Unset | None:
    if isinstance(party, Unset) or not (party or "").strip():
        return party or None
    return clean_name(party or "", f"{where}party", "The name of the party")


def _checked_groups(groups: Sequence[str] | Unset, where: str) -> Sequence[str] | Unset:
    if isinstance(groups, Unset):
        return groups
    return tuple(clean_group_name(name, f"{where}groups/{number}") for number, name in enumerate(groups))


def clean_group_name(text: str, where: str = "name") -> str:
    """Return a group's name tidied; a comma would split it where groups are written in one line."""
    name = clean_name(text, where, "The name of the group")
    if "," in name:
        raise Invalid(Fault(where, f"The name of the group “{name}” has a comma; commas stand between groups."))
    return name


def _write_entry(guest: Guest, entry: GuestEntry, parties: dict[str, UUID]) -> None:
    guest.name, guest.name_key = entry.name, name_key(entry.name)
    if not isinstance(entry.note, Unset):
        guest.note = entry.note
    if not isinstance(entry.party, Unset):
        guest.party_id = parties[name_key(entry.party)] if entry.party else None


def _write_groups(session: Session, event_id: UUID, wanted: Sequence[tuple[Guest, Sequence[str]]]) -> None:
    ids = labels.ensure(session, Group, event_id, (name for _, names in wanted for name in names))
    concerned = {guest.id for guest, _ in wanted}
    before = {pair for pair in group_queries.memberships(session, event_id) if pair[1] in concerned}
    after = {(ids[name_key(name)], guest.id) for guest, names in wanted for name in names}
    write_memberships(session, before, after)
    changed = {guest_id for _, guest_id in before ^ after}
    for guest, _ in wanted:
        if guest.id in changed:
            flag_modified(guest, "name")  # the groups are part of what a guest's version stands for
    session.flush()


def write_memberships(session: Session, before: set[tuple[UUID, UUID]], after: set[tuple[UUID, UUID]]) -> None:
    """Turn the pairs (group, guest) `before` into those `after`, and count the groups' versions up."""
    gone, new = sorted(before - after), sorted(after - before)
    for start in range(0, len(gone), CHUNK):
        pair = tuple_(GroupGuest.group_id, GroupGuest.guest_id)
        session.execute(delete(GroupGuest).where(pair.in_(gone[start : start + CHUNK])))
    if new:
        session.execute(insert(GroupGuest), [{"group_id": group, "guest_id": guest} for group, guest in new])
    touched = {group for group, _ in before ^ after}
    if touched:
        session.execute(update(Group).where(Group.id.in_(touched)).values(version=Group.version + 1))
