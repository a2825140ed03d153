"""Rules, parties and locks in words: the only place for the wording of rules about guests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.sentences import list_in_words
from app.solver.problem import Problem, Rule

if TYPE_CHECKING:
    from app.solver.feasibility.structure import Constraint

NAMED_AT_MOST = 12
PREDICATES = {"together": "together", "apart": "apart", "side_by_side": "side by side", "pinned": "at"}


def constraint_text(problem: Problem, constraint: Constraint) -> str:
    """Describe a party, rule or lock in words."""
    if constraint.source == "party":
        return f"the household of {guest_names(problem, problem.parties[constraint.index])} sits together"
    if constraint.source == "locked":
        guest, table = problem.locked[constraint.index]
        return f"{guest_names(problem, (guest,))} stays at {table_names(problem, (table,))}"
    rule = problem.rules[constraint.index]
    return rule.text or _rule_text(problem, rule)


def predicate_of(kind: str, guests: int) -> str:
    """Return what a rule says about its guests; the tables of a pinned rule follow it."""
    return f"{'sits' if guests == 1 else 'sit'} {PREDICATES[kind]}"


def _rule_text(problem: Problem, rule: Rule) -> str:
    if rule.kind not in PREDICATES:
        return _group_rule_text(problem, rule)
    words = f"{guest_names(problem, rule.guests)} {predicate_of(rule.kind, len(rule.guests))}"
    return f"{words} {table_names(problem, rule.tables)}" if rule.kind == "pinned" else words


def _group_rule_text(problem: Problem, rule: Rule) -> str:
    """Describe a rule about whole groups, which usually brings its own text."""
    groups = list_in_words([f"({guest_names(problem, group)})" for group in rule.groups])
    match rule.kind:
        case "groups_apart":
            return f"no table has guests of two of {groups}"
        case "balance":
            return f"each table has its share of {groups}"
        case "alternate":
            return f"{groups} alternate around each table"
    limits = [f"at least {rule.least}"] if rule.least else []
    limits += [] if rule.most is None else [f"at most {rule.most}"]
    where = f"at {table_names(problem, rule.tables)}" if rule.tables else "at each table"
    return f"{list_in_words(limits)} of {guest_names(problem, rule.guests)} sit {where}"


def guest_names(problem: Problem, guests: Sequence[int]) -> str:
    """List guests by name, or by number where there are no names; of many only the first ones."""
    most = len(guests) if len(guests) <= NAMED_AT_MOST + 1 else NAMED_AT_MOST
    names = [problem.names[i] if i < len(problem.names) else f"guest {i + 1}" for i in guests[:most]]
    return list_in_words([*names, f"{len(guests) - most:,} others"] if most < len(guests) else names)


def table_names(problem: Problem, tables: Sequence[int]) -> str:
    """List tables by name, or by number where they have none."""
    return list_in_words([problem.tables[t].name or f"Table {t + 1}" for t in tables], "or") or "no table"
