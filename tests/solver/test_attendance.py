"""Plans for guests who may not come."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.solver import (
    FloatArray,
    IntArray,
    Objective,
    Problem,
    Table,
    check_feasibility,
    compare_attendance,
    expected_problem,
    total_score,
)
from app.solver.search.blocks import build_blocks

GUESTS = 6


@given(st.integers(0, 2**31), st.lists(st.sampled_from([0.1, 0.5, 0.8, 1.0]), min_size=GUESTS, max_size=GUESTS))
def test_total_of_the_weighed_problem_is_the_expected_total(seed: int, chances: list[float]) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.integers(-2, 3, (GUESTS, GUESTS)).astype(float)
    problem = Problem(scores, (Table(4), Table(4)), objective="total")
    seated, p = rng.integers(0, 2, GUESTS), np.array(chances)
    expected = 0.0
    for come in product((False, True), repeat=GUESTS):
        there = np.array(come)
        chance = float(np.prod(np.where(there, p, 1 - p)))
        expected += chance * total_score(problem.scores[np.ix_(there, there)], seated[there])
    assert np.isclose(total_score(expected_problem(problem, p).scores, seated), expected)


@given(st.sampled_from(["average", "total"]), st.sampled_from(["score", "distance"]), st.integers(0, 2**31))
def test_problem_stays_the_same_if_everyone_comes(objective: str, kind: str, seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, 3, (GUESTS, GUESTS)).astype(float)
    problem = Problem(values, (Table(3), Table(3)), kind=kind, objective=objective)  # type: ignore[arg-type]
    weighed = expected_problem(problem, np.ones(GUESTS)).matrix
    np.fill_diagonal(weighed, 0.0)
    own = problem.symmetric.copy()
    np.fill_diagonal(own, 0.0)
    assert np.allclose(weighed, own)


def even_odds(scores: dict[tuple[int, int], float], **others: Any) -> tuple[Problem, FloatArray]:
    """Return four guests at two tables for two, the last of whom comes in half of the cases."""
    matrix = np.zeros((4, 4))
    for (one, other), score in scores.items():
        matrix[one, other] = matrix[other, one] = score
    problem = Problem(matrix, (Table(2), Table(2)), objective="total", **others)
    return problem, np.array([1.0, 1.0, 1.0, 0.5])


TWO_PAIRS, CROSSED = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])


def test_plan_is_better_than_one_that_is_worth_nothing() -> None:
    problem, chances = even_odds({(0, 1): 1.0})
    report = compare_attendance(problem, chances, TWO_PAIRS, CROSSED, seed=1)
    assert (report.gain, report.price) == (1.0, -1.0)
    worse = compare_attendance(problem, chances, CROSSED, TWO_PAIRS, seed=1)
    assert (worse.gain, worse.price) == (-1.0, 1.0)
    assert compare_attendance(problem, chances, TWO_PAIRS, TWO_PAIRS, seed=1).gain == 0.0


@pytest.mark.parametrize("objective", ["total", "average"])
def test_guests_left_alone_count_in_the_comparison(objective: Objective) -> None:
    problem, chances = even_odds({(0, 1): 5.0, (0, 2): 1.0, (1, 3): 1.0})
    without = replace(problem, objective=objective)
    assert compare_attendance(without, chances, CROSSED, TWO_PAIRS, seed=1).gain < 0
    fair = replace(without, fairness=20.0)
    assert compare_attendance(fair, chances, CROSSED, TWO_PAIRS, seed=1).gain > 0


@pytest.mark.parametrize("objective", ["total", "average"])
def test_moves_count_in_the_comparison(objective: Objective) -> None:
    problem, chances = even_odds({(0, 1): 5.0, (0, 2): 1.0}, previous=(0, 1, 0, -1))
    without = replace(problem, objective=objective)
    assert compare_attendance(without, chances, TWO_PAIRS, CROSSED, seed=1).gain > 0
    dear = replace(without, move_cost=3.0)
    assert compare_attendance(dear, chances, TWO_PAIRS, CROSSED, seed=1).gain < 0


@pytest.mark.parametrize("objective", ["total", "average"])
@pytest.mark.parametrize("plan", [TWO_PAIRS, CROSSED])
def test_comparison_counts_what_the_search_counts(objective: Objective, plan: IntArray) -> None:
    """If everyone comes, the price is that of the objective of the search, in the units that are reported."""
    problem, _ = even_odds({(0, 1): 5.0, (0, 2): 1.0}, previous=(0, 1, 0, -1), fairness=2.0, move_cost=0.5)
    problem = replace(problem, objective=objective)
    feasible = check_feasibility(problem)
    blocks = build_blocks(problem, feasible.structure)
    one, other = (blocks.value(feasible.structure.blocks_at(at)) for at in (plan, TWO_PAIRS))
    report = compare_attendance(problem, np.ones(4), plan, TWO_PAIRS, seed=1)
    assert np.sign(report.price) == np.sign(round(other - one, 9))


def test_report_says_what_a_plan_costs_gains_and_keeps() -> None:
    scores = np.zeros((4, 4))
    scores[0, 1] = scores[1, 0] = 2.0
    scores[0, 2] = scores[2, 0] = 1.5
    problem = Problem(scores, (Table(2, 2), Table(2, 2)), objective="total")
    chances = np.array([1.0, 0.1, 1.0, 1.0])
    report = compare_attendance(problem, chances, np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1]), seed=1)
    assert (report.uncertain, report.price) == (1, 0.25)
    assert report.gain > 0.5
    assert 0 < report.kept < 0.3


def test_plans_that_are_worth_nothing_but_rounding_are_compared_by_their_difference() -> None:
    matrix = np.zeros((6, 6))
    for one, other, score in ((0, 1, 0.1), (0, 2, 0.2), (1, 2, -0.3), (0, 3, 1.0), (1, 4, 1.0)):
        matrix[one, other] = matrix[other, one] = score
    problem = Problem(matrix, (Table(3), Table(3)), objective="total")
    plan, usual = np.array([0, 1, 0, 0, 1, 1]), np.array([0, 0, 0, 1, 1, 1])
    assert 0 < abs(total_score(problem.scores, usual)) < 1e-15
    report = compare_attendance(problem, np.array([1, 1, 1, 1, 1, 0.5]), plan, usual, 1)
    assert (report.price, report.gain) == (-1.0, 1.0)


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1e6])
def test_comparison_is_the_same_in_any_unit(unit: float) -> None:
    places = np.random.default_rng(0).normal(size=(12, 2))
    distances = np.linalg.norm(places[:, None] - places, axis=2)
    usual, plan = np.arange(12) % 3, np.argsort(np.argsort(places[:, 0])) // 4
    chances = np.where(np.arange(12) % 2, 1.0, 0.5)
    one, other = (
        compare_attendance(Problem(distances * size, (Table(4),) * 3, kind="distance"), chances, plan, usual, 1)
        for size in (1.0, unit)
    )
    assert one.gain > 0.1
    assert (other.gain, other.price) == pytest.approx((one.gain, one.price))
