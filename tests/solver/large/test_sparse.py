"""Ratings of few pairs: the same figures as with a matrix, and plans that keep the sizes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.solver.deadline import Deadline
from app.solver.entry import solve
from app.solver.errors import TooLarge
from app.solver.feasibility.check import check_feasibility
from app.solver.large.sparse import solve_sparse
from app.solver.large.sparse_anneal import anneal_sparse, descend_sparse, make_sparse_plan, sparse_value
from app.solver.large.units import make_units
from app.solver.numba_support.random_numbers import random_state
from app.solver.problem import (
    Objective,
    Problem,
    Ratings,
    Rule,
    Table,
    collect_ratings,
    ratings_from_bytes,
    ratings_to_bytes,
)
from app.solver.result import Result
from app.solver.score import guest_figures, mean_squared_error, plan_figures, table_figures, total_score
from tests.solver.full_helpers import broken_rules

RANGES = (Table(5, 0), Table(4, 2), Table(6, 1), Table(4, 4))
FIXED = (Table(5, 5), Table(4, 4), Table(4, 4), Table(2, 2))


def few_ratings(seed: int, guests: int = 15) -> Ratings:
    """Return about four ratings a guest, some pairs rated twice."""
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, guests, (2, 2 * guests))
    return collect_ratings(guests, first, second, rng.integers(-2, 3, 2 * guests))


def quickly(problem: Problem, threads: int | None = None) -> Result:
    """Solve three restarts without a time limit."""
    assert problem.ratings is not None
    return solve_sparse(problem, problem.ratings, restarts=3, seed=1, deadline=Deadline(), threads=threads)


@given(seed=st.integers(0, 500), objective=st.sampled_from(["average", "total"]), ranges=st.booleans())
@settings(max_examples=40)
def test_kernels_keep_sums_sizes_and_places(seed: int, objective: Objective, ranges: bool) -> None:
    ratings = few_ratings(seed)
    problem = Problem(np.zeros((0, 0)), RANGES if ranges else FIXED, objective=objective, ratings=ratings)
    start = np.repeat(np.arange(4), [5, 4, 4, 2] if not ranges else [3, 4, 4, 4])
    plan = make_sparse_plan(problem, ratings, np.random.default_rng(seed).permutation(start))
    anneal_sparse(plan, 1.0, 0.1, 500, ranges, random_state(seed, 0), np.zeros(2))
    annealed = sparse_value(plan)
    descend_sparse(plan, ranges, 1e-9, np.zeros(2))
    fresh = make_sparse_plan(problem, ratings, plan.at)
    np.testing.assert_allclose(plan.sums, fresh.sums, atol=1e-9)
    assert sparse_value(plan) >= annealed - 1e-9
    assert broken_rules(problem, plan.at) == []
    assert (plan.members[plan.at, plan.place] == np.arange(15)).all()
    assert (plan.seated == fresh.seated).all()


@given(seed=st.integers(0, 500), objective=st.sampled_from(["average", "total"]))
@settings(max_examples=20)
def test_descent_ends_where_no_swap_gains(seed: int, objective: Objective) -> None:
    ratings = few_ratings(seed)
    problem = Problem(np.zeros((0, 0)), FIXED, objective=objective, ratings=ratings)
    plan = make_sparse_plan(problem, ratings, np.repeat(np.arange(4), [5, 4, 4, 2]))
    descend_sparse(plan, False, 1e-9, np.zeros(2))
    value = sparse_value(plan)
    for one in range(15):
        for other in range(one):
            at = plan.at.copy()
            at[[one, other]] = at[[other, one]]
            assert sparse_value(make_sparse_plan(problem, ratings, at)) <= value + 1e-6


@given(seed=st.integers(0, 500), objective=st.sampled_from(["average", "total"]))
@settings(max_examples=20)
def test_descent_ends_where_no_move_to_a_free_seat_gains(seed: int, objective: Objective) -> None:
    ratings = few_ratings(seed)
    problem = Problem(np.zeros((0, 0)), RANGES, objective=objective, ratings=ratings)
    plan = make_sparse_plan(problem, ratings, np.repeat(np.arange(4), [3, 4, 4, 4]))
    descend_sparse(plan, True, 1e-9, np.zeros(2))
    value = sparse_value(plan)
    for guest in range(15):
        for table in range(4):
            at = plan.at.copy()
            at[guest] = table
            fits = broken_rules(problem, at) == []
            assert not fits or sparse_value(make_sparse_plan(problem, ratings, at)) <= value + 1e-6


@pytest.mark.parametrize("objective", ["average", "total"])
def test_figures_are_those_of_the_matrix_and_within_the_bound(objective: Objective) -> None:
    ratings = few_ratings(3, guests=60)
    tables = tuple(Table(6) for _ in range(11))
    result = quickly(Problem(np.zeros((0, 0)), tables, objective=objective, ratings=ratings))
    whole = Problem(ratings.as_matrix(), tables, objective=objective)
    assert result.mse == pytest.approx(mean_squared_error(whole.squared_distances, result.assignment, 11))
    assert result.total == pytest.approx(total_score(whole.scores, result.assignment))
    assert result.bound is not None
    assert result.bound <= result.mse if objective == "average" else result.bound >= result.total
    assert broken_rules(whole, result.assignment) == []


def test_same_seed_gives_the_same_plan_on_one_core_and_on_two() -> None:
    problem = Problem(np.zeros((0, 0)), tuple(Table(10) for _ in range(8)), ratings=few_ratings(5, guests=80))
    one, two = quickly(problem, threads=1), quickly(problem, threads=2)
    assert one.assignment.tolist() == two.assignment.tolist()


def test_pair_rated_both_ways_counts_as_the_mean() -> None:
    ratings = collect_ratings(3, [0, 1, 2], [1, 0, 2], [2.0, 1.0, 9.0])
    assert ratings.as_matrix().tolist() == [[0, 1.5, 0], [1.5, 0, 0], [0, 0, 0]]


def test_few_guests_are_solved_as_a_matrix() -> None:
    ratings = few_ratings(1)
    result = solve(Problem(np.zeros((0, 0)), FIXED, ratings=ratings), restarts=4, time_limit=None)
    same = solve(Problem(ratings.as_matrix(), FIXED), restarts=4, time_limit=None)
    assert result.assignment.tolist() == same.assignment.tolist()
    assert result.proven_optimal


def test_rules_in_a_huge_event_are_refused_not_ignored() -> None:
    ratings = collect_ratings(9000, [0], [1], [1.0])
    apart = (Rule("apart", (0, 1)),)
    problem = Problem(np.zeros((0, 0)), tuple(Table(10) for _ in range(900)), rules=apart, ratings=ratings)
    with pytest.raises(TooLarge):
        solve(problem)
    with pytest.raises(TooLarge):
        solve(problem, method="paper")


def test_nobody_rated_is_still_a_plan() -> None:
    problem = Problem(np.zeros((0, 0)), tuple(Table(10) for _ in range(6)), ratings=collect_ratings(55, [], [], []))
    assert broken_rules(problem, quickly(problem).assignment) == []


PARTIES = ((0, 1), (2, 3, 4), (9, 10))
KEPT = {"parties": PARTIES, "rules": (Rule("together", (5, 6)), Rule("pinned", (7,), (2,))), "locked": ((0, 1),)}


@given(seed=st.integers(0, 500), objective=st.sampled_from(["average", "total"]))
@settings(max_examples=40)
def test_kernels_move_units_whole_and_leave_fixed_ones(seed: int, objective: Objective) -> None:
    ratings = few_ratings(seed)
    problem = Problem(np.zeros((0, 0)), RANGES, objective=objective, ratings=ratings, **KEPT)  # type: ignore[arg-type]
    units = make_units(problem, ratings)
    assert units is not None
    first = check_feasibility(problem, seed).at
    plan = make_sparse_plan(problem, ratings, first, units)
    before = sparse_value(plan)
    anneal_sparse(plan, 1.0, 0.1, 500, True, random_state(seed, 0), np.zeros(2))
    descend_sparse(plan, True, 1e-9, np.zeros(2))
    assert broken_rules(problem, units.structure.guests_at(plan.at)) == []
    fresh = make_sparse_plan(problem, ratings, plan.at, units)
    np.testing.assert_allclose(plan.sums, fresh.sums, atol=1e-9)
    assert (plan.seated == fresh.seated).all()
    assert (plan.unit_count == fresh.unit_count).all()
    assert (plan.members[plan.at, plan.place] == np.arange(len(plan.at))).all()
    assert sparse_value(fresh) == pytest.approx(sparse_value(plan))
    # By units or by guests, a plan is worth the same.
    by_guest = make_sparse_plan(problem, ratings, units.structure.guests_at(plan.at))
    assert sparse_value(by_guest) == pytest.approx(sparse_value(plan))
    assert sparse_value(make_sparse_plan(problem, ratings, first, units)) == pytest.approx(before)


@pytest.mark.parametrize("objective", ["average", "total"])
def test_parties_and_locks_are_kept_without_a_matrix(objective: Objective) -> None:
    ratings = few_ratings(7, guests=60)
    parties = tuple((2 * n, 2 * n + 1) for n in range(20))
    tables = tuple(Table(6, 2) for _ in range(11))
    problem = Problem(
        np.zeros((0, 0)), tables, objective=objective, ratings=ratings, parties=parties, locked=((0, 3), (50, 4))
    )
    result = quickly(problem)
    assert broken_rules(problem, result.assignment) == []
    whole = Problem(ratings.as_matrix(), tables, objective=objective)
    assert result.mse == pytest.approx(mean_squared_error(whole.squared_distances, result.assignment, 11))
    assert result.total == pytest.approx(total_score(whole.scores, result.assignment))


@given(seed=st.integers(0, 500), objective=st.sampled_from(["average", "total"]))
@settings(max_examples=20)
def test_figures_of_few_pairs_are_those_of_the_matrix(seed: int, objective: Objective) -> None:
    ratings = few_ratings(seed)
    few = Problem(np.zeros((0, 0)), RANGES, objective=objective, ratings=ratings)
    whole = Problem(ratings.as_matrix(), RANGES, objective=objective)
    at = np.random.default_rng(seed).permutation(np.repeat([-1, 0, 1, 2, 3], [1, 3, 4, 4, 3]))
    assert guest_figures(few, at) == guest_figures(whole, at)
    assert table_figures(few, at) == table_figures(whole, at)
    assert plan_figures(few, at) == plan_figures(whole, at)
    here = at >= 0
    squared = whole.squared_distances[np.ix_(here, here)]
    mse, total = plan_figures(few, at)
    assert mse == pytest.approx(mean_squared_error(squared, at[here], len(RANGES)))
    assert total == pytest.approx(total_score(whole.scores[np.ix_(here, here)], at[here]))


@given(seed=st.integers(0, 500))
@settings(max_examples=20)
def test_ratings_come_back_from_bytes(seed: int) -> None:
    ratings = few_ratings(seed)
    data = b"head" + ratings_to_bytes(ratings)
    assert ratings_from_bytes(data, 4, 15).as_matrix().tolist() == ratings.as_matrix().tolist()
