"""Reads of rules."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Row, Select, bindparam, select
from sqlalchemy.orm import Session

from app.db.conditions import is_seated
from app.db.models import Guest, Rule, RuleGuest, RuleTable, Table
from app.db.once import once

LEAST_GUESTS = {"together": 2, "apart": 2, "side_by_side": 2, "pinned": 1}


@dataclass(frozen=True)
class RuleRow:
    """A rule with the present guests and tables it names, in their order."""

    id: UUID
    kind: str
    guest_ids: tuple[UUID, ...]
    table_ids: tuple[UUID, ...]
    version: int

    @property
    def applies(self) -> bool:
        """Whether enough of whom it names is left; removing a guest or a table can put a rule to rest."""
        return len(self.guest_ids) >= LEAST_GUESTS[self.kind] and (self.kind != "pinned" or bool(self.table_ids))


# Made once, because each page of a plan asks these: to make a query takes as long as to run it.
_OF_EVENT = Rule.event_id == bindparam("event")
_KINDS = select(Rule.id, Rule.kind, Rule.version).where(_OF_EVENT).order_by(Rule.id)
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


@once
def rules_of(session: Session, event_id: UUID, *, only_seated: bool = False) -> list[RuleRow]:
    """Return the rules that apply, in the order in which they were made.

    With `only_seated` whoever is not to be seated counts as removed, as it is for a run.
    """
    return _with_members(session, event_id, _kinds_of(session, event_id), only_seated=only_seated)


@once
def _kinds_of(session: Session, event_id: UUID) -> list[Row[UUID, str, int]]:
    """Return what the rules are, without whom they name."""
    return list(session.execute(_KINDS, {"event": event_id}))


def rule_of(session: Session, event_id: UUID, rule_id: UUID) -> RuleRow | None:
    query = select(Rule.id, Rule.kind, Rule.version).where(Rule.event_id == event_id, Rule.id == rule_id)
    rules = _with_members(session, event_id, list(session.execute(query)))
    return rules[0] if rules else None


def _with_members(
    session: Session, event_id: UUID, rules: list[Row[UUID, str, int]], *, only_seated: bool = False
) -> list[RuleRow]:
    if not rules:
        return []
    guests = _SEATED_GUESTS if only_seated else _PRESENT_GUESTS
    if len(rules) == 1:
        guests = guests.where(Rule.id == rules[0][0])
    named, at = _gathered(session, event_id, guests), _tables_named(session, event_id)
    rows = [RuleRow(key, kind, named.get(key, ()), at.get(key, ()), version) for key, kind, version in rules]
    return [row for row in rows if row.applies]


@once
def _tables_named(session: Session, event_id: UUID) -> dict[UUID, tuple[UUID, ...]]:
    """Return for each rule of the event the present tables that it names."""
    return _gathered(session, event_id, _TABLES)


def _gathered(session: Session, event_id: UUID, query: Select[UUID, UUID]) -> dict[UUID, tuple[UUID, ...]]:
    gathered: dict[UUID, list[UUID]] = {}
    for rule_id, member in session.execute(query, {"event": event_id}):
        gathered.setdefault(rule_id, []).append(member)
    return {rule_id: tuple(members) for rule_id, members in gathered.items()}
