"""What is entered about tables: the check of it, and its writing."""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar
from uuid import UUID

from app.db.models import NAME_LENGTH, Table
from app.errors import FieldError, Invalid
from app.sentences import count
from app.web.names import clean_name, name_key
from app.web.unset import UNSET, Unset

T = TypeVar("T")
MAX_TABLES = 2000
MAX_SEATS = 500
MAX_PLACE = 1_000_000
DEFAULT_MIN_SEATS = 1  # every table is used, and spare seats spread evenly
SHAPES = {"round": "Round", "square": "Square", "long": "Long", "head": "Head table, one side", "oval": "Oval"}
"""The shapes of tables, and what pages call them."""


@dataclass(frozen=True)
class TableEntry:
    """A table as entered; what is left out stays as it is stored, or gets its default."""

    name: str = ""
    id: UUID | None = None
    seats: int | Unset = UNSET
    min_seats: int | Unset = UNSET
    shape: str | Unset = UNSET
    x: float | Unset | None = UNSET
    y: float | Unset | None = UNSET
    rotation: float | Unset = UNSET
    end_seats: bool | Unset = UNSET
    reserved_for: UUID | Unset | None = UNSET
    """The group whose members alone sit there."""


def check_entry(
    entry: TableEntry, where: str = "", stored: Table | None = None, groups: Container[UUID] = ()
) -> TableEntry:
    """Return the entry with its name tidied, or raise every fault in it, each below the path `where`.

    `stored` is the table that it changes; `groups` are those of the event.
    """
    faults = [*_faults_of_seats(entry, where, stored), *_faults_of_place(entry, where)]
    if isinstance(entry.reserved_for, UUID) and entry.reserved_for not in groups:
        faults.append(FieldError(f"{where}reserved_for", "Group not found in this event."))
    if entry.shape not in (*SHAPES, UNSET):
        faults.append(FieldError(f"{where}shape", "The shape must be round, square, long, head or oval."))
    name = entry.name
    try:
        name = clean_name(entry.name, f"{where}name", "The table name")
    except Invalid as error:
        faults = [*error.faults, *faults]
    if faults:
        raise Invalid(faults)
    return replace(entry, name=name)


def _faults_of_seats(entry: TableEntry, where: str, stored: Table | None) -> Iterator[FieldError]:
    seats = _given(entry.seats, stored.seats if stored else 1)
    least = _given(entry.min_seats, stored.min_seats if stored else DEFAULT_MIN_SEATS)
    if not isinstance(entry.seats, Unset) and seats < 1:
        yield FieldError(f"{where}seats", "A table needs at least 1 seat.")
    if not isinstance(entry.seats, Unset) and seats > MAX_SEATS:
        yield FieldError(f"{where}seats", f"Maximum {MAX_SEATS} seats per table; this one has {seats:,}.")
    if least < 0:
        yield FieldError(f"{where}min_seats", "The fewest guests must be 0 or more.")
    elif least > seats >= 1:
        message = f"The fewest guests ({least:,}) cannot be more than the {count(seats, 'seat')}."
        yield FieldError(f"{where}min_seats", message)


def _faults_of_place(entry: TableEntry, where: str) -> Iterator[FieldError]:
    for axis, value in (("x", entry.x), ("y", entry.y)):
        if isinstance(value, float | int) and not abs(value) <= MAX_PLACE:
            yield FieldError(f"{where}{axis}", f"The position must be between −{MAX_PLACE:,} and {MAX_PLACE:,}.")
    if isinstance(entry.rotation, float | int) and not abs(entry.rotation) <= MAX_PLACE:
        yield FieldError(f"{where}rotation", "The rotation must be a number of degrees, such as 90.")


def write_entry(table: Table, entry: TableEntry) -> None:
    """Write a checked entry to its table, new or stored."""
    table.name, table.name_key = entry.name, name_key(entry.name)
    table.seats, table.min_seats = _given(entry.seats, table.seats), _given(entry.min_seats, table.min_seats)
    table.shape = _given(entry.shape, table.shape)
    table.x, table.y = _given(entry.x, table.x), _given(entry.y, table.y)
    table.rotation = full_turn(_given(entry.rotation, table.rotation))
    table.end_seats = _given(entry.end_seats, table.end_seats)
    table.reserved_for = _given(entry.reserved_for, table.reserved_for)


def full_turn(degrees: float) -> float:
    """Return the rotation from 0 to less than 360 degrees, with two decimals."""
    return round(degrees % 360, 2) % 360


def _given(value: T | Unset, otherwise: T) -> T:
    return otherwise if isinstance(value, Unset) else value


def new_table(event_id: UUID, position: int) -> Table:
    """Return a table that has the defaults and waits for its entry."""
    return Table(
        event_id=event_id,
        position=position,
        shape="round",
        seats=1,
        min_seats=DEFAULT_MIN_SEATS,
        rotation=0.0,
        end_seats=False,
    )


def with_names(entries: Sequence[TableEntry], stored: Iterable[Table]) -> list[TableEntry]:
    """Return the entries with a name for each: the stored one for a known id, else “Table 3” at the third place."""
    by_id = {table.id: table.name for table in stored}
    named = [replace(e, name=by_id[e.id]) if not e.name and e.id in by_id else e for e in entries]
    taken = {name_key(entry.name) for entry in named}
    return [
        entry if entry.name else replace(entry, name=free_name(taken, start=number))
        for number, entry in enumerate(named, start=1)
    ]


def free_name(taken: set[str], start: int) -> str:
    """Return the first of “Table 1”, “Table 2”, … from `start` on whose key is not taken, and take it."""
    number = start
    while name_key(f"Table {number}") in taken:
        number += 1
    taken.add(name_key(f"Table {number}"))
    return f"Table {number}"


def copy_name(name: str, taken: Container[str]) -> str:
    """Return the first free name for a copy: “Birch 2” for “Birch”, “Table 8” for “Table 7”."""
    stem, _, last = name.rpartition(" ")
    stem, number = (stem, int(last)) if stem and last.isdecimal() and len(last) < 6 else (name, 1)
    stem = stem[: NAME_LENGTH - 8]
    return next(one for n in itertools.count(number + 1) if name_key(one := f"{stem} {n}") not in taken)
