"""Rules about guests who share a value, table by table: how badly a table breaks one.

A change touches one table or two, so only these are compared: a rule may be about thousands of guests, and each seat
of a plan is compared in turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from uuid import UUID

from app.plans.moves.after_change import After
from app.plans.seating import Seating, SeatingTable
from app.problem.queries.rules import RuleRow
from app.solver import Table, TableShares, count_needless, table_shares

Seats = Mapping[UUID, int]
"""The guests at a table, and their seats."""
Limits = tuple[int, int]
ANYWHERE = ("at_least", "spread", "alternate")
"""Rules that whoever sits down somewhere can break, not only those whom it is about."""


class ValueRules:
    """The rules of a plan about guests who share a value."""

    def __init__(self, seating: Seating) -> None:
        self._seating = seating
        self._rules = {rule.id: _Rule(rule, seating.names) for rule in seating.rules if rule.is_of_values}
        # Each seat of a plan is asked about in turn, and most change the same few numbers.
        self._known: dict[object, int] = {}
        self._shares: dict[UUID, list[dict[UUID, list[Limits]]]] = {}

    @cached_property
    def about_anybody(self) -> list[RuleRow]:
        """The rules that any guest can break."""
        return [rule.row for rule in self._rules.values() if rule.row.kind in ANYWHERE]

    def severity_after(self, rule_id: UUID, table: UUID, after: After) -> int:
        """Return how badly a rule is broken at a table after a change."""
        rule = self._rules[rule_id]
        if rule.row.kind == "alternate":
            is_same = not self._pairs and rule.changes_nothing(after)
            key: object = (rule_id, table) if is_same else None
        else:
            key = rule_id, table, self._more_at(rule, table, after), after.count_at(table) > 0
        if key is None:
            return self.severity(rule_id, table, after.guests_at(table))
        if key not in self._known:
            self._known[key] = self.severity(rule_id, table, after.guests_at(table))
        return self._known[key]

    def _more_at(self, rule: _Rule, table: UUID, after: After) -> tuple[tuple[int, int], ...]:
        """Return of which values more or fewer guests sit at a table after a change, and how many."""
        more: dict[int, int] = {}
        for guest, place in after.changed.items():
            now = self._seating.places.get(guest)
            step = (place is not None and place.table_id == table) - (now is not None and now.table_id == table)
            for value in rule.values_of(guest) if step else ():
                more[value] = more.get(value, 0) + step
        return tuple(sorted((value, number) for value, number in more.items() if number))

    def severity(self, rule_id: UUID, table: UUID, here: Seats) -> int:
        """Return how badly a rule is broken at a table where these guests sit; 0 if it is kept there."""
        rule = self._rules[rule_id]
        row = rule.row
        if not row.concerns_anybody or (not here and not (_needs_guests(row) and self._is_used(table))):
            return 0
        if row.kind == "alternate":
            return self._alike(rule, self._seating.tables[table], here)
        if row.kind == "spread":
            return self._away_from_share(rule, table, here)
        return _plain_severity(rule, table, here)

    def _is_used(self, table: UUID) -> bool:
        """Say whether anybody may sit at an empty table; a locked one is not used, as in some of several rounds."""
        return table not in self._seating.locked_tables

    def _away_from_share(self, rule: _Rule, table: UUID, here: Seats) -> int:
        """Return how many guests are too many or too few; locks may change what a share is, so either one counts."""
        counts = rule.count(here)
        if rule.row.id not in self._shares:
            self._shares[rule.row.id] = [_limits(rule, *way) for way in self._ways]
        ways = self._shares[rule.row.id]
        return min((_outside(counts, limits[table]) for limits in ways if table in limits), default=0)

    @cached_property
    def _ways(self) -> list[tuple[list[UUID], TableShares]]:
        """The tables in use and their shares: with locked tables as they are, as a run has them, and without locks."""
        seating = self._seating
        locked = {table: len(seating.guests_at[table]) for table in seating.locked_tables if seating.open_table(table)}
        found = [self._shares_with(locked), *([self._shares_with({})] if locked else [])]
        return [(tables, shares) for tables, shares in found if shares is not None]

    def _shares_with(self, locked: Mapping[UUID, int]) -> tuple[list[UUID], TableShares | None]:
        seating = self._seating
        rooms = {table.id: locked.get(table.id, seating.capacity(table.id)) for table in seating.open_tables}
        used = {key: room for key, room in rooms.items() if room > 0 and key not in self._left_empty}
        tables = [Table(room, min(seating.tables[key].min_seats, room)) for key, room in used.items()]
        return list(used), table_shares(len(seating.names), tables)

    @cached_property
    def _left_empty(self) -> set[UUID]:
        """The tables that a rule keeps everybody away from: they have no share."""
        everyone, tables = self._seating.names.keys(), set(self._seating.tables)
        placed = (rule for rule in self._seating.rules if rule.kind in ("pinned", "group_at") and rule.applies)
        kept = (rule.table_ids for rule in placed if everyone <= set(rule.guest_ids))
        return {table for only in kept for table in tables.difference(only)}

    def _alike(self, rule: _Rule, table: SeatingTable, here: Seats) -> int:
        """Return how many more neighbours share a value than the numbers at the table require."""
        order = sorted(here, key=here.__getitem__)
        place = {guest: number for number, guest in enumerate(order)}
        pairs = [(place[one], place[other]) for one, other in self._pairs if one in place and other in place]
        values = tuple(rule.values_of(guest) for guest in order)
        return count_needless(table.layout, sorted(here.values()), values, pairs)

    @cached_property
    def _pairs(self) -> list[tuple[UUID, UUID]]:
        found = (rule.guest_ids for rule in self._seating.rules if rule.kind == "side_by_side")
        return [(guests[0], guests[1]) for guests in found if len(guests) == 2]


class _Rule:
    """A rule with the guests to be seated who have each of its values."""

    def __init__(self, row: RuleRow, names: Mapping[UUID, str]) -> None:
        self.row = row
        self.groups = [frozenset(guest for guest in group if guest in names) for group in row.groups]
        self.everyone = frozenset(chain.from_iterable(self.groups))

    @cached_property
    def _values(self) -> dict[UUID, frozenset[int]]:
        found: dict[UUID, set[int]] = {}
        for number, group in enumerate(self.groups):
            for guest in group:
                found.setdefault(guest, set()).add(number)
        return {guest: frozenset(own) for guest, own in found.items()}

    def count(self, here: Iterable[UUID]) -> list[int]:
        """Return how many of these guests have each value."""
        counts = [0] * len(self.groups)
        for guest in here:
            for value in self.values_of(guest):
                counts[value] += 1
        return counts

    def changes_nothing(self, after: After) -> bool:
        """Return whether two guests with the same values just swap their seats."""
        if len(after.changed) != 2:
            return not after.changed
        one, other = after.changed
        places = after.seating.places.get(one), after.seating.places.get(other)
        if self.values_of(one) != self.values_of(other) or None in places:
            return False
        then = after.changed[other], after.changed[one]
        return all(now and new and now.key == new.key for now, new in zip(places, then, strict=True))

    def values_of(self, guest: UUID) -> frozenset[int]:
        """Return the values of a guest, by their places in the rule."""
        return self._values.get(guest, frozenset())


def _limits(rule: _Rule, tables: Sequence[UUID], shares: TableShares) -> dict[UUID, list[Limits]]:
    """Return the fewest and the most of each value at each table."""
    limits = [shares.limits(len(group), rule.row.number or 0) for group in rule.groups]
    return {table: [(int(low[place]), int(high[place])) for low, high in limits] for place, table in enumerate(tables)}


def _needs_guests(row: RuleRow) -> bool:
    """Return whether a rule names the tables that need guests: an empty one breaks it, too."""
    return row.kind == "at_least" and bool(row.table_ids)


def _plain_severity(rule: _Rule, table: UUID, here: Seats) -> int:
    row, number = rule.row, sum(guest in rule.everyone for guest in here)
    if row.kind == "group_at":
        return 0 if table in row.table_ids else number
    if row.kind == "groups_apart":
        counts = rule.count(here)
        return sum(counts) - max(counts)
    if row.table_ids and table not in row.table_ids:
        return 0
    limit = row.number or 0
    return max(number - limit, 0) if row.kind == "at_most" else max(limit - number, 0)


def _outside(counts: Sequence[int], limits: Sequence[Limits]) -> int:
    """Return by how many guests in all these counts are outside their limits."""
    return sum(max(low - count, count - high, 0) for count, (low, high) in zip(counts, limits, strict=True))
