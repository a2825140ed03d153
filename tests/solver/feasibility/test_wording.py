"""A rule has one wording, in pages and in what the solver explains."""

from __future__ import annotations

import numpy as np
import pytest

from app.rules.wording import rule_in_words
from app.solver import Problem, Rule, RuleKind, Table
from app.solver.feasibility.structure import Constraint
from app.solver.feasibility.wording import constraint_text

RULES: list[tuple[RuleKind, tuple[int, ...], str]] = [
    ("together", (0, 1, 2), "Anna, Béla and Cleo sit together"),
    ("apart", (0, 1), "Anna and Béla sit apart"),
    ("side_by_side", (1, 2), "Béla and Cleo sit side by side"),
    ("pinned", (0,), "Anna sits at Elm or Ash"),
    ("pinned", (0, 1), "Anna and Béla sit at Elm or Ash"),
]


@pytest.mark.parametrize(("kind", "guests", "words"), RULES)
def test_solver_says_a_rule_in_the_same_words(kind: RuleKind, guests: tuple[int, ...], words: str) -> None:
    names, tables = ("Anna", "Béla", "Cleo"), ("Elm", "Ash")
    named_tables = (0, 1) if kind == "pinned" else ()
    rule = Rule(kind, guests, named_tables)
    problem = Problem(np.zeros((3, 3)), tuple(Table(2, name=name) for name in tables), names=names, rules=(rule,))
    assert rule_in_words(kind, [names[i] for i in guests], [tables[t] for t in named_tables]) == words
    assert constraint_text(problem, Constraint("rule", 0)) == words
