"""What a rule says: one wording for pages, messages and the API, and for what the solver explains."""

from __future__ import annotations

from collections.abc import Sequence

from app.problem.queries.rules import RuleRow
from app.problem.value_rules import value_rule_text
from app.sentences import list_in_words
from app.solver import predicate_of


def rule_in_words(kind: str, guests: Sequence[str], tables: Sequence[str]) -> str:
    """Return a rule in words: `Anna and Béla sit apart`."""
    words = [list_in_words(guests), predicate_of(kind, len(guests))]
    return " ".join([*words, list_in_words(tables, "or")] if kind == "pinned" else words)


def row_in_words(rule: RuleRow, guests: Sequence[str], tables: Sequence[str]) -> str:
    """Return a stored rule in words, with the names of its guests and tables; one about values has its own names."""
    return value_rule_text(rule, tables) if rule.is_of_values else rule_in_words(rule.kind, guests, tables)
