"""What a plan promises: households together, rules kept, hosts at their tables, and tables as they are wanted.

That is between minimum and seats, and with the group that they are reserved for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Literal
from uuid import UUID

from sqlalchemy.orm import Session

from app.db import models
from app.plans.hosts import host_key
from app.plans.moves.after_change import After
from app.plans.moves.value_promises import ValueRules
from app.plans.seating import Change, Household, Places, Seating, read_seating
from app.problem.queries.rules import RuleRow
from app.rules.wording import row_in_words
from app.sentences import count, list_in_words

OF_SEATS = ("side_by_side", "alternate")
"""Kinds of rules about neighbours."""
BreakKind = Literal["household", "rule", "host", "under_minimum", "over_seats", "reserved", "locked"]
MOST_NAMED = 4


@dataclass(frozen=True)
class Broken:
    """A promise that is broken, or that a change would break: in words as it is, and as it would be.

    The key names the promise: it stays the same however badly it is broken.
    """

    kind: BreakKind
    key: str
    text: str
    warning: str
    guests: tuple[UUID, ...] = ()
    table: UUID | None = None
    rule: UUID | None = None


class Promises:
    """The promises of a plan, for its seating as it is and for any change of it."""

    def __init__(self, seating: Seating) -> None:
        self._seating = seating
        self._now = After(seating, {})
        # Each seat of a plan is asked about in turn, and most would break the same few promises.
        self._known: dict[UUID, int] = {}
        self._told: dict[UUID, Broken] = {}

    def broken(self) -> list[Broken]:
        """Return all promises that the seating breaks now."""
        found = [self._household(home) for home in self._seating.households if _split(self._now, home.guests)]
        found += [self._rule_broken(rule) for rule in self.broken_rules()]
        found += [self._host(host) for host in self._seating.hosts if _is_away(self._now, host)]
        return [*found, *self._at_tables(self._now, [table.id for table in self._seating.open_tables])]

    def broken_rules(self) -> list[RuleRow]:
        """Return the rules that the seating breaks now."""
        return [rule for rule in self._seating.rules if self._severity(self._now, rule)]

    def newly_broken(self, places: Places) -> list[Broken]:
        """Return the promises that would be broken, or broken worse, if these guests sat there."""
        return list(self._worse(After(self._seating, places)))

    def severity(self, key: str, places: Places | None = None) -> int:
        """Return how badly a promise is broken, now or after a change; 0 if it is kept."""
        after = After(self._seating, places or {})
        kind, _, rest = key.partition(":")
        which = UUID(rest)
        if kind == "household":
            return next((_split(after, home.guests) for home in self._seating.households if home.id == which), 0)
        if kind == "rule":
            return next((self._severity(after, rule) for rule in self._seating.rules if rule.id == which), 0)
        if kind == "host":
            return _is_away(after, which)
        return _TABLE_PROMISES[kind](after, which) if self._seating.open_table(which) else 0

    def _worse(self, after: After) -> Iterator[Broken]:
        for home in self._households_of(after.changed):
            if (severity := _split(after, home.guests)) and severity > self._household_now(home):
                yield self._household(home)
        for rule in self._touched_rules(after) if self._seating.rules else ():
            if self._makes_worse(after, rule):
                yield self._rule(rule)
        for host in self._seating.hosts.keys() & after.changed.keys():
            if _is_away(after, host) and not _is_away(self._now, host):
                yield self._host(host)
        tables = [key for key in after.resized | self._reserved(after.tables) if self._is_open(key)]
        if any(_is_worse(kind, self._now, after, key) for kind in _TABLE_PROMISES for key in tables):
            for broken in self._at_tables(after, tables):
                if broken.table and _is_worse(broken.kind, self._now, after, broken.table):
                    yield broken

    def depends_on_seats(self, places: Places) -> bool:
        """Return whether it matters which seats of their tables these guests take: some rules are about neighbours."""
        if not self._seating.rules:
            return False
        return any(rule.kind in OF_SEATS for rule in self._touched_rules(After(self._seating, places)))

    def _reserved(self, tables: Set[UUID]) -> Set[UUID]:
        return tables & self._seating.reservations.keys() if self._seating.reservations else frozenset()

    def _is_open(self, table: UUID) -> bool:
        return self._seating.open_table(table) is not None

    def _household_now(self, home: Household) -> int:
        if home.id not in self._known:
            self._known[home.id] = _split(self._now, home.guests)
        return self._known[home.id]

    def _rule_now(self, rule: RuleRow) -> int:
        if rule.id not in self._known:
            self._known[rule.id] = _rule_severity(self._now, rule)
        return self._known[rule.id]

    def _severity(self, after: After, rule: RuleRow) -> int:
        """Return how badly a rule is broken."""
        if not rule.is_of_values:
            return _rule_severity(after, rule)
        tables = self._seating.guests_at.keys() | after.tables
        return sum(self._value_rules.severity_after(rule.id, table, after) for table in tables)

    def _makes_worse(self, after: After, rule: RuleRow) -> bool:
        """Return whether a rule would be broken, or broken worse; rules about values compare changed tables only."""
        if not rule.is_of_values:
            severity = _rule_severity(after, rule)
            return severity > 0 and severity > self._rule_now(rule)
        then = [self._value_rules.severity_after(rule.id, table, after) for table in after.tables]
        return any(then) and sum(then) > sum(self._value_rule_now(rule, table) for table in after.tables)

    def _value_rule_now(self, rule: RuleRow, table: UUID) -> int:
        return self._value_rules.severity_after(rule.id, table, self._now)

    @cached_property
    def _value_rules(self) -> ValueRules:
        return ValueRules(self._seating)

    @cached_property
    def _neighbour_rules_at(self) -> dict[UUID, list[RuleRow]]:
        """The rules about neighbours by the tables of their guests: whoever comes or goes there can part them."""
        found: dict[UUID, list[RuleRow]] = {}
        for rule in self._seating.rules:
            places = [self._seating.places.get(guest) for guest in rule.guest_ids]
            for table in {place.table_id for place in places if place} if rule.kind == "side_by_side" else ():
                found.setdefault(table, []).append(rule)
        return found

    def _households_of(self, guests: Iterable[UUID]) -> list[Household]:
        found: list[Household] = []
        for guest in guests:
            home = self._seating.homes.get(guest)
            if home is not None and not any(home is one for one in found):
                found.append(home)
        return found

    def _touched_rules(self, after: After) -> list[RuleRow]:
        touched = {rule.id: rule for guest in after.changed for rule in self._seating.rules_naming.get(guest, ())}
        for table in after.tables if self._neighbour_rules_at else ():
            touched |= {rule.id: rule for rule in self._neighbour_rules_at.get(table, ())}
        touched |= {rule.id: rule for rule in self._value_rules.about_anybody}
        return list(touched.values())

    def _household(self, home: Household) -> Broken:
        if home.id not in self._told:
            names = self._names(home.guests)
            self._told[home.id] = Broken(
                "household",
                f"household:{home.id}",
                f"{names} belong to one household but sit at different tables.",
                f"That would separate {names}, who belong to one household.",
                home.guests,
            )
        return self._told[home.id]

    def _rule(self, rule: RuleRow) -> Broken:
        if rule.id not in self._told:
            words = describe_rule(self._seating, rule)
            text, warning = f"The rule “{words}” is broken.", f"That would break the rule “{words}”."
            guests = () if rule.is_of_values else rule.guest_ids
            self._told[rule.id] = Broken("rule", f"rule:{rule.id}", text, warning, guests, None, rule.id)
        return self._told[rule.id]

    def _rule_broken(self, rule: RuleRow) -> Broken:
        """Return a rule that is broken now; of one about values, the tables where it is and its guests there."""
        broken = self._rule(rule)
        if not rule.is_of_values:
            return broken
        tables = [table for table in self._seating.guests_at if self._value_rule_now(rule, table)]
        names = [self._seating.tables[table].name for table in tables]
        more = [count(len(names) - MOST_NAMED, "other table")] if len(names) > MOST_NAMED else []
        where = list_in_words([*names[:MOST_NAMED], *more])
        members, here = set(rule.guest_ids), (self._seating.guests_at[table].values() for table in tables)
        guests = tuple(guest for guest in chain.from_iterable(here) if guest in members)
        return replace(broken, text=f"{broken.text.removesuffix('.')} at {where}.", guests=guests)

    def _host(self, host: UUID) -> Broken:
        words, table = describe_host(self._seating, host), self._seating.hosts[host]
        return Broken("host", host_key(host), words, f"{words} That would no longer hold.", (host,), table)

    def _at_tables(self, after: After, tables: Iterable[UUID]) -> Iterator[Broken]:
        for key in tables:
            table, number = self._seating.tables[key], after.count_at(key)
            if _under_minimum(after, key):
                guests = count(number, "guest")
                yield Broken(
                    "under_minimum",
                    f"under_minimum:{key}",
                    f"{table.name} has {guests}; its minimum is {table.min_seats}.",
                    f"That would leave {table.name} with {guests}; its minimum is {table.min_seats}.",
                    table=key,
                )
            if _over_seats(after, key):
                seats = count(self._seating.capacity(key), "seat")
                yield Broken(
                    "over_seats",
                    f"over_seats:{key}",
                    f"{table.name} has {count(number, 'guest')} at {seats}.",
                    f"{table.name} is full ({number} guests at {seats}). Swap with someone there, or add a chair.",
                    table=key,
                )
            if outsiders := _outsiders(after, key):
                group, names = self._seating.reservations[key].group, self._names(outsiders)
                verb = "is not a member" if len(outsiders) == 1 else "are not members"
                text = f"{table.name} is reserved for {group}; {names} {verb}."
                yield Broken("reserved", f"reserved:{key}", text, text, tuple(outsiders), key)

    def _names(self, guests: Iterable[UUID]) -> str:
        names = [self._seating.names.get(guest, "a guest") for guest in guests]
        more = len(names) - MOST_NAMED
        return list_in_words([*names[:MOST_NAMED], f"{more} more"] if more > 0 else names)


def _split(after: After, guests: Iterable[UUID]) -> int:
    """Return at how many more tables than one these guests sit; those without a seat are not counted."""
    changed, places = after.changed, after.seating.places
    tables: list[UUID] = []  # few: quicker than a set, which would need a hash for each
    for guest in guests:
        place = changed[guest] if guest in changed else places.get(guest)
        if place is not None and place.table_id not in tables:
            tables.append(place.table_id)
    return max(len(tables) - 1, 0)


def _rule_severity(after: After, rule: RuleRow) -> int:
    """Return how badly a rule is broken; guests without a seat break nothing."""
    tables = [place.table_id for place in map(after.place, rule.guest_ids) if place]
    if rule.kind == "pinned":
        return sum(table not in rule.table_ids for table in tables)
    if rule.kind == "apart":
        return len(tables) - len(set(tables))
    parted = max(len(set(tables)) - 1, 0)
    if rule.kind == "together" or len(tables) < 2:
        return parted
    return 1 + parted if parted else int(not _are_neighbours(after, rule, tables[0]))


def _is_away(after: After, host: UUID) -> int:
    """Return whether a host has another table than the one that they keep."""
    place, table = after.place(host), after.seating.hosts.get(host)
    return int(place is not None and table is not None and place.table_id != table)


def _are_neighbours(after: After, rule: RuleRow, table_id: UUID) -> bool:
    seats = after.guests_at(table_id)
    order = sorted(seats, key=lambda guest: seats[guest])
    pair = [guest for guest in rule.guest_ids if guest in seats][:2]
    one, other = (order.index(guest) for guest in pair)
    layout = after.seating.tables[table_id].layout
    return bool({(one, other), (other, one)} & layout.neighbours(seats.values()))


def _under_minimum(after: After, table_id: UUID) -> int:
    """Return how many guests a table lacks; one that is locked and empty is not used, as in some of several rounds."""
    if table_id in after.seating.locked_tables and not after.count_at(table_id):
        return 0
    return max(after.seating.tables[table_id].min_seats - after.count_at(table_id), 0)


def _over_seats(after: After, table_id: UUID) -> int:
    return max(after.count_at(table_id) - after.seating.capacity(table_id), 0)


def _outsiders(after: After, table_id: UUID) -> list[UUID]:
    reservation = after.seating.reservations.get(table_id)
    return [] if reservation is None else [g for g in after.guests_at(table_id) if g not in reservation.members]


def _wrongly_reserved(after: After, table_id: UUID) -> int:
    return len(_outsiders(after, table_id))


_TABLE_PROMISES: dict[str, Callable[[After, UUID], int]] = {
    "under_minimum": _under_minimum,
    "over_seats": _over_seats,
    "reserved": _wrongly_reserved,
}


def _is_worse(kind: str, before: After, after: After, table_id: UUID) -> bool:
    return _TABLE_PROMISES[kind](after, table_id) > _TABLE_PROMISES[kind](before, table_id)


def broken_by(seating: Seating, change: Change) -> list[Broken]:
    """Return the promises that a change would break, or break worse: of places, or of seats that stay empty."""
    now = Promises(seating)
    if not change.seats:
        return now.newly_broken(change.places)
    kept_empty = {seat for seat, is_blocked in change.seats.items() if is_blocked}
    blocked = (seating.blocked_seats - change.seats.keys()) | kept_empty
    then = Promises(replace(seating, blocked_seats=frozenset(blocked)))
    return [broken for broken in then.broken() if then.severity(broken.key) > now.severity(broken.key)]


def describe_rule(seating: Seating, rule: RuleRow) -> str:
    """Return what the rule says, with names."""
    named = () if rule.is_of_values else rule.guest_ids
    guests = [seating.names.get(guest_id, "a guest without a seat") for guest_id in named]
    tables = [seating.tables[key].name for key in rule.table_ids if key in seating.tables]
    return row_in_words(rule, guests, tables)


def describe_host(seating: Seating, host: UUID) -> str:
    """Say which table a host keeps, or should keep if they do not sit there."""
    name, table, place = seating.names.get(host, "A guest"), seating.hosts[host], seating.places.get(host)
    verb = "keeps" if place and place.table_id == table else "should keep"
    elsewhere = ", but sits elsewhere in this one" if place and place.table_id != table else ""
    return f"{name} is a host and {verb} {seating.tables[table].name} in all rounds{elsewhere}."


def broken_rules(session: Session, plan: models.Plan) -> list[str]:
    """Return in words the rules that the plan does not keep."""
    seating = read_seating(session, plan)
    broken = Promises(seating).broken_rules()
    return [describe_rule(seating, rule) for rule in broken]
