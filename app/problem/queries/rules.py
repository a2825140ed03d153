"""Reads of rules."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from sqlalchemy import Row, Select, bindparam, select
from sqlalchemy.orm import Session

from app.db.conditions import is_seated
from app.db.models import Guest, Rule, RuleGuest, RuleTable, RuleValue, Table
from app.db.once import once
from app.guests.queries.guests import named_guests, seated_names_of
from app.guests.shared_values import ValueKey, name_of_value, shared_fields, values_by_guest

LEAST_GUESTS = {"together": 2, "apart": 2, "side_by_side": 2, "pinned": 1}
LEAST_VALUES = {"group_at": 1, "groups_apart": 2, "at_most": 1, "at_least": 1}
OF_FIELDS = ("spread", "alternate")
"""Kinds of rules about all values of a field."""


@dataclass(frozen=True)
class RuleRow:
    """A rule with the present guests and tables it names, in their order.

    A rule about values names no guests: `groups` are those who have each of its values now, or each value of its field,
    and `guest_ids` are all of these. `names` are what pages call the values, or the field. `lost_tables` says that all
    tables were removed that it named.
    """

    id: UUID
    kind: str
    guest_ids: tuple[UUID, ...]
    table_ids: tuple[UUID, ...]
    version: int
    values: tuple[ValueKey, ...] = ()
    field: str = ""
    number: int | None = None
    groups: tuple[tuple[UUID, ...], ...] = ()
    names: tuple[str, ...] = ()
    lost_tables: bool = False

    @property
    def is_of_values(self) -> bool:
        """Whether it is about guests who share a value, whoever they are."""
        return self.kind not in LEAST_GUESTS

    @property
    def applies(self) -> bool:
        """Whether enough of what it names is left; removing a guest, a table or a group can put a rule to rest."""
        if self.is_of_values:
            has_enough = bool(self.names) if self.kind in OF_FIELDS else len(self.values) >= LEAST_VALUES[self.kind]
            return has_enough and not self.lost_tables
        return len(self.guest_ids) >= LEAST_GUESTS[self.kind] and (self.kind != "pinned" or bool(self.table_ids))

    @property
    def concerns_anybody(self) -> bool:
        """Whether guests have its values: a rule about a group without guests says nothing."""
        if not self.is_of_values:
            return True
        return sum(map(bool, self.groups)) >= LEAST_VALUES.get(self.kind, 1)


# Made once, because each page of a plan asks these: building a query takes as long as running it.
_OF_EVENT = Rule.event_id == bindparam("event")
_STORED = select(Rule.id, Rule.kind, Rule.version, Rule.field, Rule.number)
_KINDS = _STORED.where(_OF_EVENT).order_by(Rule.id)
_GUESTS = (
    select(RuleGuest.rule_id, RuleGuest.guest_id)
    .join(Rule, Rule.id == RuleGuest.rule_id)
    .join(Guest, Guest.id == RuleGuest.guest_id)
    .where(_OF_EVENT)
    .order_by(Guest.position, Guest.id)
)
_PRESENT_GUESTS = _GUESTS.where(Guest.removed_at.is_(None))
_SEATED_GUESTS = _GUESTS.where(is_seated())
_TABLES = (
    select(RuleTable.rule_id, RuleTable.table_id)
    .join(Rule, Rule.id == RuleTable.rule_id)
    .join(Table, Table.id == RuleTable.table_id)
    .where(_OF_EVENT, Table.removed_at.is_(None))
    .order_by(Table.position, Table.id)
)
_ALL_TABLES = select(RuleTable.rule_id, RuleTable.table_id).join(Rule, Rule.id == RuleTable.rule_id).where(_OF_EVENT)
_VALUES = (
    select(RuleValue.rule_id, RuleValue.field, RuleValue.value)
    .join(Rule, Rule.id == RuleValue.rule_id)
    .where(_OF_EVENT)
    .order_by(RuleValue.field, RuleValue.value)
)
Stored = Row[UUID, str, int, str, int | None]


@once
def rules_of(session: Session, event_id: UUID, *, only_seated: bool = False) -> list[RuleRow]:
    """Return the rules that apply, in the order in which they were made.

    With `only_seated` whoever is not to be seated counts as removed, as it is for a run.
    """
    return _with_members(session, event_id, _kinds_of(session, event_id), only_seated=only_seated)


@once
def _kinds_of(session: Session, event_id: UUID) -> list[Stored]:
    """Return what the rules are, without whom they name."""
    return list(session.execute(_KINDS, {"event": event_id}))


def versions_of_rules(session: Session, event_id: UUID) -> list[tuple[str, int]]:
    """Return which rules there are and their versions, also of those that do not apply now."""
    return [(str(key), version) for key, _, version, *_ in _kinds_of(session, event_id)]


def rule_of(session: Session, event_id: UUID, rule_id: UUID) -> RuleRow | None:
    query = _STORED.where(Rule.event_id == event_id, Rule.id == rule_id)
    rules = _with_members(session, event_id, list(session.execute(query)))
    return rules[0] if rules else None


def _with_members(session: Session, event_id: UUID, rules: list[Stored], *, only_seated: bool = False) -> list[RuleRow]:
    if not rules:
        return []
    guests = _SEATED_GUESTS if only_seated else _PRESENT_GUESTS
    if len(rules) == 1:
        guests = guests.where(Rule.id == rules[0][0])
    named, at = _gathered(session, event_id, guests), _tables_named(session, event_id)
    rows = [
        RuleRow(key, kind, named.get(key, ()), at.get(key, ()), version, field=field, number=number)
        for key, kind, version, field, number in rules
    ]
    if any(row.is_of_values for row in rows):
        rows = _with_values(session, event_id, rows, only_seated=only_seated)
    return [row for row in rows if row.applies and (row.concerns_anybody or not only_seated)]


def _with_values(session: Session, event_id: UUID, rows: list[RuleRow], *, only_seated: bool) -> list[RuleRow]:
    """Return the rules with the values they are about, as far as the event still has them, and who has these now."""
    named: dict[UUID, list[ValueKey]] = {}
    for rule_id, field, value in session.execute(_VALUES, {"event": event_id}):
        named.setdefault(rule_id, []).append(ValueKey(field, value))
    placed = {rule_id for rule_id, _ in session.execute(_ALL_TABLES, {"event": event_id})}
    fields = {row.field for row in rows} | {value.field for values in named.values() for value in values}
    known = KnownValues(session, event_id, fields - {""}, only_seated=only_seated)
    return [
        known.fill(row, named.get(row.id, ()), row.id in placed and not row.table_ids) if row.is_of_values else row
        for row in rows
    ]


class KnownValues:
    """The fields that rules are about, and who has which of their values."""

    def __init__(self, session: Session, event_id: UUID, fields: Collection[str], *, only_seated: bool) -> None:
        self._fields = {field.key: field for field in shared_fields(session, event_id) if field.key in fields}
        people = seated_names_of(session, event_id) if only_seated else named_guests(session, event_id)
        self._members: dict[ValueKey, list[UUID]] = {}
        has = {key: values_by_guest(session, event_id, key) for key in self._fields}
        self._order = [person.id for person in people]
        for key, values in has.items():
            for guest in self._order:
                for value in values.get(guest, ()):
                    self._members.setdefault(ValueKey(key, value), []).append(guest)

    def fill(self, row: RuleRow, values: Sequence[ValueKey], lost_tables: bool) -> RuleRow:
        """Return a rule with what it is about."""
        called = {value: name for value in values if (name := self._name(value))}
        kept = tuple(sorted(called, key=lambda value: (called[value].casefold(), value)))
        names, asked = tuple(called[value] for value in kept), kept
        if row.kind in OF_FIELDS and (field := self._fields.get(row.field)):
            names, asked = (field.name,), tuple(ValueKey(field.key, value.key) for value in field.values)
        groups = tuple(tuple(self._members.get(value, ())) for value in asked)
        everyone = set[UUID]().union(*groups)
        guests = tuple(guest for guest in self._order if guest in everyone)
        return replace(row, guest_ids=guests, values=kept, groups=groups, names=names, lost_tables=lost_tables)

    def _name(self, key: ValueKey) -> str:
        field = self._fields.get(key.field)
        value = field.value(key.value) if field else None
        return name_of_value(field, value) if field and value else ""


@once
def _tables_named(session: Session, event_id: UUID) -> dict[UUID, tuple[UUID, ...]]:
    """Return for each rule of the event the present tables that it names."""
    return _gathered(session, event_id, _TABLES)


def _gathered(session: Session, event_id: UUID, query: Select[UUID, UUID]) -> dict[UUID, tuple[UUID, ...]]:
    gathered: dict[UUID, list[UUID]] = {}
    for rule_id, member in session.execute(query, {"event": event_id}):
        gathered.setdefault(rule_id, []).append(member)
    return {rule_id: tuple(members) for rule_id, members in gathered.items()}
