"""Rules: what no plan may break. They tell who must not meet, so they are for editors only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import delete, insert
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import flag_modified

from app.db.models import Rule, RuleGuest, RuleTable
from app.errors import FieldError, Invalid, NotFound
from app.events.context import EventContext
from app.guests.queries import guests as guest_queries
from app.problem.queries import rules as queries
from app.problem.queries.rules import LEAST_GUESTS, RuleRow
from app.tables import queries as table_queries

MAX_RULES = 10_000


@dataclass(frozen=True)
class RuleEntry:
    """A rule as entered."""

    kind: str
    guest_ids: tuple[UUID, ...]
    table_ids: tuple[UUID, ...] = ()

    @property
    def meaning(self) -> tuple[str, frozenset[UUID], frozenset[UUID]]:
        """What makes two rules the same."""
        return self.kind, frozenset(self.guest_ids), frozenset(self.table_ids)


@dataclass(frozen=True)
class Present:
    """Who and what a rule of the event may name."""

    guests: set[UUID]
    tables: set[UUID]


def list_rules(ctx: EventContext) -> list[RuleRow]:
    """Return the rules that apply, in the order in which they were made."""
    ctx.require("editor")
    return queries.rules_of(ctx.session, ctx.event_id)


def resting_for(ctx: EventContext) -> dict[UUID, tuple[UUID, ...]]:
    """Return for each rule that applies whom it names in vain, because they are not to be seated."""
    event = ctx.require("editor")
    seated = {guest.id for guest in guest_queries.seated_guests_of(ctx.session, event)}
    rows = queries.rules_of(ctx.session, ctx.event_id)
    away = {row.id: tuple(guest for guest in row.guest_ids if guest not in seated) for row in rows}
    return {rule_id: guests for rule_id, guests in away.items() if guests}


def show_rule(ctx: EventContext, rule_id: UUID) -> RuleRow:
    ctx.require("editor")
    return _rule(ctx.session, ctx.event_id, rule_id)


def add_rule(ctx: EventContext, entry: RuleEntry) -> RuleRow:
    ctx.edit(only="rules")
    stored = queries.rules_of(ctx.session, ctx.event_id)
    _refuse_too_many(len(stored) + 1)
    _check(entry, _present(ctx.session, ctx.event_id))
    if entry.meaning in {_meaning(row) for row in stored}:
        raise Invalid(FieldError("guests", "This rule already exists."))
    rule_id = _insert(ctx.session, ctx.event_id, [entry])[0]
    return _rule(ctx.session, ctx.event_id, rule_id)


def ensure_rule(ctx: EventContext, entry: RuleEntry) -> RuleRow:
    """Make a rule unless it is there already, and return it."""
    ctx.edit(only="rules")
    same = (row for row in queries.rules_of(ctx.session, ctx.event_id) if _meaning(row) == entry.meaning)
    return next(same, None) or add_rule(ctx, entry)


def change_rule(ctx: EventContext, rule_id: UUID, entry: RuleEntry) -> RuleRow:
    ctx.edit(only="rules")
    _rule(ctx.session, ctx.event_id, rule_id)
    _check(entry, _present(ctx.session, ctx.event_id))
    others = {_meaning(row) for row in queries.rules_of(ctx.session, ctx.event_id) if row.id != rule_id}
    if entry.meaning in others:
        raise Invalid(FieldError("guests", "This rule already exists."))
    rule = ctx.session.get_one(Rule, rule_id)
    rule.kind = entry.kind
    flag_modified(rule, "kind")  # whom it names is part of what its version stands for
    ctx.session.execute(delete(RuleGuest).where(RuleGuest.rule_id == rule_id))
    ctx.session.execute(delete(RuleTable).where(RuleTable.rule_id == rule_id))
    ctx.session.flush()
    _insert_members(ctx.session, {rule_id: entry})
    return _rule(ctx.session, ctx.event_id, rule_id)


def delete_rule(ctx: EventContext, rule_id: UUID) -> RuleRow:
    """Delete a rule and return what it said, so that it can be made again."""
    ctx.edit(only="rules")
    row = _rule(ctx.session, ctx.event_id, rule_id)
    ctx.session.execute(delete(Rule).where(Rule.id == rule_id))
    return row


def replace_rules(ctx: EventContext, entries: Sequence[RuleEntry]) -> list[RuleRow]:
    """Make these the event's rules; one that says the same as before stays, the others are deleted."""
    ctx.edit(only="rules")
    _refuse_too_many(len(entries), "rules")
    _check_all(entries, _present(ctx.session, ctx.event_id))
    stored = {_meaning(row): row.id for row in queries.rules_of(ctx.session, ctx.event_id)}
    wanted = {entry.meaning for entry in entries}
    kept = [rule_id for meaning, rule_id in stored.items() if meaning in wanted]
    ctx.session.execute(delete(Rule).where(Rule.event_id == ctx.event_id, Rule.id.not_in(kept)))
    _insert(ctx.session, ctx.event_id, [entry for entry in entries if entry.meaning not in stored])
    return queries.rules_of(ctx.session, ctx.event_id)


def _check_all(entries: Sequence[RuleEntry], present: Present) -> None:
    faults: list[FieldError] = []
    first: dict[object, int] = {}
    for number, entry in enumerate(entries):
        faults += _faults(entry, present, f"rules/{number}/")
        earlier = first.setdefault(entry.meaning, number)
        if earlier != number:
            faults.append(FieldError(f"rules/{number}", f"Duplicate rule (also rules/{earlier})."))
    if faults:
        raise Invalid(faults[:100])


def _check(entry: RuleEntry, present: Present) -> None:
    faults = _faults(entry, present)
    if faults:
        raise Invalid(faults)


def _faults(entry: RuleEntry, present: Present, where: str = "") -> list[FieldError]:
    if entry.kind not in LEAST_GUESTS:
        return [FieldError(f"{where}kind", f"The kind must be one of {', '.join(LEAST_GUESTS)}.")]
    faults = [
        FieldError(f"{where}guests/{number}", "Guest not found in this event.")
        for number, guest_id in enumerate(entry.guest_ids)
        if guest_id not in present.guests
    ]
    faults += [
        FieldError(f"{where}tables/{number}", "Table not found in this event.")
        for number, table_id in enumerate(entry.table_ids)
        if table_id not in present.tables
    ]
    return faults + _faults_of_numbers(entry, where)


def _faults_of_numbers(entry: RuleEntry, where: str) -> list[FieldError]:
    guests, faults = len(set(entry.guest_ids)), []
    if guests != len(entry.guest_ids):
        faults.append(FieldError(f"{where}guests", "Duplicate guest."))
    elif guests < LEAST_GUESTS[entry.kind]:
        wanted = "one guest" if entry.kind == "pinned" else "two guests"
        faults.append(FieldError(f"{where}guests", f"This kind of rule needs at least {wanted}."))
    if entry.kind == "side_by_side" and guests > 2:
        faults.append(FieldError(f"{where}guests", "Side by side is for two guests. Add one rule per pair."))
    if entry.kind == "pinned" and not entry.table_ids:
        faults.append(FieldError(f"{where}tables", "Choose a table."))
    if entry.kind != "pinned" and entry.table_ids:
        faults.append(FieldError(f"{where}tables", "Only pinned rules take tables."))
    return faults


def _refuse_too_many(count: int, where: str = "guests") -> None:
    if count > MAX_RULES:
        raise Invalid(FieldError(where, f"That would be {count:,} rules; maximum {MAX_RULES:,} per event."))


def _insert(session: Session, event_id: UUID, entries: Sequence[RuleEntry]) -> list[UUID]:
    rules = [Rule(event_id=event_id, kind=entry.kind) for entry in entries]
    session.add_all(rules)
    session.flush()
    _insert_members(session, {rule.id: entry for rule, entry in zip(rules, entries, strict=True)})
    return [rule.id for rule in rules]


def _insert_members(session: Session, entries: Mapping[UUID, RuleEntry]) -> None:
    guests = [{"rule_id": key, "guest_id": guest} for key, entry in entries.items() for guest in entry.guest_ids]
    tables = [{"rule_id": key, "table_id": table} for key, entry in entries.items() for table in set(entry.table_ids)]
    if guests:
        session.execute(insert(RuleGuest), guests)
    if tables:
        session.execute(insert(RuleTable), tables)


def _meaning(row: RuleRow) -> object:
    return RuleEntry(row.kind, row.guest_ids, row.table_ids).meaning


def _present(session: Session, event_id: UUID) -> Present:
    tables = {table.id for table in table_queries.tables_of(session, event_id)}
    return Present(guest_queries.guest_ids_of(session, event_id), tables)


def _rule(session: Session, event_id: UUID, rule_id: UUID) -> RuleRow:
    row = queries.rule_of(session, event_id, rule_id)
    if row is None:
        raise NotFound("Rule not found in this event.")
    return row
