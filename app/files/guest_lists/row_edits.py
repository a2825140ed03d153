"""Rows that the planner changed in the preview: other names, another household, other groups."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.files.guest_lists.guest_row import GuestRow, RowRead
from app.files.guest_lists.name_marks import BRACKETS
from app.files.guest_lists.vocabulary import AGE_GROUP_OF, CHILDREN, plain


@dataclass(frozen=True)
class RowEdit:
    """What was entered for a row; None where it stays as it was read. There is one name on each line."""

    names: tuple[str, ...] | None = None
    party: str | None = None
    groups: tuple[str, ...] | None = None
    reply: str | None = None
    diet: str | None = None


def names_in(row: RowRead) -> tuple[str, ...]:
    """Return the names of a row as they can be edited, children with a mark: “Mia Lee (child)”."""
    return tuple(_line(guest) for guest in row.guests if guest.name)


def apply_edit(row: RowRead, edit: RowEdit) -> RowRead:
    """Return the row as it was changed."""
    guests = list(row.guests) or [GuestRow(row.number, "")]
    if edit.names is not None:
        guests = [replace(_named(line, guests, place), notes=()) for place, line in enumerate(edit.names)]
    if edit.party is not None:
        guests = [replace(guest, party=edit.party or None, made_party=False) for guest in guests]
    if edit.groups is not None:
        guests = [replace(guest, groups=edit.groups) for guest in guests]
    if edit.reply is not None:
        guests = [replace(guest, reply=edit.reply) for guest in guests]
    if edit.diet is not None:
        guests = [replace(guest, diet=edit.diet) for guest in guests[:1]] + guests[1:]
    return replace(row, guests=tuple(guests), open_seats=row.open_seats if edit.names is None else None)


def _line(guest: GuestRow) -> str:
    group = guest.age_group if guest.age_group != "adult" else None
    mark = group or ("child" if guest.child else "")
    return f"{guest.name} ({mark})" if mark else guest.name


def _named(line: str, guests: list[GuestRow], place: int) -> GuestRow:
    """Return the guest of a line: who was at its place, or one more like the last."""
    before = guests[min(place, len(guests) - 1)]
    if place < len(guests) and line == _line(before):
        return before
    found = BRACKETS.search(line)
    group = AGE_GROUP_OF.get(plain(found[1])) if found else None
    name = line[: found.start()].strip() if found and group else line
    is_new = place >= len(guests)
    kept = GuestRow(before.number, "", party=before.party, made_party=before.made_party) if is_new else before
    if name != before.name:  # somebody else: what was said of them stays, but not the parts of the name
        kept = replace(kept, title=None, first_name=None, last_name=None)
    return replace(
        kept,
        name=name,
        groups=before.groups,
        side=before.side,
        reply=before.reply,
        age_group=group,
        child=group in CHILDREN if group else (False if kept.child else None),
        errors=(),
        is_seat=False,
    )
