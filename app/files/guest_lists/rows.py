"""Rows of a guest list as guests: what stands in each column, and what cannot be understood."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.files.guest_lists.columns import LAST_FIRST, Columns
from app.files.guest_lists.vocabulary import plain, read_child, read_number_of_children, read_reply, unknown_word
from app.files.sheet_limits import SheetRow

MOST_PLUS_ONES = 20
PLUS_ONE = re.compile(r"\s*(?:\(?\+\s*([0-9]{1,4})\)?|\(?(?:plus|and|&|\+)\s+(?:one|guest)\)?)\s*$", re.IGNORECASE)
NUMBER = re.compile(r"\+?\s*([0-9]{1,4})")
BETWEEN_GROUPS, BETWEEN_OWN_GROUPS = re.compile("[,;|]"), re.compile(",")
NOBODY_BROUGHT = ("no plus-one added",) * 2
ONE = ("+1", "+ 1", "plus one", "guest", "+")


@dataclass(frozen=True)
class RowNote:
    """A cell that is odd, and what is done about it: for a guest who is new, and for one who is stored."""

    odd: str
    if_new: str
    if_stored: str


@dataclass(frozen=True)
class GuestRow:
    """A guest as described by a row; None where the row says nothing."""

    number: int
    name: str
    party: str | None = None
    groups: tuple[str, ...] | None = None
    reply: str | None = None
    child: bool | None = None
    diet: str | None = None
    note: str | None = None
    high_chair: bool | None = None
    public_name: str | None = None
    errors: tuple[str, ...] = ()
    notes: tuple[RowNote, ...] = ()


def read_guests(rows: Sequence[SheetRow], columns: Columns) -> list[GuestRow]:
    """Return the guests of a sheet, those whom others bring included."""
    found: list[GuestRow] = []
    for row in rows[1:] if columns.has_heading else rows:
        found += _guests_of(row, columns)
    return found


def _guests_of(row: SheetRow, columns: Columns) -> Iterator[GuestRow]:
    cells: dict[str, list[str]] = {}
    for field, cell in zip(columns.fields, row.cells, strict=False):
        if field and (text := cell.strip()):
            cells.setdefault(field, []).append(text)
    one = {field: texts[0] for field, texts in cells.items()}
    errors: list[str] = []
    notes: list[RowNote] = []
    name, brought = (_name(one), []) if columns.is_own else _without_plus_one(_name(one), one, errors)
    if "plus_one" in one:
        brought += _brought(one["plus_one"], name, errors, notes)
    guest = GuestRow(
        number=row.number,
        name=name,
        party=one.get("party") or (name if brought else None),
        groups=_groups(cells["groups"], BETWEEN_OWN_GROUPS if columns.is_own else BETWEEN_GROUPS)
        if "groups" in cells
        else None,
        reply=_reply(one.get("reply"), notes),
        child=_child(one.get("child"), notes),
        diet=one.get("diet"),
        note=one.get("note"),
        high_chair=_high_chair(one.get("high_chair"), notes),
        public_name=one.get("public_name"),
        errors=tuple(errors),
        notes=tuple(notes),
    )
    yield guest
    for other in brought:
        yield GuestRow(row.number, other, guest.party, guest.groups, guest.reply)


def _name(one: dict[str, str]) -> str:
    if "first_name" in one or "last_name" in one:
        return " ".join(filter(None, [one.get("first_name"), one.get("last_name")]))
    if LAST_FIRST in one:
        last, _, first = one[LAST_FIRST].partition(",")
        return f"{first.strip()} {last.strip()}".strip()
    return one.get("name", "")


def _without_plus_one(name: str, one: dict[str, str], errors: list[str]) -> tuple[str, list[str]]:
    """Take “+1” off the end of a name; whoever is brought is called after who brings them."""
    found = PLUS_ONE.search(name)
    if not found or not name[: found.start()].strip() or "plus_one" in one:
        return name, []
    kept = name[: found.start()].strip()
    return kept, _so_many(kept, int(found[1] or 1), errors)


def _brought(text: str, name: str, errors: list[str], notes: list[RowNote]) -> list[str]:
    if found := NUMBER.fullmatch(text):
        return _so_many(name, int(found[1]), errors)
    if plain(text) in ONE or read_reply(text) == "yes":
        return _so_many(name, 1, errors)
    if read_reply(text):
        return []
    if not any(character.isalpha() for character in text):
        notes.append(RowNote(f"“{text[:20]}” is not a number or a name", *NOBODY_BROUGHT))
        return []
    return [text]


def _so_many(name: str, number: int, errors: list[str]) -> list[str]:
    if number > MOST_PLUS_ONES:
        errors.append(f"“{number:,}” plus-ones; maximum {MOST_PLUS_ONES}")
    return _guests_called_after(name, min(number, MOST_PLUS_ONES))


def _guests_called_after(name: str, number: int) -> list[str]:
    return [f"Guest of {name}" + (f" ({n})" if n > 1 else "") for n in range(1, number + 1)]


def _groups(cells: Sequence[str], between: re.Pattern[str]) -> tuple[str, ...]:
    names = (name.strip() for cell in cells for name in between.split(cell))
    return tuple(dict.fromkeys(name for name in names if name))


def _reply(text: str | None, notes: list[RowNote]) -> str | None:
    reply = read_reply(text) if text else None
    if text and reply is None:
        notes.append(RowNote(unknown_word("reply", text), "imported as no reply yet", "existing reply kept"))
    return reply


def _child(text: str | None, notes: list[RowNote]) -> bool | None:
    known = read_child(text) if text else None
    if not text or known is not None:
        return known
    child = read_number_of_children(text)
    done = ("imported as a child",) * 2 if child else ("imported as an adult", "existing value kept")
    notes.append(RowNote(unknown_word("child", text), *done))
    return child


def _high_chair(text: str | None, notes: list[RowNote]) -> bool | None:
    known = read_child(text) if text else None
    if text and known is None:
        notes.append(RowNote(unknown_word("high chair", text), "imported without one", "existing value kept"))
    return known
