"""Why a rule that counts guests cannot hold even alone, in numbers."""

from __future__ import annotations

from app.sentences import count
from app.solver.problem import Problem, Rule


def impossible_numbers(problem: Problem, rule: Rule) -> str:
    """Say that the tables need more guests than there are, or take fewer; nothing where it is not that simple."""
    if rule.kind != "count":
        return ""
    guests = len(rule.guests)
    named = rule.tables or range(len(problem.tables))
    never_empty = sum(problem.tables[table].least > 0 or bool(rule.tables) for table in named)
    if never_empty * rule.least > guests:
        return f"{_product(never_empty, rule.least)}, but only {guests:,} {_are(guests)} coming."
    if rule.most is not None and not rule.tables and len(named) * rule.most < guests:
        return f"{_product(len(named), rule.most)}, but {guests:,} {_are(guests)} coming."
    return ""


def _product(tables: int, each: int) -> str:
    return f"{count(tables, 'table')} × {each:,} = {tables * each:,}"


def _are(guests: int) -> str:
    return "is" if guests == 1 else "are"
