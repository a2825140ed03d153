"""Rules that cannot all hold are explained by a smallest set of them, in names."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from app.solver.errors import Contradiction, TooFewSeats
from app.solver.feasibility.check import check_feasibility
from app.solver.feasibility.contradictions import is_satisfiable
from app.solver.feasibility.structure import all_constraints
from app.solver.problem import Problem, Rule, RuleKind, Table

PATIENCE = 300.0
"""The smallest set is found in milliseconds, but on a busy machine not within the usual seconds."""
NAMES = ("Aino", "Bo", "Carl", "Dora", "Eva", "Finn", "Greta", "Hugo", "Ida")


def problem_with(*rules: Rule, parties: tuple[tuple[int, ...], ...] = (), locked=()) -> Problem:  # type: ignore[no-untyped-def]
    """Return nine guests at three tables of three."""
    tables = tuple(Table(3, 3, name) for name in ("Oak", "Elm", "Ash"))
    return Problem(np.zeros((9, 9)), tables, names=NAMES, rules=rules, parties=parties, locked=locked)


def contradiction_of(problem: Problem) -> Contradiction:
    """Return what the check raises."""
    with pytest.raises(Contradiction) as caught:
        check_feasibility(problem, explain_seconds=PATIENCE)
    return caught.value


def test_together_and_apart_contradict_each_other() -> None:
    found = contradiction_of(
        problem_with(Rule("apart", (4, 5)), Rule("together", (0, 1)), Rule("pinned", (7,), (0,)), Rule("apart", (0, 1)))
    )
    assert found.rules == (1, 3)
    assert "Aino and Bo sit together" in found.message
    assert "Aino and Bo sit apart" in found.message
    assert found.cheapest_rule in (1, 3)


def test_rule_is_given_up_rather_than_a_party() -> None:
    problem = problem_with(Rule("apart", (0, 1)), parties=((0, 1),))
    hating = np.zeros((9, 9))
    hating[0, 1] = hating[1, 0] = -2.0
    found = contradiction_of(replace(problem, matrix=hating))
    assert (found.cheapest_rule, found.cheapest_party) == (0, None)


def test_pins_to_two_tables_contradict_a_party() -> None:
    found = contradiction_of(
        problem_with(Rule("pinned", (0,), (0,)), Rule("pinned", (1,), (1, 2)), parties=((0, 1), (4, 5)))
    )
    assert (found.rules, found.parties) == ((0, 1), (0,))
    assert "the household of Aino and Bo sits together" in found.message
    assert "Bo sits at Elm or Ash" in found.message


def test_party_larger_than_every_table_is_named() -> None:
    found = contradiction_of(problem_with(parties=((0, 1, 2, 3),)))
    assert found.parties == (0,)


def test_locked_guests_who_fill_a_table_leave_no_room() -> None:
    locked = ((0, 0), (1, 0), (2, 0))
    found = contradiction_of(problem_with(Rule("pinned", (3,), (0,)), locked=locked))
    assert found.rules == (0,)
    assert found.locked == (0, 1, 2)
    assert "Carl stays at Oak" in found.message


def test_guest_with_three_neighbours_is_impossible() -> None:
    rules = (Rule("side_by_side", (0, 1)), Rule("side_by_side", (0, 2)), Rule("side_by_side", (0, 3)))
    assert contradiction_of(problem_with(*rules)).rules == (0, 1, 2)


def test_more_mutual_strangers_than_tables_is_impossible() -> None:
    pairs = [Rule("apart", pair) for pair in combinations((0, 1, 2, 3), 2)]
    found = contradiction_of(problem_with(Rule("apart", (7, 8)), *pairs))
    assert found.rules == (1, 2, 3, 4, 5, 6)


@pytest.mark.parametrize("seed", range(12))
def test_contradicting_set_is_a_smallest_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kinds: tuple[RuleKind, ...] = ("together", "apart")
    rules = [Rule(kinds[rng.integers(2)], tuple(int(g) for g in rng.choice(9, 2, replace=False))) for _ in range(9)]
    problem = problem_with(*rules)
    constraints = all_constraints(problem)
    if is_satisfiable(problem, constraints):
        assert check_feasibility(problem).at.min() >= 0
        return
    found = contradiction_of(problem)
    assert not is_satisfiable(problem, tuple(constraints[i] for i in found.rules))
    for fewer in combinations(constraints, len(found.rules) - 1):
        assert is_satisfiable(problem, fewer)


def test_too_few_seats_are_counted() -> None:
    with pytest.raises(TooFewSeats, match="9 guests but only 6 seats"):
        check_feasibility(Problem(np.zeros((9, 9)), (Table(3), Table(3))))
