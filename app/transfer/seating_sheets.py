"""The seating of one version as sheets, and back: who sits where, locked tables and seats that are kept empty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from app.db import models
from app.events.context import EventContext
from app.files.event_file import highest_seat
from app.files.sheet_limits import SheetRow
from app.files.workbook import Sheet
from app.guests.name_order import sort_key
from app.plans.queries.rounds import main_of, rounds_of
from app.plans.read import require_plan
from app.plans.rounds import routes_of
from app.problem.queries.seats import seats_of
from app.solver import MOST_ROUNDS
from app.tables.queries import tables_of
from app.transfer.imported_plans import ImportedPlan, ImportedSeat
from app.transfer.workbook_reader import Reader, cell, find, read_whole

BY_TABLE, BY_GUEST, LOCKS, ROUNDS = "Seating by table", "Seating by guest", "Locks", "Rounds"
SEPARATE = "Rounds separate households"
What = Literal["table locked", "seat kept empty"]
TABLE_LOCKED: What = "table locked"
KEPT_EMPTY: What = "seat kept empty"


@dataclass(frozen=True)
class _Lock:
    """A locked table, or a seat of it, counted from 0, that is kept empty; `round` is 0 in a plan without rounds."""

    table_id: UUID
    seat: int | None
    round: int = 0


@dataclass(frozen=True)
class _RoundSeat:
    """A guest's seat in a round."""

    round: int
    seat: ImportedSeat


def seating_sheets(ctx: EventContext, plan_id: UUID | None) -> list[Sheet]:
    """Return who sits where, by table for people and by guest for the import; seats are counted from 1.

    Of several rounds all are there, with their numbers in a last column.
    """
    if plan_id is None:
        return []
    plan = require_plan(ctx, plan_id)
    names = {table.id: table.name for table in tables_of(ctx.session, ctx.event_id)}
    places = {table: place for place, table in enumerate(names)}
    plans = _plans_of(ctx, plan)
    seated = [(one.round, row) for one in plans for row in seats_of(ctx.session, one.id) if row.table_id in places]
    locks = [lock for one in plans for lock in _locks_of(one, places)]
    if not (seated or locks):
        return []
    by_table = sorted(seated, key=lambda row: (row[0], places[row[1].table_id], row[1].seat))
    by_guest = sorted(seated, key=lambda row: (row[0], sort_key(row[1].name)))
    last = ("Round",) if plan.round else ()

    def number(of_round: int) -> tuple[int, ...]:
        return (of_round,) if of_round else ()

    return [
        Sheet(
            BY_TABLE,
            ("Table", "Seat", "Guest", *last),
            [(names[row.table_id], row.seat + 1, row.name, *number(r)) for r, row in by_table],
        ),
        Sheet(
            BY_GUEST,
            ("Guest", "Table", "Seat", "Locked", *last),
            [
                (row.name, names[row.table_id], row.seat + 1, "yes" if row.locked else "", *number(r))
                for r, row in by_guest
            ],
        ),
        Sheet(
            LOCKS,
            ("Table", "Seat", "What", *last),
            [(*_lock_row(names[one.table_id], one), *number(one.round)) for one in locks],
        ),
        *_rounds_sheet(ctx, plan, {row.guest_id: row.name for _, row in by_guest}),
    ]


def separates_households(ctx: EventContext, plan_id: UUID | None) -> bool:
    """Return whether the rounds of a plan may separate households."""
    return plan_id is not None and require_plan(ctx, plan_id).split_households


def _plans_of(ctx: EventContext, plan: models.Plan) -> list[models.Plan]:
    """Return the plans of all rounds in their order; a plan without rounds is alone."""
    if not plan.round:
        return [plan]
    return [require_plan(ctx, one.plan_id) for one in rounds_of(ctx.session, main_of(plan))]


def _rounds_sheet(ctx: EventContext, plan: models.Plan, guests: Mapping[UUID, str]) -> list[Sheet]:
    """Return where guests sit in each of several rounds, a row for each guest: for people, like the sheet by table."""
    routes = {guest: dict(route) for guest, route in routes_of(ctx.session, plan).items()}
    numbers = sorted({number for route in routes.values() for number in route})
    rows = [(name, *(routes.get(key, {}).get(number, "") for number in numbers)) for key, name in guests.items()]
    return [Sheet(ROUNDS, ("Guest", *(f"Round {number}" for number in numbers)), rows)] if numbers else []


def _locks_of(plan: models.Plan, places: Mapping[UUID, int]) -> list[_Lock]:
    """Return what is locked, in the order of the tables; those that were deleted are left out."""
    found = [_Lock(UUID(key), None, plan.round) for key in plan.locked_tables]
    found += [_Lock(UUID(key), seat, plan.round) for key, seat in plan.blocked_seats]
    here = [one for one in found if one.table_id in places]
    return sorted(here, key=lambda one: (places[one.table_id], -1 if one.seat is None else one.seat))


def _lock_row(table: str, one: _Lock) -> tuple[str, int | None, What]:
    return (table, None, TABLE_LOCKED) if one.seat is None else (table, one.seat + 1, KEPT_EMPTY)


def read_seating(reader: Reader, guests: Mapping[str, UUID], tables: Mapping[str, UUID]) -> list[ImportedPlan]:
    """Return the version that the sheets have, with all of its rounds; those for people only are not read."""
    most = highest_seat(len(reader.book.get(BY_GUEST, ())[1:]))
    seats = _read_seats(reader, guests, tables, most)
    locks = _read_locks(reader, tables, most)
    numbers = sorted({one.round for one in seats} | {one.round for one in locks})
    if numbers not in ([], [0], list(range(1, len(numbers) + 1))):
        reader.refuse(f"Sheet “{BY_GUEST}”: rounds must be numbered 1, 2, 3 and so on, in every row.")
        return []
    return [
        ImportedPlan(
            [one.seat for one in seats if one.round == number],
            main=0 if number > 1 else None,
            round=number,
            locked_tables=[one.table_id for one in locks if one.round == number and one.seat is None],
            empty_seats=[(one.table_id, one.seat) for one in locks if one.round == number and one.seat is not None],
        )
        for number in numbers
    ]


def _read_seats(reader: Reader, guests: Mapping[str, UUID], tables: Mapping[str, UUID], most: int) -> list[_RoundSeat]:
    rows: dict[tuple[int, UUID], int] = {}
    taken: dict[tuple[int, UUID, int], int] = {}

    def read(row: SheetRow) -> _RoundSeat:
        guest, table = find(cell(row, 0), guests, "guest"), find(cell(row, 1), tables, "table")
        seat, number = _read_seat(row, 2, most), _read_round(row, 4)
        if rows.setdefault((number, guest), row.number) != row.number:
            raise ValueError(f"“{cell(row, 0)[:60]}” already has a seat in row {rows[number, guest]:,}.")
        if taken.setdefault((number, table, seat), row.number) != row.number:
            raise ValueError(f"This seat is taken in row {taken[number, table, seat]:,}.")
        return _RoundSeat(number, ImportedSeat(guest, table, seat - 1, cell(row, 3) == "yes"))

    return reader.rows(BY_GUEST, read)


def _read_locks(reader: Reader, tables: Mapping[str, UUID], most: int) -> list[_Lock]:
    rows: dict[_Lock, int] = {}

    def read(row: SheetRow) -> _Lock:
        table, what = find(cell(row, 0), tables, "table"), cell(row, 2)
        if what not in (TABLE_LOCKED, KEPT_EMPTY):
            raise ValueError(f"Write “{TABLE_LOCKED}” or “{KEPT_EMPTY}”, not “{what[:40]}”.")
        lock = _Lock(table, _read_seat(row, 1, most) - 1 if what == KEPT_EMPTY else None, _read_round(row, 3))
        if rows.setdefault(lock, row.number) != row.number:
            raise ValueError(f"Row {rows[lock]:,} says the same.")
        return lock

    return reader.rows(LOCKS, read)


def _read_seat(row: SheetRow, column: int, most: int) -> int:
    seat = read_whole(cell(row, column))
    if not 1 <= seat <= most:
        raise ValueError(f"A seat is a number from 1 to {most:,}.")
    return seat


def _read_round(row: SheetRow, column: int) -> int:
    """Return the round of a row; 0 in a plan without rounds."""
    if not cell(row, column):
        return 0
    number = read_whole(cell(row, column))
    if not 1 <= number <= MOST_ROUNDS:
        raise ValueError(f"A round is a number from 1 to {MOST_ROUNDS}.")
    return number
