"""Rules: what no plan may break. They say who must not sit together, so they are for editors only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from sqlalchemy import delete, insert
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import flag_modified

from app.db.models import Rule, RuleGuest, RuleTable, RuleValue
from app.db.models.rules import VALUE_KINDS
from app.errors import FieldError, Invalid, NotFound
from app.events.context import EventContext
from app.guests.queries import guests as guest_queries
from app.guests.shared_values import shared_fields
from app.problem.queries import rules as queries
from app.problem.queries.rules import RuleRow
from app.rules.entries import RuleEntry, RuleTargets, check_all, entry_of, faults_besides, faults_of
from app.tables import queries as table_queries

MAX_RULES, MAX_VALUE_RULES = 10_000, 200
"""All rules, and those about groups and other values: each of these may be about every guest."""


def list_rules(ctx: EventContext) -> list[RuleRow]:
    """Return the rules that apply, in the order in which they were made."""
    ctx.require("editor")
    return queries.rules_of(ctx.session, ctx.event_id)


def resting_for(ctx: EventContext) -> dict[UUID, tuple[UUID, ...]]:
    """Return for each rule that applies the guests it names who are not to be seated."""
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
    _refuse_too_many([*(row.kind for row in stored), entry.kind], _subject(entry))
    _check(ctx, entry, stored)
    rule_id = _insert(ctx.session, ctx.event_id, [entry])[0]
    return _rule(ctx.session, ctx.event_id, rule_id)


def ensure_rule(ctx: EventContext, entry: RuleEntry) -> RuleRow:
    """Make a rule unless it is there already, and return it."""
    ctx.edit(only="rules")
    same = (row for row in queries.rules_of(ctx.session, ctx.event_id) if entry_of(row).meaning == entry.meaning)
    return next(same, None) or add_rule(ctx, entry)


def change_rule(ctx: EventContext, rule_id: UUID, entry: RuleEntry) -> RuleRow:
    ctx.edit(only="rules")
    _rule(ctx.session, ctx.event_id, rule_id)
    others = [row for row in queries.rules_of(ctx.session, ctx.event_id) if row.id != rule_id]
    _refuse_too_many([*(row.kind for row in others), entry.kind], _subject(entry))
    _check(ctx, entry, others)
    rule = ctx.session.get_one(Rule, rule_id)
    rule.kind, rule.field, rule.number = entry.kind, entry.field, entry.number
    flag_modified(rule, "kind")  # whom it names is part of what its version stands for
    ctx.session.execute(delete(RuleGuest).where(RuleGuest.rule_id == rule_id))
    ctx.session.execute(delete(RuleTable).where(RuleTable.rule_id == rule_id))
    ctx.session.execute(delete(RuleValue).where(RuleValue.rule_id == rule_id))
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
    _refuse_too_many([entry.kind for entry in entries], "rules")
    check_all(entries, _present(ctx, entries))
    stored = {entry_of(row).meaning: row.id for row in queries.rules_of(ctx.session, ctx.event_id)}
    wanted = {entry.meaning for entry in entries}
    kept = [rule_id for meaning, rule_id in stored.items() if meaning in wanted]
    ctx.session.execute(delete(Rule).where(Rule.event_id == ctx.event_id, Rule.id.not_in(kept)))
    _insert(ctx.session, ctx.event_id, [entry for entry in entries if entry.meaning not in stored])
    return queries.rules_of(ctx.session, ctx.event_id)


def _check(ctx: EventContext, entry: RuleEntry, others: Sequence[RuleRow]) -> None:
    """Refuse a rule that makes no sense, exists already, or contradicts another one by itself."""
    faults = faults_of(entry, _present(ctx, [entry])) or list(faults_besides(entry, [entry_of(row) for row in others]))
    if faults:
        raise Invalid(faults)


def _subject(entry: RuleEntry) -> str:
    if entry.kind in queries.OF_FIELDS:
        return "field"
    return "values" if entry.kind in VALUE_KINDS else "guests"


def _refuse_too_many(kinds: Sequence[str], where: str) -> None:
    count, of_values = len(kinds), sum(kind in VALUE_KINDS for kind in kinds)
    if count > MAX_RULES:
        raise Invalid(FieldError(where, f"That would be {count:,} rules; maximum {MAX_RULES:,} per event."))
    if of_values > MAX_VALUE_RULES:
        text = f"That would be {of_values:,} rules for groups; maximum {MAX_VALUE_RULES:,} per event."
        raise Invalid(FieldError(where, text))


def _insert(session: Session, event_id: UUID, entries: Sequence[RuleEntry]) -> list[UUID]:
    rules = [Rule(event_id=event_id, kind=e.kind, field=e.field, number=e.number) for e in entries]
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
    values = [{"rule_id": key, **value._asdict()} for key, entry in entries.items() for value in set(entry.values)]
    if values:
        session.execute(insert(RuleValue), values)


def _present(ctx: EventContext, entries: Sequence[RuleEntry]) -> RuleTargets:
    tables = {table.id for table in table_queries.tables_of(ctx.session, ctx.event_id)}
    fields = shared_fields(ctx.session, ctx.event_id) if any(entry.values or entry.field for entry in entries) else ()
    return RuleTargets(
        guest_queries.guest_ids_of(ctx.session, ctx.event_id), tables, {field.key: field for field in fields}
    )


def _rule(session: Session, event_id: UUID, rule_id: UUID) -> RuleRow:
    row = queries.rule_of(session, event_id, rule_id)
    if row is None:
        raise NotFound("Rule not found in this event.")
    return row


__all__ = ["RuleEntry", "add_rule", "change_rule", "delete_rule", "ensure_rule", "list_rules", "replace_rules"]
