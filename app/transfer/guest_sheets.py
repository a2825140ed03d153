"""Guests, and the event's fields for them, as sheets of a workbook and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TypeVar

from app.events.context import EventContext
from app.files.guest_lists.own_format import COLUMNS, HEADINGS
from app.files.guest_lists.vocabulary import not_understood, read_child, read_reply
from app.files.sheet_limits import SheetRow
from app.files.workbook import Sheet, Value
from app.guests.edit import export_guests
from app.guests.entries import AGE_WORDS, GuestEntry
from app.guests.field_checks import OptionEntry
from app.guests.known_fields import KnownFields
from app.transfer.imported_fields import MovedField, moved_fields
from app.transfer.workbook_reader import Book, Reader, cell
from app.web.names import name_key

T = TypeVar("T")
FIELD_HEADINGS = ("Kind", "Name", "Option", "Colour", "Mark")
BALANCED = len(FIELD_HEADINGS)
"""A column of older files: whether the field is spread over the tables, which is a rule now."""
PLACES = {field: place for place, field in enumerate(COLUMNS)}


def guests_sheet(ctx: EventContext) -> Sheet:
    """Return the guests with everything that is entered about them; their meals and own fields have a column each."""
    known = KnownFields.of(ctx.session, ctx.event_id)
    named = [field.name for field in (*known.courses, *known.own)]
    return Sheet("Guests", (*HEADINGS, *named), [guest.cells for guest in export_guests(ctx)])


def fields_sheet(ctx: EventContext) -> Sheet:
    """Return the event's sides, menu and own fields, a row for each option."""
    rows: list[Sequence[Value]] = []
    for field in moved_fields(ctx.session, ctx.event_id):
        about = (field.kind, field.name)
        for option in field.options or (OptionEntry(""),):
            rows.append((*about, option.name, option.colour or "", option.mark or ""))
    return Sheet("Fields", FIELD_HEADINGS, rows)


def read_fields(reader: Reader) -> list[MovedField]:
    """Return the fields of a workbook; rows of one field stand below each other."""
    rows = reader.rows("Fields", lambda row: tuple(cell(row, column) for column in range(BALANCED + 1)))
    return [
        MovedField(kind, name, list(_options(list(options))), is_balanced)
        for (kind, name, is_balanced), options in groupby(
            rows, key=lambda row: (row[0], row[1], row[BALANCED] == "yes")
        )
    ]


def _options(rows: Sequence[tuple[str, ...]]) -> Iterator[OptionEntry]:
    for _, _, name, colour, mark, _ in rows:
        if name:
            yield OptionEntry(name, colour=colour or None, mark=mark)


def guest_reader(book: Book, fields: Sequence[MovedField]) -> Callable[[SheetRow], GuestEntry]:
    """Return what makes a guest of a row; columns of fields are known by their headings."""
    headings = book["Guests"][0].cells if book.get("Guests") else ()
    place_of = {name_key(heading): place for place, heading in enumerate(headings) if place >= len(HEADINGS)}
    courses, own = (
        {field.name: place_of[name_key(field.name)] for field in fields if _is(field, kinds, place_of)}
        for kinds in (("course",), ("choice", "text"))
    )

    def read(row: SheetRow) -> GuestEntry:
        texts = {field: cell(row, place) for field, place in PLACES.items()}
        return GuestEntry(
            name=texts["name"],
            title=texts["title"],
            first_name=texts["first_name"],
            last_name=texts["last_name"],
            email=texts["email"],
            phone=texts["phone"],
            note=texts["note"],
            diet=texts["diet"],
            other_allergies=texts["other_allergies"],
            public_name=texts["public_name"],
            party=texts["party"] or None,
            groups=_listed(texts["groups"]),
            reply=_understood(texts["reply"], "reply", read_reply) or "invited",
            age_group=_age_group(texts["age_group"]),
            side=texts["side"],
            allergies=[code.casefold() for code in _listed(texts["allergies"])],
            high_chair=_understood(texts["high_chair"], "high chair", read_child) or False,
            wheelchair=_understood(texts["wheelchair"], "wheelchair", read_child) or False,
            meals={name: cell(row, place) for name, place in courses.items()},
            fields={name: cell(row, place) for name, place in own.items()},
        )

    return read


def _is(field: MovedField, kinds: Sequence[str], places: Mapping[str, int]) -> bool:
    return field.kind in kinds and name_key(field.name) in places


def _age_group(text: str) -> str:
    """Return the age group; files of older versions say “yes” for children."""
    word = text.strip().casefold() or "adult"
    if word in AGE_WORDS:
        return word
    is_child = read_child(word)
    if is_child is None:
        raise ValueError(f"“{text[:30]}” is not an age group; write adult, teenager, child or baby.")
    return "child" if is_child else "adult"


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _understood(text: str, field: str, read: Callable[[str], T | None]) -> T | None:
    value = read(text.strip()) if text.strip() else None
    if text.strip() and value is None:
        raise ValueError(f"{not_understood(field, text.strip())}.")
    return value
