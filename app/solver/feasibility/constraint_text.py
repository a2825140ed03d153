"""Constraints in words, with the guests' and tables' names."""

from __future__ import annotations

from collections.abc import Sequence

from app.sentences import list_in_words
from app.solver.feasibility.structure import Constraint
from app.solver.problem import Problem, Rule

NAMED_AT_MOST = 12


def constraint_text(problem: Problem, constraint: Constraint) -> str:
    """Describe a party, rule or lock in words."""
    if constraint.source == "party":
        return f"the household of {guest_names(problem, problem.parties[constraint.index])} sits together"
    if constraint.source == "locked":
        guest, table = problem.locked[constraint.index]
        return f"{guest_names(problem, (guest,))} stays at {table_names(problem, (table,))}"
    rule = problem.rules[constraint.index]
    return rule.text or _rule_text(problem, rule)


def _rule_text(problem: Problem, rule: Rule) -> str:
    names = guest_names(problem, rule.guests)
    match rule.kind:
        case "together":
            return f"{names} sit together"
        case "apart":
            return f"{names} sit apart"
        case "side_by_side":
            return f"{names} sit side by side"
    verb = "sits" if len(rule.guests) == 1 else "sit"
    return f"{names} {verb} at {table_names(problem, rule.tables)}"


def guest_names(problem: Problem, guests: Sequence[int]) -> str:
    """List guests by name, or by number where there are no names; of many only the first ones."""
    most = len(guests) if len(guests) <= NAMED_AT_MOST + 1 else NAMED_AT_MOST
    names = [problem.names[i] if i < len(problem.names) else f"guest {i + 1}" for i in guests[:most]]
    return list_in_words([*names, f"{len(guests) - most:,} others"] if most < len(guests) else names)


def table_names(problem: Problem, tables: Sequence[int]) -> str:
    """List tables by name, or by number where they have none."""
    return list_in_words([problem.tables[t].name or f"Table {t + 1}" for t in tables], "or") or "no table"
