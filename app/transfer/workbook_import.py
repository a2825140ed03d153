"""A new event from the sheets of an exported one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from itertools import groupby
from typing import TypeVar
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.clock import now
from app.db import models
from app.errors import FieldError, Invalid
from app.events.context import EventContext, open_event
from app.events.edit import create_event
from app.files.event_file import highest_seat
from app.files.guest_lists.vocabulary import not_understood, read_child, read_reply
from app.files.sheet_limits import SheetRow
from app.guests.entries import GuestEntry
from app.guests.groups import GroupEntry, replace_groups
from app.guests.many import replace_guests
from app.guests.queries.groups import groups_of
from app.questions.answer import NO_RATING
from app.ratings.change import Entry, patch_ratings
from app.ratings.group_defaults import GroupPair, put_group_ratings
from app.ratings.matrix import put_matrix
from app.rules.edit import RuleEntry, replace_rules
from app.tables.edit import replace_tables
from app.tables.entries import TableEntry
from app.tables.room_items import RoomItem
from app.tables.rooms import RoomEntry, change_room
from app.transfer.imported_pairs import add_asked, add_wishes
from app.transfer.imported_plans import ImportedPlan, ImportedSeat, add_plans
from app.web.bulk import MAX_FAULTS
from app.web.names import name_key

T = TypeVar("T")
SEATING = "Seating by guest"
PATH = re.compile(r"\b(?:groups|guests|tables|items|ratings|rules)/(\d+)")


Book = Mapping[str, Sequence[SheetRow]]


class _Reader:
    """Reads the rows of a book and gathers what is wrong, with sheet and row."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.faults: list[FieldError] = []
        self.numbers: dict[str, list[int]] = {}

    def rows(self, title: str, read: Callable[[SheetRow], T]) -> list[T]:
        """Return what `read` makes of each row; a ValueError of it is a fault."""
        found = []
        numbers = self.numbers[title] = list[int]()
        for row in self.book.get(title, ())[1:]:  # the first has the headings
            try:
                found.append(read(row))
                numbers.append(row.number)
            except ValueError as error:
                self.refuse(f"Sheet “{title}”, row {row.number:,}: {error}")
        return found

    def refuse(self, text: str) -> None:
        self.faults.append(FieldError("file", text))

    @contextmanager
    def placed(self, title: str, numbers: Sequence[int] | None = None) -> Iterator[None]:
        """Report errors with their sheet and row; `numbers` has the rows where entries begin."""
        known = self.numbers.get(title, []) if numbers is None else numbers

        def row_of(path: re.Match[str]) -> str:
            return f"row {known[int(path[1])]:,}" if int(path[1]) < len(known) else path[0]

        try:
            yield
        except Invalid as error:
            for fault in error.faults:
                path = PATH.match(fault.where)
                place = f"Sheet “{title}”, {row_of(path)}" if path else f"Sheet “{title}”"
                self.refuse(f"{place}: {PATH.sub(row_of, fault.message)}")
            self.check()

    def check(self) -> None:
        if self.faults:
            raise Invalid(self.faults[:MAX_FAULTS])


def import_event(session: Session, actor: Actor, book: Book) -> models.Event:
    """Make a new event of the sheets, or say everything that is wrong with them and make none."""
    if "Guests" not in book and "Event" not in book:
        raise Invalid(
            FieldError("file", "This workbook is not an exported event: it has no “Event” or “Guests” sheet.")
        )
    reader = _Reader(book)
    facts = dict(reader.rows("Event", lambda row: (_cell(row, 0), _cell(row, 1))))
    event = _make(session, actor, facts, reader)
    ctx = open_event(session, actor, event.id)
    groups, entries = reader.rows("Groups", _group), reader.rows("Guests", _guest)
    tabled = reader.rows("Tables", _table)
    reader.check()
    with reader.placed("Groups"):
        replace_groups(ctx, groups)
    with reader.placed("Guests"):
        guests = _named(replace_guests(ctx, entries))
    groups_by_name = _named(groups_of(session, ctx.event_id))
    reserved = reader.rows("Tables", lambda row: _reserved_for(row, groups_by_name))
    reader.check()
    with reader.placed("Tables"):
        entered = [replace(entry, reserved_for=group) for entry, group in zip(tabled, reserved, strict=True)]
        tables = _named(replace_tables(ctx, entered))
    _take_room(ctx, reader)
    _take_ratings(ctx, reader, guests, facts.get("Kind") or "score")
    _take_rules(ctx, reader, guests, tables)
    _take_wishes(ctx, reader, guests)
    _take_asked(ctx, reader, guests)
    seats = _read_seats(reader, guests, tables)
    reader.check()
    session.flush()
    if seats:
        add_plans(ctx, [ImportedPlan(seats, used_at=now())])
    return event


def _make(session: Session, actor: Actor, facts: Mapping[str, str], reader: _Reader) -> models.Event:
    kind = facts.get("Kind") or "score"
    if kind not in ("score", "distance"):
        reader.refuse(f"Sheet “Event”: the kind must be score or distance, not “{kind[:40]}”.")
    name = facts.get("Name") or "Imported event"
    with reader.placed("Event"):
        event = create_event(session, actor, name=name, on=_day(facts, "Date", reader))
    event.seats_undecided = facts.get("Seat the undecided") != "no"
    event.wishes_until = _day(facts, "Wishes until", reader)
    return event


def _day(facts: Mapping[str, str], what: str, reader: _Reader) -> date | None:
    text = facts.get(what, "")
    try:
        return date.fromisoformat(text[:10]) if text else None
    except ValueError:
        reader.refuse(f"Sheet “Event”: “{text[:40]}” is not a date. Use the format 2026-12-05.")
        return None


def _group(row: SheetRow) -> GroupEntry:
    return GroupEntry(_cell(row, 0), colour=_cell(row, 1) or None)


def _guest(row: SheetRow) -> GuestEntry:
    groups = [group.strip() for group in _cell(row, 2).split(",") if group.strip()]
    return GuestEntry(
        name=_cell(row, 0),
        party=_cell(row, 1) or None,
        groups=groups,
        reply=_understood(row, 3, "reply", read_reply) or "invited",
        child=_understood(row, 4, "child", read_child) or False,
        diet=_cell(row, 5),
        note=_cell(row, 6),
        high_chair=_understood(row, 7, "high chair", read_child) or False,
        public_name=_cell(row, 8),
    )


def _understood(row: SheetRow, column: int, field: str, read: Callable[[str], T | None]) -> T | None:
    text = _cell(row, column).strip()
    value = read(text) if text else None
    if text and value is None:
        raise ValueError(f"{not_understood(field, text)}.")
    return value


def _table(row: SheetRow) -> TableEntry:
    x, y, rotation = (_number(_cell(row, column)) if _cell(row, column) else None for column in (4, 5, 6))
    return TableEntry(
        _cell(row, 0),
        seats=_whole(_cell(row, 2)),
        min_seats=_whole(_cell(row, 3)),
        shape=_cell(row, 1) or "round",
        x=x,
        y=y,
        rotation=rotation or 0.0,
        end_seats=_cell(row, 7) == "yes",
    )


def _reserved_for(row: SheetRow, groups: Mapping[str, UUID]) -> UUID | None:
    return _find(_cell(row, 8), groups, "group") if _cell(row, 8) else None


def _take_room(ctx: EventContext, reader: _Reader) -> None:
    def read(row: SheetRow) -> tuple[int, RoomItem]:
        x, y, width, height, rotation = (_number(_cell(row, column) or "0") for column in range(2, 7))
        return row.number, RoomItem(_cell(row, 0), x, y, width, height, rotation, _cell(row, 1))

    rows = reader.rows("Room", read)
    reader.check()
    items = [(number, item) for number, item in rows if item.kind != "room"]
    entry = RoomEntry(items=[item for _, item in items])
    for _, item in rows:
        if item.kind == "room":
            entry = replace(entry, width=item.width or None, height=item.height or None)
    if rows:
        with reader.placed("Room", [number for number, _ in items]):
            change_room(ctx, entry)


def _take_ratings(ctx: EventContext, reader: _Reader, guests: Mapping[str, UUID], kind: str) -> None:
    groups = _named(groups_of(ctx.session, ctx.event_id))
    cells = reader.rows("Group ratings", lambda row: GroupPair(*_pair(row, groups, "group"), _number(_cell(row, 2))))
    matrix = reader.rows("Matrix", lambda row: (_find(_cell(row, 0), guests, "guest"), row))
    ratings = reader.rows("Ratings", lambda row: Entry(*_pair(row, guests, "guest"), _number(_cell(row, 2))))
    reader.check()
    if cells:
        with reader.placed("Group ratings"):
            put_group_ratings(ctx, cells)
    ctx.event.kind = kind  # only now: ratings of groups are kept in an event of distances, but it takes no new ones
    ctx.session.flush()
    if matrix:
        ids = [guest for guest, _ in matrix]
        values = reader.rows("Matrix", lambda row: _line(row, len(ids)))
        reader.check()
        with reader.placed("Matrix"):
            put_matrix(ctx, None, ids, np.array(values, dtype=np.float64))
    with reader.placed("Ratings"):
        patch_ratings(ctx, ratings)


def _line(row: SheetRow, width: int) -> list[float | None]:
    return [_number(_cell(row, column)) if _cell(row, column) else None for column in range(1, width + 1)]


def _take_rules(ctx: EventContext, reader: _Reader, guests: Mapping[str, UUID], tables: Mapping[str, UUID]) -> None:
    def read(row: SheetRow) -> tuple[str, str, UUID | None, UUID | None, int]:
        is_table = _cell(row, 2) == "table"
        guest = None if is_table else _find(_cell(row, 3), guests, "guest")
        table = _find(_cell(row, 3), tables, "table") if is_table else None
        return _cell(row, 0), _cell(row, 1), guest, table, row.number

    entries, numbers = [], []
    for (_, kind), members in groupby(reader.rows("Rules", read), key=lambda row: row[:2]):
        named = list(members)
        numbers.append(named[0][-1])
        entries.append(RuleEntry(kind, tuple(g for *_, g, _, _ in named if g), tuple(t for *_, t, _ in named if t)))
    reader.check()
    with reader.placed("Rules", numbers):
        replace_rules(ctx, entries)


def _take_wishes(ctx: EventContext, reader: _Reader, guests: Mapping[str, UUID]) -> None:
    states = dict(reader.rows("Wishes", lambda row: (_pair(row, guests, "guest"), _cell(row, 2))))
    add_wishes(ctx, states)


def _take_asked(ctx: EventContext, reader: _Reader, guests: Mapping[str, UUID]) -> None:
    def read(row: SheetRow) -> tuple[tuple[UUID, UUID], str]:
        pair, answer = _pair(row, guests, "guest"), _cell(row, 2)
        if answer not in NO_RATING.values():
            raise ValueError(f"The answer must be unknown or skipped, not “{answer[:40]}”.")
        return pair, answer

    add_asked(ctx, dict(reader.rows("Asked", read)))


def _read_seats(reader: _Reader, guests: Mapping[str, UUID], tables: Mapping[str, UUID]) -> list[ImportedSeat]:
    """Return who sits where; the sheet by table says the same, and is not read."""
    most = highest_seat(len(reader.book.get(SEATING, ())[1:]))
    rows: dict[UUID, int] = {}
    taken: dict[tuple[UUID, int], int] = {}

    def read(row: SheetRow) -> ImportedSeat:
        guest, table = _find(_cell(row, 0), guests, "guest"), _find(_cell(row, 1), tables, "table")
        seat = _whole(_cell(row, 2))
        if not 1 <= seat <= most:
            raise ValueError(f"A seat is a number from 1 to {most:,}.")
        if rows.setdefault(guest, row.number) != row.number:
            raise ValueError(f"“{_cell(row, 0)[:60]}” already has a seat in row {rows[guest]:,}.")
        if taken.setdefault((table, seat), row.number) != row.number:
            raise ValueError(f"This seat is taken in row {taken[table, seat]:,}.")
        return ImportedSeat(guest, table, seat - 1, _cell(row, 3) == "yes")

    return reader.rows(SEATING, read)


def _named(things: Sequence[models.Guest] | Sequence[models.Table] | Sequence[models.Group]) -> dict[str, UUID]:
    return {name_key(thing.name): thing.id for thing in things}


def _cell(row: SheetRow, column: int) -> str:
    return row.cells[column] if column < len(row.cells) else ""


def _find(name: str, known: Mapping[str, UUID], what: str) -> UUID:
    found = known.get(name_key(name))
    if found is None:
        raise ValueError(f"“{name[:60]}” is not a {what} in this workbook.")
    return found


def _pair(row: SheetRow, known: Mapping[str, UUID], what: str) -> tuple[UUID, UUID]:
    return _find(_cell(row, 0), known, what), _find(_cell(row, 1), known, what)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"“{text[:40]}” is not a number.") from None


def _whole(text: str) -> int:
    if not (text.strip().isascii() and text.strip().isdigit() and len(text) < 12):
        raise ValueError(f"“{text[:40]}” is not a whole number.")
    return int(text)
