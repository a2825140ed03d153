"""Guests given as points: centroid form and pairs agree, and plans keep the sizes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.solver.clustering.embedding import distances_between
from app.solver.deadline import Deadline
from app.solver.large.points import solve_points
from app.solver.large.points_anneal import anneal_cloud, cloud_value, make_cloud
from app.solver.numba_support.random_numbers import random_state
from app.solver.problem import Objective, Problem, Table
from app.solver.score import mean_squared_error, total_score
from tests.solver.full_helpers import broken_rules

TABLES = tuple(Table(size, size) for size in (5, 4, 6, 5))
START = np.repeat(np.arange(4), [5, 4, 6, 5])


@given(seed=st.integers(0, 500), objective=st.sampled_from(["average", "total"]))
@settings(max_examples=30)
def test_worth_in_centroid_form_is_that_of_the_pairs(seed: int, objective: Objective) -> None:
    points = np.random.default_rng(seed).normal(size=(20, 3))
    points -= points.mean(axis=0)
    problem = Problem(distances_between(points), TABLES, kind="distance", objective=objective)
    cloud = make_cloud(points, START, 4, objective)
    anneal_cloud(cloud, 1.0, 0.1, 300, random_state(seed, 0), np.zeros(2))
    fresh = make_cloud(points, cloud.at, 4, objective)
    np.testing.assert_allclose(cloud.sums, fresh.sums, atol=1e-9)
    assert broken_rules(problem, cloud.at) == []
    if objective == "total":
        expected = total_score(problem.scores, cloud.at)
    else:
        expected = -20 * mean_squared_error(problem.squared_distances, cloud.at, 4)
    assert cloud_value(cloud) == pytest.approx(expected)


@given(seed=st.integers(0, 500), objective=st.sampled_from(["average", "total"]))
@settings(max_examples=20)
def test_swaps_are_taken_only_if_they_gain_when_it_is_cold(seed: int, objective: Objective) -> None:
    points = np.random.default_rng(seed).normal(size=(20, 2))
    points -= points.mean(axis=0)
    cloud = make_cloud(points, START, 4, objective)
    before = cloud_value(cloud)
    anneal_cloud(cloud, 1e-12, 1e-13, 400, random_state(seed, 0), np.zeros(2))
    assert cloud_value(cloud) >= before - 1e-9


def test_separate_groups_of_points_find_the_tables_of_their_sizes() -> None:
    rng = np.random.default_rng(4)
    group = np.repeat(np.arange(4), [6, 5, 5, 4])
    points = 100.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])[group] + rng.normal(size=(20, 2))
    result = solve_points(Problem(np.zeros((0, 0)), TABLES, points=points), restarts=2, seed=1, deadline=Deadline())
    company = {frozenset(np.flatnonzero(result.assignment == table).tolist()) for table in range(4)}
    assert company == {frozenset(np.flatnonzero(group == number).tolist()) for number in range(4)}
    squared = distances_between(points) ** 2
    assert result.mse == pytest.approx(mean_squared_error(squared, result.assignment, 4))


def test_same_seed_gives_the_same_plan_on_one_core_and_on_two() -> None:
    points = np.random.default_rng(9).normal(size=(60, 2))
    problem = Problem(np.zeros((0, 0)), tuple(Table(6) for _ in range(11)), points=points)
    one = solve_points(problem, restarts=3, seed=2, deadline=Deadline(), threads=1)
    two = solve_points(problem, restarts=3, seed=2, deadline=Deadline(), threads=2)
    assert one.assignment.tolist() == two.assignment.tolist()


def test_equal_points_are_still_a_plan() -> None:
    points = np.zeros((20, 2))
    problem = Problem(np.zeros((0, 0)), TABLES, points=points)
    plan = solve_points(problem, restarts=1, seed=1, deadline=Deadline()).assignment
    assert broken_rules(problem, plan) == []
