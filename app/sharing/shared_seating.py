"""What links show of a plan: names and tables to guests; diets, children and high chairs to the venue as well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import groupby
from uuid import UUID

from sqlalchemy.orm import Session

from app.db.models import Event, Plan
from app.guests.public_names import SeatedPerson, public_names
from app.guests.queries.guests import names_ever_of
from app.plans.queries.rounds import main_of, rounds_of
from app.plans.rounds import count_rounds, route_lines, routes_of
from app.sharing.printing.diet_marks import OTHER, count_meals, find_marks, kitchen_text
from app.sharing.printing.queries import SeatedRow, meals_of, seated_of
from app.sharing.queries import TableSeat, first_rounds_of, table_seats_of

STANDARD_MEAL = "Standard"
OTHER_DIET = "Other"


@dataclass(frozen=True)
class SharedEvent:
    """The event as everyone with a link sees it."""

    name: str
    date: date | None


@dataclass(frozen=True)
class SharedTable:
    """A table as guests see it."""

    name: str
    guests: tuple[str, ...]


@dataclass(frozen=True)
class SharedRound:
    """A round as guests see it, counted from 1."""

    number: int
    tables: tuple[SharedTable, ...]


@dataclass(frozen=True)
class VenueSeat:
    """A seat as the venue sees it, counted from 1."""

    seat: int
    name: str
    child: bool
    high_chair: bool
    diet: str
    is_allergy: bool
    wheelchair: bool = False
    meals: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class VenueTable:
    """A table as the venue sees it."""

    name: str
    seats: tuple[VenueSeat, ...]

    @property
    def children(self) -> int:
        """How many of the guests are children."""
        return sum(seat.child for seat in self.seats)

    @property
    def high_chairs(self) -> int:
        """How many high chairs belong here."""
        return sum(seat.high_chair for seat in self.seats)

    @property
    def wheelchairs(self) -> int:
        """How many of the guests use a wheelchair."""
        return sum(seat.wheelchair for seat in self.seats)

    @property
    def dishes(self) -> list[tuple[str, int]]:
        """How many of each dish the table gets."""
        return count_meals([seat.meals for seat in self.seats])


@dataclass(frozen=True)
class VenuePlan:
    """What the venue and the caterer need, and nothing else."""

    tables: tuple[VenueTable, ...]
    meals: tuple[tuple[str, int], ...]
    allergies: tuple[tuple[str, int], ...]

    @property
    def guest_count(self) -> int:
        return sum(len(table.seats) for table in self.tables)

    @property
    def children(self) -> int:
        return sum(table.children for table in self.tables)

    @property
    def high_chairs(self) -> int:
        return sum(table.high_chairs for table in self.tables)

    @property
    def wheelchairs(self) -> int:
        return sum(table.wheelchairs for table in self.tables)

    @property
    def dishes(self) -> list[tuple[str, int]]:
        """How many of each dish the kitchen cooks."""
        return count_meals([seat.meals for table in self.tables for seat in table.seats])


def shared_event(session: Session, event_id: UUID) -> SharedEvent:
    """Return the name and the day of an event whose link was opened."""
    event = session.get_one(Event, event_id)
    return SharedEvent(event.name, event.date)


def seating_for_guests(session: Session, plan_id: UUID | None, number: int = 0) -> tuple[SharedTable, ...]:
    """Return the tables where somebody sits, with the names that guests know; none without a plan.

    With a number, they are those of this round of several.
    """
    if number:
        return next((one.tables for one in rounds_for_guests(session, plan_id, number)), ())
    rows, names = _rows_and_names(session, plan_id)
    return tuple(SharedTable(table[0].table, tuple(names[row.guest_id] for row in table)) for table in _by_table(rows))


def rounds_for_guests(session: Session, plan_id: UUID | None, number: int = 0) -> tuple[SharedRound, ...]:
    """Return the tables of each round, or of the one with this number; none for a plan without rounds.

    Everybody has one name in all of them.
    """
    plan = session.get(Plan, plan_id) if plan_id else None
    if plan is None or not plan.round:
        return ()
    seats = table_seats_of(session, main_of(plan), number)
    names = _names_in_rounds(session, plan, {seat.guest_id for seat in seats})
    tables = {shown: _shared_tables(some, names) for shown, some in groupby(seats, key=lambda seat: seat.number)}
    numbers = [one.number for one in rounds_of(session, main_of(plan)) if number in (0, one.number)]
    return tuple(SharedRound(shown, tables.get(shown, ())) for shown in numbers)


def places_for_guests(session: Session, plan_id: UUID | None) -> list[tuple[str, tuple[str, ...]]]:
    """Return everybody's name and table, in the order of the tables; of several rounds the table in each of them.

    Guests may share a name, so places are found by guest. Whoever sits in later rounds only comes last.
    """
    plan = session.get(Plan, plan_id) if plan_id else None
    if plan is None or not plan.round:
        rows, names = _rows_and_names(session, plan_id)
        return [(names[row.guest_id], (row.table,)) for table in _by_table(rows) for row in table]
    routes = routes_of(session, plan)
    names = _names_in_rounds(session, plan, routes.keys())
    rounds = count_rounds(session, plan)
    return [(name, route_lines(routes[guest], rounds)) for guest, name in names.items()]


def _names_in_rounds(session: Session, plan: Plan, guests: Collection[UUID]) -> dict[UUID, str]:
    """Return what these guests of several rounds are called: as in the first round in which they sit.

    Mostly that is round 1 for everybody, so the other rounds are not read.
    """
    first = first_rounds_of(session, main_of(plan))
    needed = {first[guest] for guest in guests}
    names: dict[UUID, str] = {}
    for number, round_id in rounds_of(session, main_of(plan)):
        if number in needed:
            rows, named = _rows_and_names(session, round_id)
            names |= {
                row.guest_id: named[row.guest_id]
                for row in rows
                if first[row.guest_id] == number and row.guest_id in guests
            }
    return names


def _shared_tables(seats: Iterable[TableSeat], names: Mapping[UUID, str]) -> tuple[SharedTable, ...]:
    tables = (list(table) for _, table in groupby(seats, key=lambda seat: seat.table_id))
    return tuple(SharedTable(table[0].table, tuple(names[seat.guest_id] for seat in table)) for table in tables)


def seating_for_venue(session: Session, plan_id: UUID | None) -> VenuePlan:
    """Return the same tables with what the kitchen and the service need."""
    rows, names = _rows_and_names(session, plan_id)
    chosen = meals_of(session, plan_id) if plan_id else {}
    tables = tuple(
        VenueTable(
            table[0].table,
            tuple(_venue_seat(row, names[row.guest_id], chosen.get(row.guest_id, {})) for row in table),
        )
        for table in _by_table(rows)
    )
    marks = [find_marks(_needs(row)) for row in rows]
    meals = Counter(next((m.name for m in found if not m.is_allergy), STANDARD_MEAL) for found in marks)
    allergies = Counter(OTHER_DIET if m == OTHER else m.name for found in marks for m in found if m.is_allergy)
    return VenuePlan(tables, _totals(meals), _totals(allergies))


def _rows_and_names(session: Session, plan_id: UUID | None) -> tuple[Sequence[SeatedRow], dict[UUID, str]]:
    if plan_id is None:
        return (), {}
    rows = seated_of(session, plan_id)
    people = (SeatedPerson(row.guest_id, row.name, row.public_name, row.party_id, row.table_id) for row in rows)
    event_id = session.get_one(Plan, plan_id).event_id
    return rows, public_names(people, names_ever_of(session, event_id))


def _by_table(rows: Iterable[SeatedRow]) -> list[list[SeatedRow]]:
    return [list(table) for _, table in groupby(rows, key=lambda row: row.table_id)]


def _needs(row: SeatedRow) -> str:
    return kitchen_text(row.diet, row.allergies, row.other_allergies)


def _venue_seat(row: SeatedRow, name: str, meals: Mapping[str, str]) -> VenueSeat:
    is_allergy = any(mark.is_allergy for mark in find_marks(_needs(row)))
    return VenueSeat(row.seat + 1, name, row.child, row.high_chair, _needs(row), is_allergy, row.wheelchair, meals)


def _totals(counted: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))
