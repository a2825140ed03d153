"""What goes with a plan: other good plans, and who is certain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.solver.deadline import Deadline
from app.solver.full import solve_full
from app.solver.large.points import solve_points
from app.solver.large.sparse import solve_sparse
from app.solver.problem import Problem, Rule, Table, collect_ratings
from app.solver.search.pool import MOST_MATCHED, Member, Pool, differing
from tests.solver.full_helpers import broken_rules, solve_quickly


def random_problem(guests: int, seed: int = 1) -> Problem:
    """Return guests at tables of six with some seats to spare."""
    matrix = np.random.default_rng(seed).integers(-2, 3, (guests, guests)).astype(float)
    return Problem(matrix, tuple(Table(6, 0) for _ in range(-(-guests // 6) + 1)), objective="total")


def test_other_plans_keep_the_rules_are_different_and_no_better() -> None:
    problem = replace(random_problem(20), rules=(Rule("apart", (0, 1)), Rule("together", (2, 3))))
    result = solve_quickly(problem, restarts=40)
    assert len(result.alternatives) <= 4
    plans = [result.assignment, *(plan.assignment for plan in result.alternatives)]
    for plan in result.alternatives:
        assert broken_rules(problem, plan.assignment) == []
        assert plan.total <= result.total
    for place, one in enumerate(plans):
        assert all(len(differing(one, other, len(problem.tables))) >= 2 for other in plans[:place])


def test_twin_couples_who_could_change_places_are_a_toss_up() -> None:
    scores = np.zeros((8, 8))
    for one, other in ((0, 1), (2, 3), (4, 5), (6, 7)):
        scores[one, other] = scores[other, one] = 2.0
    result = solve_quickly(Problem(scores, (Table(4, 4), Table(4, 4)), objective="total"), restarts=40)
    assert result.pair_frequency is not None
    assert result.pair_frequency[0, 1] == 1.0
    assert 0.0 < result.pair_frequency[0, 2] < 1.0
    np.testing.assert_allclose(result.pair_frequency, result.pair_frequency.T)
    assert len(result.alternatives) == 2


def test_large_event_has_other_good_plans_and_pairs_that_are_a_toss_up() -> None:
    problem = random_problem(420)
    result = solve_full(problem, restarts=1000, seed=1, deadline=Deadline(1.5), threads=2)
    assert result.alternatives
    for plan in result.alternatives:
        assert broken_rules(problem, plan.assignment) == []
        assert plan.total <= result.total
    assert result.pair_frequency is not None
    assert ((result.pair_frequency > 0.0) & (result.pair_frequency < 1.0)).any()


@pytest.mark.parametrize("form", ["ratings", "points"])
def test_event_without_a_matrix_has_other_good_plans(form: str) -> None:
    rng, tables = np.random.default_rng(1), (Table(5, 5),) * 12
    first, second = rng.integers(0, 60, (2, 300))
    ratings = collect_ratings(60, first, second, rng.integers(-2, 3, 300))
    points = rng.normal(size=(60, 6))
    if form == "ratings":
        problem = Problem(np.zeros((0, 0)), tables, ratings=ratings)
        result = solve_sparse(problem, ratings, restarts=6, seed=1, deadline=Deadline())
    else:
        problem = Problem(np.zeros((0, 0)), tables, points=points, kind="distance")
        result = solve_points(problem, restarts=6, seed=1, deadline=Deadline())
    assert 1 <= len(result.alternatives) <= 4
    for plan in result.alternatives:
        assert broken_rules(problem, plan.assignment) == []
        assert plan.mse >= result.mse - 1e-12
        assert len(differing(plan.assignment, result.assignment, 12)) >= 6


def test_tables_matched_one_after_the_other_tell_plans_apart_as_well() -> None:
    rng = np.random.default_rng(3)
    one = rng.permutation(np.repeat(np.arange(MOST_MATCHED + 1), 4))
    renamed = rng.permutation(MOST_MATCHED + 1)[one]
    assert len(differing(one, renamed, MOST_MATCHED + 1)) == 0
    swapped = renamed.copy()
    first, second = np.flatnonzero(one == 0)[0], np.flatnonzero(one == 1)[0]
    swapped[[first, second]] = swapped[[second, first]]
    assert set(differing(one, swapped, MOST_MATCHED + 1)) == {first, second}


def test_pool_keeps_the_better_of_two_twins() -> None:
    pool = Pool(4, 2)
    pool.add(Member(1.0, np.array([0, 0, 1, 1]), 0))
    assert pool.add(Member(2.0, np.array([1, 1, 0, 0]), 1))
    assert [member.value for member in pool.members] == [2.0]
