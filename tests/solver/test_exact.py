"""The proof finds the best plan there is: compared with every plan, one by one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, reject, settings

from app.solver.blocks import Blocks
from app.solver.errors import Unsolvable
from app.solver.problem import Problem, Table
from tests.solver.full_helpers import blocks_of, events, solve_quickly


def best_value(blocks: Blocks) -> float:
    """Try every plan."""
    plans = product(range(blocks.table_count), repeat=blocks.count)
    return max(blocks.value(np.array(plan)) for plan in plans if blocks.keeps_rules(np.array(plan)))


@settings(deadline=None, max_examples=40)
@given(events(most_guests=7))
def test_proven_plan_is_the_best_of_all_plans(problem: Problem) -> None:
    try:
        blocks, _ = blocks_of(problem)
        result = solve_quickly(problem, restarts=1)
    except Unsolvable:
        reject()
    if result.proven_optimal:
        found = blocks.value(blocks.structure.blocks_at(result.assignment))
        assert found == pytest.approx(best_value(blocks), abs=1e-9)


@pytest.mark.parametrize("objective", ["average", "total"])
def test_paper_sized_party_is_proven(objective) -> None:  # type: ignore[no-untyped-def]
    scores = np.random.default_rng(8).integers(-2, 3, (16, 16)).astype(float)
    problem = Problem(scores, tuple(Table(s, s) for s in (4, 3, 5, 4)), objective=objective)
    result = solve_quickly(problem, restarts=8)
    assert result.proven_optimal
    assert result.bound == pytest.approx(result.mse if objective == "average" else result.total)


def test_published_wedding_of_seventeen_reaches_its_proven_optimum() -> None:
    """Bellows & Peterson, "Finding an optimal seating chart for a wedding": 276 at five tables of at most four."""
    scores = np.zeros((17, 17))
    scores[:9, :9] = scores[9:, 9:] = 1
    for one, other, score in ((0, 1, 50), (2, 3, 50), (4, 5, 50), (6, 7, 50), (9, 10, 50), (2, 8, 10)):
        scores[one, other] = scores[other, one] = score
    for tables, optimum in (((4,) * 5, 276), ((10,) * 2, 318)):
        problem = Problem(scores, tuple(Table(most) for most in tables), objective="total")
        result = solve_quickly(problem, restarts=8)
        assert result.proven_optimal
        assert result.total == optimum
