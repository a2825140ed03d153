"""Who sits where in a plan by hand: what a change would break, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from sqlalchemy.orm import Session

from app.db import models
from app.plans.queries import plans as queries
from app.problem.queries import seats as seat_queries
from app.problem.queries.rules import RuleRow, rules_of
from app.rules.wording import rule_in_words
from app.solver import Table
from app.tables.shapes import seating_of


@dataclass(frozen=True)
class Place:
    """A seat, counted from 0 at its table, and whether its guest is locked there."""

    table_id: UUID
    seat: int
    locked: bool = False


Change = Mapping[UUID, Place]


@dataclass(frozen=True)
class Seating:
    """The present guests of a plan at their places, with the event's tables and rules."""

    places: Mapping[UUID, Place]
    names: Mapping[UUID, str]
    tables: Mapping[UUID, models.Table]
    rules: Sequence[RuleRow]

    @cached_property
    def guests_at(self) -> dict[UUID, dict[int, UUID]]:
        """The guest at each taken seat of each table."""
        guests: dict[UUID, dict[int, UUID]] = {table_id: {} for table_id in self.tables}
        for guest_id, place in self.places.items():
            guests[place.table_id][place.seat] = guest_id
        return guests

    @cached_property
    def rules_naming(self) -> dict[UUID, list[RuleRow]]:
        """The rules that name each guest."""
        rules: dict[UUID, list[RuleRow]] = {}
        for rule in self.rules:
            for guest_id in rule.guest_ids:
                rules.setdefault(guest_id, []).append(rule)
        return rules

    def free_seat(self, table_id: UUID) -> int | None:
        """Return the first free seat of a table, or none if it is full."""
        taken = self.guests_at[table_id]
        return next((seat for seat in range(self.tables[table_id].seats) if seat not in taken), None)

    def obstacle(self, change: Change) -> str | None:
        """Say why the change cannot be made, if so."""
        return next(self._obstacles(change), None)

    def _obstacles(self, change: Change) -> Iterator[str]:
        for guest_id, place in change.items():
            table = self.tables.get(place.table_id)
            if table is None or table.removed_at is not None:
                yield f"The table for {self.names[guest_id]} has been deleted."
            elif place.seat >= table.seats:
                yield f"{table.name} now has only {table.seats} seats."
            else:
                sitting = self.guests_at[table.id].get(place.seat, guest_id)
                if sitting not in change:
                    yield f"{self.names[sitting]} sits there."
        for rule in self._touched_rules(change):
            if self.holds(rule) and not self.holds(rule, change):
                yield f"That would break the rule “{self.in_words(rule)}”."

    def _touched_rules(self, change: Change) -> Iterator[RuleRow]:
        # Whoever sits at a table that changes can lose a neighbour, so not only those who move count.
        tables = {place.table_id for place in change.values()} | {self.places[guest].table_id for guest in change}
        guests = {guest for table in tables for guest in self.guests_at.get(table, {}).values()}
        seen: set[UUID] = set()
        for guest_id in guests:
            for rule in self.rules_naming.get(guest_id, ()):
                if rule.id not in seen:
                    seen.add(rule.id)
                    yield rule

    def holds(self, rule: RuleRow, change: Change | None = None) -> bool:
        """Tell whether the rule holds, now or after the change; guests without a seat break nothing."""
        change = change or {}
        places = {guest: change.get(guest) or self.places.get(guest) for guest in rule.guest_ids}
        tables = [place.table_id for place in places.values() if place]
        if rule.kind == "pinned":
            return all(table in rule.table_ids for table in tables)
        if rule.kind == "apart":
            return len(set(tables)) == len(tables)
        if len(set(tables)) > 1:
            return False
        return rule.kind != "side_by_side" or len(tables) < 2 or self._are_neighbours(rule, tables[0], change)

    def _are_neighbours(self, rule: RuleRow, table_id: UUID, change: Change) -> bool:
        seats = {guest: seat for seat, guest in self.guests_at[table_id].items() if guest not in change}
        seats |= {guest: place.seat for guest, place in change.items() if place.table_id == table_id}
        order = sorted(seats, key=lambda guest: seats[guest])
        one, other = (order.index(guest) for guest in rule.guest_ids[:2])
        table = self.tables[table_id]
        shape = seating_of(table.shape, table.end_seats)
        return bool({(one, other), (other, one)} & Table(table.seats, shape=shape).neighbours(seats.values()))

    def in_words(self, rule: RuleRow) -> str:
        """Return what the rule says, with names."""
        guests = [self.names.get(guest_id, "a guest without a seat") for guest_id in rule.guest_ids]
        tables = [self.tables[key].name for key in rule.table_ids if key in self.tables]
        return rule_in_words(rule.kind, guests, tables)


def broken_rules(session: Session, plan: models.Plan) -> list[str]:
    """Return in words the rules that the plan does not keep, because they were made or changed after it."""
    seating = read_seating(session, plan)
    return [seating.in_words(rule) for rule in seating.rules if not seating.holds(rule)]


def read_seating(session: Session, plan: models.Plan) -> Seating:
    """Return who sits where in the plan now."""
    rows = seat_queries.seats_of(session, plan.id)
    return Seating(
        places={row.guest_id: Place(row.table_id, row.seat, row.locked) for row in rows},
        names={row.guest_id: row.name for row in rows},
        tables={table.id: table for table in queries.tables_of(session, plan.event_id, plan.id)},
        rules=rules_of(session, plan.event_id),
    )
