"""Plans for guests who may not come."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.solver import Problem, Table, compare_attendance, expected_problem, total_score

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


def test_report_says_what_a_plan_costs_gains_and_keeps() -> None:
    scores = np.zeros((4, 4))
    scores[0, 1] = scores[1, 0] = 2.0
    scores[0, 2] = scores[2, 0] = 1.5
    problem = Problem(scores, (Table(2, 2), Table(2, 2)), objective="total")
    chances = np.array([1.0, 0.1, 1.0, 1.0])
    report = compare_attendance(problem, chances, np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1]), seed=1)
    assert (report.uncertain, report.price) == (1, 0.25)
    assert report.gain > 1
    assert 0 < report.kept < 0.3
