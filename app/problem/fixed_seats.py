"""What a plan holds for the next run: locked guests and tables, seats that stay empty, tables reserved for a group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from app.db import models
from app.db.types import parse_id
from app.guests.queries.groups import group_of, members_of
from app.problem.queries.seats import SeatRow, plan_of
from app.solver import Rule, Table
from app.tables.shapes import seating_of


@dataclass(frozen=True)
class HeldSeats:
    """What the plan that a run starts from holds.

    `chairs` are those of guests who stay, by guest: `locked` ones and those at locked tables. `sizes` are the seats and
    the minimum of tables that are smaller in the problem.
    """

    locked: frozenset[UUID] = frozenset()
    tables: frozenset[UUID] = frozenset()
    blocked: frozenset[tuple[UUID, int]] = frozenset()
    chairs: Mapping[UUID, tuple[UUID, int]] = field(default_factory=dict)
    sizes: Mapping[UUID, tuple[int, int]] = field(default_factory=dict)

    def blocked_at(self, table: UUID) -> set[int]:
        """Return the seats of a table that stay empty."""
        return {seat for key, seat in self.blocked if key == table}

    def to_plain(self) -> dict[str, Any]:
        """Return it as it is stored with a problem."""
        return {
            "locked": [key.hex for key in self.locked],
            "tables": [key.hex for key in self.tables],
            "blocked": [[key.hex, seat] for key, seat in self.blocked],
            "chairs": [[guest.hex, table.hex, seat] for guest, (table, seat) in self.chairs.items()],
            "sizes": [[key.hex, *sizes] for key, sizes in self.sizes.items()],
        }

    @classmethod
    def from_plain(cls, plain: dict[str, Any] | None) -> HeldSeats:
        """Return what was stored; older problems hold nothing."""
        if not plain:
            return cls()
        return cls(
            frozenset(map(_id, plain["locked"])),
            frozenset(map(_id, plain["tables"])),
            frozenset((_id(key), seat) for key, seat in plain["blocked"]),
            {_id(guest): (_id(table), seat) for guest, table, seat in plain["chairs"]},
            {_id(key): (seats, least) for key, seats, least in plain["sizes"]},
        )


def read_held(
    session: Session, event_id: UUID, plan_id: UUID | None, rows: Sequence[SeatRow], tables: Sequence[models.Table]
) -> HeldSeats:
    """Return what a plan with these seats holds, as far as its tables are still there."""
    plan = plan_of(session, event_id, plan_id) if plan_id else None
    if plan is None:
        return HeldSeats()
    there = {table.id: table for table in tables}
    locked_tables = frozenset(_id(key.replace("-", "")) for key in plan.locked_tables).intersection(there)
    blocked = frozenset((_id(key.replace("-", "")), seat) for key, seat in plan.blocked_seats)
    blocked = frozenset((key, seat) for key, seat in blocked if key in there and seat < there[key].seats)
    stay = [row for row in rows if row.table_id in there and (row.locked or row.table_id in locked_tables)]
    return HeldSeats(
        frozenset(row.guest_id for row in stay if row.locked),
        locked_tables,
        blocked,
        {row.guest_id: (row.table_id, row.seat) for row in stay},
        {key: (there[key].seats, there[key].min_seats) for key in {*locked_tables, *(key for key, _ in blocked)}},
    )


def tables_of_problem(tables: Sequence[models.Table], held: HeldSeats) -> tuple[Table, ...]:
    """Return the tables as large as they may be: a locked one takes its guests, and seats that stay empty are left out.

    One that takes nobody keeps its seats, because the solver needs some: a rule keeps everybody away.
    """
    return tuple(_table(table, held) for table in tables)


def rules_of_tables(
    session: Session, event_id: UUID, guests: Sequence[UUID], tables: Sequence[models.Table], held: HeldSeats
) -> list[Rule]:
    """Return the rules that keep guests away from tables: reserved for a group they are not in, or closed to all."""
    reserved = {table.reserved_for for table in tables if table.reserved_for is not None}
    members = members_of(session, event_id, reserved) if reserved else {}
    everywhere, found = range(len(tables)), []
    for number, table in enumerate(tables):
        elsewhere = tuple(other for other in everywhere if other != number)
        if _room(table, held) < 1:
            text = f"{table.name} is locked and stays empty" if table.id in held.tables else f"{table.name} stays empty"
            found.append(Rule("pinned", tuple(range(len(guests))), elsewhere, text))
        elif table.reserved_for is not None and (group := group_of(session, event_id, table.reserved_for)):
            own = set(members[table.reserved_for])
            others = tuple(place for place, guest in enumerate(guests) if guest not in own)
            if others:
                found.append(Rule("pinned", others, elsewhere, f"{table.name} is reserved for {group.name}"))
    return found


def _table(table: models.Table, held: HeldSeats) -> Table:
    room = _room(table, held)
    most, least = (table.seats, 0) if room < 1 else (room, min(table.min_seats, room))
    return Table(most, least, table.name, seating_of(table.shape, table.end_seats))


def _room(table: models.Table, held: HeldSeats) -> int:
    if table.id in held.tables:
        return sum(place[0] == table.id for place in held.chairs.values())
    return table.seats - len(held.blocked_at(table.id))


def _id(digits: str) -> UUID:
    return parse_id(digits)
