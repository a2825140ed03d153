"""Who sits where in a plan: places, locks, and the tables with their free seats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from uuid import UUID

from sqlalchemy.orm import Session

from app.db import models
from app.db.once import once
from app.guests.queries.groups import group_of, members_of
from app.guests.queries.guests import seated_names_of
from app.plans.hosts import tables_of_hosts
from app.problem.cached_findings import find_once
from app.problem.queries import seats as seat_queries
from app.problem.queries.rules import RuleRow, rules_of
from app.solver import Table
from app.tables.queries import tables_of
from app.tables.shapes import seating_of

SeatKey = tuple[UUID, int]
"""A table and a seat there, counted from 0."""


@dataclass(frozen=True, slots=True)
class Place:
    """A seat, counted from 0 at its table, and whether its guest is locked there."""

    table_id: UUID
    seat: int
    locked: bool = False

    @property
    def key(self) -> SeatKey:
        """The table and the seat."""
        return self.table_id, self.seat


Places = Mapping[UUID, Place | None]
"""Where guests sit, or are to sit; None is the unseated tray."""


@dataclass(frozen=True)
class Change:
    """What an edit changes: places of guests, tables that are locked or not, seats that stay empty or not."""

    places: Places = field(default_factory=dict)
    tables: Mapping[UUID, bool] = field(default_factory=dict)
    seats: Mapping[SeatKey, bool] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether anything changes."""
        return bool(self.places or self.tables or self.seats)


@dataclass(frozen=True, slots=True)
class SeatingTable:
    """A table of the event; one that was deleted is not open, but guests may still sit there."""

    id: UUID
    name: str
    shape: str
    seats: int
    min_seats: int
    end_seats: bool
    x: float | None
    y: float | None
    rotation: float
    reserved_for: UUID | None
    is_open: bool
    layout: Table
    """Who are neighbours there."""


@dataclass(frozen=True)
class Household:
    """Guests who sit together."""

    id: UUID
    guests: tuple[UUID, ...]


@dataclass(frozen=True)
class Reservation:
    """The group that a table is reserved for."""

    group: str
    members: frozenset[UUID]


@dataclass(frozen=True)
class Surroundings:
    """What moves of a plan leave as it is: the guests to be seated, and the event's tables, rules and households."""

    names: Mapping[UUID, str]
    tables: Mapping[UUID, SeatingTable]
    rules: Sequence[RuleRow]
    households: Sequence[Household] = ()
    reservations: Mapping[UUID, Reservation] = field(default_factory=dict)

    @cached_property
    def rules_naming(self) -> dict[UUID, list[RuleRow]]:
        """The rules that name each guest."""
        rules: dict[UUID, list[RuleRow]] = {}
        for rule in self.rules:
            for guest_id in rule.guest_ids:
                rules.setdefault(guest_id, []).append(rule)
        return rules

    @cached_property
    def homes(self) -> dict[UUID, Household]:
        """The household of each guest who has one."""
        return {guest: home for home in self.households for guest in home.guests}

    @cached_property
    def open_tables(self) -> list[SeatingTable]:
        """The tables that were not deleted."""
        return [table for table in self.tables.values() if table.is_open]


@dataclass(frozen=True)
class Seating:
    """The guests to be seated with their places, and the event's tables, rules and households.

    `names` has everybody who is to be seated, also those in the unseated tray. `kept_seats` are seats of the table that
    somebody moves to, of guests who are not attending: they are taken only if no other seat is free. `hosts` are those
    of several rounds, with the table that they keep, if it was not deleted.
    """

    places: Mapping[UUID, Place]
    around: Surroundings
    locked_tables: frozenset[UUID] = frozenset()
    blocked_seats: frozenset[SeatKey] = frozenset()
    kept_seats: frozenset[int] = frozenset()
    hosts: Mapping[UUID, UUID] = field(default_factory=dict)

    @cached_property
    def guests_at(self) -> dict[UUID, dict[int, UUID]]:
        """The guest at each taken seat of each table."""
        guests: dict[UUID, dict[int, UUID]] = {table_id: {} for table_id in self.tables}
        for guest_id, place in self.places.items():
            guests[place.table_id][place.seat] = guest_id
        return guests

    @cached_property
    def has_locks(self) -> bool:
        """Whether a guest or a table is locked, or a seat stays empty."""
        return bool(self.locked_tables or self.blocked_seats) or any(place.locked for place in self.places.values())

    @cached_property
    def names(self) -> Mapping[UUID, str]:
        return self.around.names

    @cached_property
    def tables(self) -> Mapping[UUID, SeatingTable]:
        return self.around.tables

    @cached_property
    def rules(self) -> Sequence[RuleRow]:
        return self.around.rules

    @cached_property
    def households(self) -> Sequence[Household]:
        return self.around.households

    @cached_property
    def reservations(self) -> Mapping[UUID, Reservation]:
        return self.around.reservations

    @cached_property
    def homes(self) -> dict[UUID, Household]:
        return self.around.homes

    @cached_property
    def rules_naming(self) -> dict[UUID, list[RuleRow]]:
        return self.around.rules_naming

    @cached_property
    def open_tables(self) -> list[SeatingTable]:
        return self.around.open_tables

    def open_table(self, table_id: UUID | None) -> SeatingTable | None:
        """Return a table that was not deleted."""
        table = self.tables.get(table_id) if table_id else None
        return table if table is not None and table.is_open else None

    @cached_property
    def _blocked(self) -> dict[UUID, set[int]]:
        found: dict[UUID, set[int]] = {}
        for table, seat in self.blocked_seats:
            found.setdefault(table, set()).add(seat)
        return found

    def blocked_at(self, table_id: UUID) -> set[int]:
        """Return the seats of a table that stay empty."""
        return self._blocked.get(table_id, set())

    def capacity(self, table_id: UUID) -> int:
        """Return how many may sit at a table."""
        table = self.tables[table_id]
        return table.seats - sum(seat < table.seats for seat in self.blocked_at(table_id))

    def free_seats(self, table_id: UUID, leaving: Mapping[UUID, object] | None = None) -> list[int]:
        """Return the free seats of a table, with those of guests who are about to leave theirs."""
        taken = {seat for seat, guest in self.guests_at[table_id].items() if guest not in (leaving or ())}
        taken |= self.blocked_at(table_id)
        return [seat for seat in range(self.tables[table_id].seats) if seat not in taken]

    def extra_chairs(self, table_id: UUID, number: int, leaving: Mapping[UUID, object]) -> list[int]:
        """Return the numbers of `number` chairs that are added to a full table."""
        taken = {seat for seat, guest in self.guests_at[table_id].items() if guest not in leaving}
        first = max([self.tables[table_id].seats - 1, *taken]) + 1
        return list(range(first, first + number))


@once
def read_seating(session: Session, plan: models.Plan) -> Seating:
    """Return who sits where in the plan now."""
    around = read_surroundings(session, plan.event_id)
    if plan.split_households:
        around = replace(around, households=())
    rows = seat_queries.seats_of(session, plan.id)
    hosts = tables_of_hosts(session, plan, {row.guest_id: row.table_id for row in rows})
    return Seating(
        places={row.guest_id: Place(row.table_id, row.seat, row.locked) for row in rows},
        around=around,
        locked_tables=frozenset(UUID(key) for key in plan.locked_tables).intersection(around.tables),
        blocked_seats=frozenset((UUID(key), seat) for key, seat in plan.blocked_seats),
        hosts={host: table for host, table in hosts.items() if around.tables[table].is_open},
    )


@once
def read_surroundings(session: Session, event_id: UUID) -> Surroundings:
    """Return whom and what the plans of an event seat, kept from before if only plans have changed since."""
    event = session.get_one(models.Event, event_id)
    return find_once(session, event, "surroundings", lambda: _find_surroundings(session, event_id), without=("plans",))


def _find_surroundings(session: Session, event_id: UUID) -> Surroundings:
    guests = seated_names_of(session, event_id)
    households: dict[UUID, list[UUID]] = {}
    for guest in guests:
        if guest.party_id is not None:
            households.setdefault(guest.party_id, []).append(guest.id)
    tables = tables_of(session, event_id, with_removed=True)
    return Surroundings(
        names={guest.id: guest.name for guest in guests},
        tables={table.id: describe_table(table) for table in tables},
        rules=rules_of(session, event_id),
        households=[Household(key, tuple(ids)) for key, ids in households.items() if len(ids) > 1],
        reservations=_reservations(session, event_id, [table for table in tables if table.removed_at is None]),
    )


def describe_table(table: models.Table) -> SeatingTable:
    """Return the values of a table."""
    return SeatingTable(
        id=table.id,
        name=table.name,
        shape=table.shape,
        seats=table.seats,
        min_seats=table.min_seats,
        end_seats=table.end_seats,
        x=table.x,
        y=table.y,
        rotation=table.rotation,
        reserved_for=table.reserved_for,
        is_open=table.removed_at is None,
        layout=Table(table.seats, shape=seating_of(table.shape, table.end_seats)),
    )


def _reservations(session: Session, event_id: UUID, tables: Iterable[models.Table]) -> dict[UUID, Reservation]:
    reserved = {table.id: table.reserved_for for table in tables if table.reserved_for is not None}
    if not reserved:
        return {}
    members = members_of(session, event_id, set(reserved.values()))
    groups = {key: group_of(session, event_id, key) for key in members}
    return {
        table: Reservation(group.name, frozenset(members[key]))
        for table, key in reserved.items()
        if (group := groups[key]) is not None
    }
