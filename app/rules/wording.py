"""What a rule says: one wording for pages, messages and the API. The solver explains contradictions in the same words.

It cannot import them, because it is below this package; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.problem.queries.rules import RuleRow
from app.problem.value_rules import value_rule_text
from app.sentences import list_in_words

PREDICATES = {"together": "together", "apart": "apart", "side_by_side": "side by side", "pinned": "at"}


def predicate_of(kind: str, guests: int) -> str:
    """Return what a rule says about its guests; the tables of a pinned rule follow it."""
    return f"{'sits' if guests == 1 else 'sit'} {PREDICATES[kind]}"


def rule_in_words(kind: str, guests: Sequence[str], tables: Sequence[str]) -> str:
    """Return a rule in words: `Anna and Béla sit apart`."""
    words = [list_in_words(guests), predicate_of(kind, len(guests))]
    return " ".join([*words, list_in_words(tables, "or")] if kind == "pinned" else words)


def row_in_words(rule: RuleRow, guests: Sequence[str], tables: Sequence[str]) -> str:
    """Return a stored rule in words, with the names of its guests and tables; one about values has its own names."""
    return value_rule_text(rule, tables) if rule.is_of_values else rule_in_words(rule.kind, guests, tables)
