"""The seating of one version as sheets, and back: who sits where, locked tables and seats that are kept empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from app.db import models
from app.events.context import EventContext
from app.files.event_file import highest_seat
from app.files.sheet_limits import SheetRow
from app.files.workbook import Sheet
from app.guests.name_order import sort_key
from app.plans.read import require_plan
from app.plans.rounds import routes_of
from app.problem.queries.seats import seats_of
from app.tables.queries import tables_of
from app.transfer.imported_plans import ImportedPlan, ImportedSeat
from app.transfer.workbook_reader import Reader, cell, find, read_whole

BY_TABLE, BY_GUEST, LOCKS, ROUNDS = "Seating by table", "Seating by guest", "Locks", "Rounds"
What = Literal["table locked", "seat kept empty"]
TABLE_LOCKED: What = "table locked"
KEPT_EMPTY: What = "seat kept empty"


@dataclass(frozen=True)
class _Lock:
    """A locked table, or a seat of it, counted from 0, that is kept empty."""

    table_id: UUID
    seat: int | None


def seating_sheets(ctx: EventContext, plan_id: UUID | None) -> list[Sheet]:
    """Return who sits where, by table for people and by guest for the import; seats are counted from 1."""
    if plan_id is None:
        return []
    plan = require_plan(ctx, plan_id)
    names = {table.id: table.name for table in tables_of(ctx.session, ctx.event_id)}
    places = {table: place for place, table in enumerate(names)}
    seated = [row for row in seats_of(ctx.session, plan.id) if row.table_id in places]
    locks = _locks_of(plan, places)
    if not (seated or locks):
        return []
    by_table = sorted(seated, key=lambda row: (places[row.table_id], row.seat))
    by_guest = sorted(seated, key=lambda row: sort_key(row.name))
    return [
        Sheet(
            BY_TABLE,
            ("Table", "Seat", "Guest"),
            [(names[row.table_id], row.seat + 1, row.name) for row in by_table],
        ),
        Sheet(
            BY_GUEST,
            ("Guest", "Table", "Seat", "Locked"),
            [(row.name, names[row.table_id], row.seat + 1, "yes" if row.locked else "") for row in by_guest],
        ),
        Sheet(LOCKS, ("Table", "Seat", "What"), [_lock_row(names[one.table_id], one) for one in locks]),
        *_rounds_sheet(ctx, plan, [(row.guest_id, row.name) for row in by_guest]),
    ]


def _rounds_sheet(ctx: EventContext, plan: models.Plan, guests: Sequence[tuple[UUID, str]]) -> list[Sheet]:
    """Return where guests sit in each of several rounds, for people: an import reads the plan of one round."""
    routes = {guest: dict(route) for guest, route in routes_of(ctx.session, plan).items()}
    numbers = sorted({number for route in routes.values() for number in route})
    rows = [(name, *(routes.get(key, {}).get(number, "") for number in numbers)) for key, name in guests]
    return [Sheet(ROUNDS, ("Guest", *(f"Round {number}" for number in numbers)), rows)] if numbers else []


def _locks_of(plan: models.Plan, places: Mapping[UUID, int]) -> list[_Lock]:
    """Return what is locked, in the order of the tables; those that were deleted are left out."""
    found = [_Lock(UUID(key), None) for key in plan.locked_tables]
    found += [_Lock(UUID(key), seat) for key, seat in plan.blocked_seats]
    here = [one for one in found if one.table_id in places]
    return sorted(here, key=lambda one: (places[one.table_id], -1 if one.seat is None else one.seat))


def _lock_row(table: str, one: _Lock) -> tuple[str, int | None, What]:
    return (table, None, TABLE_LOCKED) if one.seat is None else (table, one.seat + 1, KEPT_EMPTY)


def read_seating(reader: Reader, guests: Mapping[str, UUID], tables: Mapping[str, UUID]) -> ImportedPlan | None:
    """Return the version that the sheets have, if there is one; the sheet by table is for people and is not read."""
    most = highest_seat(len(reader.book.get(BY_GUEST, ())[1:]))
    seats = _read_seats(reader, guests, tables, most)
    locks = _read_locks(reader, tables, most)
    if not (seats or locks):
        return None
    return ImportedPlan(
        seats,
        locked_tables=[one.table_id for one in locks if one.seat is None],
        empty_seats=[(one.table_id, one.seat) for one in locks if one.seat is not None],
    )


def _read_seats(
    reader: Reader, guests: Mapping[str, UUID], tables: Mapping[str, UUID], most: int
) -> list[ImportedSeat]:
    rows: dict[UUID, int] = {}
    taken: dict[tuple[UUID, int], int] = {}

    def read(row: SheetRow) -> ImportedSeat:
        guest, table = find(cell(row, 0), guests, "guest"), find(cell(row, 1), tables, "table")
        seat = _read_seat(row, 2, most)
        if rows.setdefault(guest, row.number) != row.number:
            raise ValueError(f"“{cell(row, 0)[:60]}” already has a seat in row {rows[guest]:,}.")
        if taken.setdefault((table, seat), row.number) != row.number:
            raise ValueError(f"This seat is taken in row {taken[table, seat]:,}.")
        return ImportedSeat(guest, table, seat - 1, cell(row, 3) == "yes")

    return reader.rows(BY_GUEST, read)


def _read_locks(reader: Reader, tables: Mapping[str, UUID], most: int) -> list[_Lock]:
    rows: dict[_Lock, int] = {}

    def read(row: SheetRow) -> _Lock:
        table, what = find(cell(row, 0), tables, "table"), cell(row, 2)
        if what not in (TABLE_LOCKED, KEPT_EMPTY):
            raise ValueError(f"Write “{TABLE_LOCKED}” or “{KEPT_EMPTY}”, not “{what[:40]}”.")
        lock = _Lock(table, _read_seat(row, 1, most) - 1 if what == KEPT_EMPTY else None)
        if rows.setdefault(lock, row.number) != row.number:
            raise ValueError(f"Row {rows[lock]:,} says the same.")
        return lock

    return reader.rows(LOCKS, read)


def _read_seat(row: SheetRow, column: int, most: int) -> int:
    seat = read_whole(cell(row, column))
    if not 1 <= seat <= most:
        raise ValueError(f"A seat is a number from 1 to {most:,}.")
    return seat
