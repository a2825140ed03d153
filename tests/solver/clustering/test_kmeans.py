"""k-means with fixed sizes: the kernel is the plain version, only faster."""

from __future__ import annotations

import numpy as np
import pytest

from app.solver.clustering.embedding import embed, squared_distances
from app.solver.clustering.kmeans import Space, follow_restart, make_space, make_trial, run_restarts
from app.solver.clustering.reference import restart_by_slots as reference_restart
from app.solver.problem import FloatArray, IntArray, Objective, Problem, Table
from app.solver.score import mean_squared_error, total_score

PARTY = np.array([4, 4, 5, 6, 3])


def party_points(seed: int, dimensions: int = 10, guests: int = 22) -> FloatArray:
    return np.random.default_rng(seed).normal(size=(guests, dimensions))


def space_of(points: FloatArray, sizes: IntArray, objective: Objective = "average") -> Space:
    squared = squared_distances(points)
    return make_space(squared, embed(squared), sizes, objective)


@pytest.mark.parametrize("dimensions", [1, 2, 4, 10, 30])
def test_restarts_equal_the_plain_version_from_the_same_centroids(dimensions: int) -> None:
    points = party_points(1, dimensions)
    space = space_of(points, PARTY)
    for number in range(40):
        chosen, plan, mses = follow_restart(space, seed=3, restart=number)
        expected_plan, expected = reference_restart(points, PARTY, chosen)
        assert np.array_equal(plan, expected_plan)
        np.testing.assert_allclose(mses, expected, rtol=1e-9)


@pytest.mark.parametrize(("guests", "tables"), [(200, 4), (200, 40), (400, 3)])
def test_restarts_equal_the_plain_version_for_larger_parties(guests: int, tables: int) -> None:
    points = party_points(2, 3, guests)
    sizes = np.full(tables, guests // tables)
    sizes[0] += guests - sizes.sum()
    space = space_of(points, sizes)
    for number in range(3):
        chosen, plan, mses = follow_restart(space, seed=1, restart=number)
        expected_plan, expected = reference_restart(points, sizes, chosen)
        assert np.array_equal(plan, expected_plan)
        np.testing.assert_allclose(mses, expected, rtol=1e-9)


def test_costs_come_from_points_of_few_dimensions_and_from_pairs_otherwise() -> None:
    assert len(space_of(party_points(1, 2, 60), np.full(6, 10)).near) == 0
    assert len(space_of(party_points(1, 20, 60), np.full(6, 10)).points) == 0


@pytest.mark.parametrize("kind", ["points", "scores", "ties", "zeros"])
def test_mse_never_rises_from_iteration_to_iteration(kind: str) -> None:
    rng = np.random.default_rng(5)
    matrices = {
        "points": squared_distances(rng.normal(size=(60, 3))),
        "scores": Problem(rng.normal(size=(60, 60)), (Table(60),)).squared_distances,
        "ties": Problem(rng.integers(0, 2, (60, 60)).astype(float), (Table(60),)).squared_distances,
        "zeros": np.zeros((60, 60)),
    }
    squared = matrices[kind]
    space = make_space(squared, embed(squared), np.full(6, 10), "average")
    for number in range(60):
        _, plan, mses = follow_restart(space, seed=2, restart=number)
        assert np.array_equal(np.bincount(plan), np.full(6, 10))
        assert len(mses) >= 1
        assert (np.diff(mses) <= 1e-12 * mses[:-1]).all()


def test_mse_of_the_points_equals_the_pairwise_formula() -> None:
    points = party_points(6, 4)
    squared = squared_distances(points)
    for number in range(20):
        _, plan, mses = follow_restart(space_of(points, PARTY), seed=1, restart=number)
        assert mses[-1] == pytest.approx(mean_squared_error(squared, plan, len(PARTY)), rel=1e-12)


def test_centroids_are_different_points_and_every_point_can_be_one() -> None:
    space = space_of(party_points(7), PARTY)
    drawn = np.array([follow_restart(space, seed=1, restart=number)[0] for number in range(600)])
    assert all(len(set(row)) == len(PARTY) for row in drawn)
    often = np.bincount(drawn.ravel(), minlength=22)
    # 600 draws of 5 from 22: 136 each on average, with a standard deviation of about 10.
    assert often.min() > 85
    assert often.max() < 190


def test_restarts_and_seeds_start_from_different_points() -> None:
    space = space_of(party_points(8), PARTY)
    starts = {tuple(follow_restart(space, seed=seed, restart=number)[0]) for seed in range(10) for number in range(10)}
    assert len(starts) == 100


@pytest.mark.parametrize("objective", ["average", "total"])
def test_restarts_are_ranked_by_the_matrix_itself(objective: Objective) -> None:
    scores = np.random.default_rng(9).normal(size=(22, 22))
    problem = Problem(scores, tuple(Table(int(size), int(size)) for size in PARTY), objective=objective)
    squared = problem.squared_distances
    space = make_space(squared, embed(squared), PARTY, objective)
    values = []
    for number in range(30):
        _, plan, _ = follow_restart(space, seed=1, restart=number)
        average = mean_squared_error(squared, plan, len(PARTY))
        values.append(average if objective == "average" else -total_score(problem.scores, plan))
    from_kernel = kernel_values(space, 30)
    offset = from_kernel[0] - values[0]
    np.testing.assert_allclose(from_kernel, np.array(values) + offset, rtol=1e-9)
    assert objective == "total" or offset == pytest.approx(0.0, abs=1e-12)


def kernel_values(space: Space, restarts: int) -> FloatArray:
    values, steps = np.empty(restarts), np.zeros(restarts, dtype=np.int64)
    best = np.zeros(len(space.squared), dtype=np.int64)
    never = np.zeros(1, dtype=np.int64)
    run_restarts(space, make_trial(space), 1, 0, never, values, steps, best, np.zeros(0))
    return values
