"""`FixedSizeKMeans` as scikit-learn expects an estimator to be, and as good as the algorithm that it offers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.utils.estimator_checks import check_estimator

from app.solver import FixedSizeKMeans, Problem, Table, distances_between, solve

POINTS = np.random.default_rng(7).normal(size=(30, 3))


def test_estimator_passes_the_checks_of_scikit_learn() -> None:
    results = check_estimator(FixedSizeKMeans(n_clusters=3, n_init=4, random_state=0), on_fail=None)
    assert len(results) > 30
    assert [result["check_name"] for result in results if result["status"] not in ("passed", "skipped")] == []


@settings(max_examples=25)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(1, 4), st.integers(0, 1000))
def test_every_cluster_has_its_size(sizes: list[int], dimensions: int, seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(sum(sizes), dimensions))
    found = FixedSizeKMeans(sizes=sizes, n_init=3, random_state=seed).fit(points)
    assert np.bincount(found.labels_, minlength=len(sizes)).tolist() == sizes
    means = [points[found.labels_ == cluster].mean(axis=0) for cluster in range(len(sizes))]
    np.testing.assert_allclose(found.cluster_centers_, means, atol=1e-12)
    spread = ((points - found.cluster_centers_[found.labels_]) ** 2).sum()
    assert found.inertia_ == pytest.approx(spread, abs=1e-9)
    assert found.n_iter_ >= 1


def test_clusters_without_sizes_are_as_equal_as_possible() -> None:
    labels = FixedSizeKMeans(n_clusters=4, n_init=2, random_state=1).fit_predict(POINTS)
    assert sorted(np.bincount(labels).tolist()) == [7, 7, 8, 8]


def test_same_random_state_gives_the_same_clusters() -> None:
    one = FixedSizeKMeans(sizes=(10, 20), n_init=5, random_state=3).fit(POINTS)
    again = clone(one).fit(POINTS)
    assert np.array_equal(one.labels_, again.labels_)


def test_points_far_from_the_origin_give_the_same_clusters() -> None:
    near = FixedSizeKMeans(sizes=(12, 18), n_init=5, random_state=3).fit(POINTS)
    far = FixedSizeKMeans(sizes=(12, 18), n_init=5, random_state=3).fit(POINTS + 1e6)
    assert np.array_equal(near.labels_, far.labels_)


def test_estimator_finds_what_the_paper_method_finds() -> None:
    problem = Problem(distances_between(POINTS), (Table(15, 15), Table(15, 15)), kind="distance")
    plan = solve(problem, method="paper", restarts=200, time_limit=None)
    found = FixedSizeKMeans(sizes=(15, 15), n_init=200, random_state=1).fit(POINTS)
    assert found.inertia_ == pytest.approx(plan.mse * len(POINTS), rel=1e-9)


def test_free_sizes_are_never_worse() -> None:
    free = KMeans(3, n_init=50, random_state=1).fit(POINTS)
    sizes = np.bincount(free.labels_).tolist()
    found = FixedSizeKMeans(sizes=sizes, n_init=200, random_state=1).fit(POINTS)
    assert free.inertia_ <= found.inertia_ + 1e-9
    assert found.inertia_ <= free.inertia_ * 1.02


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sizes": (10, 19)}, "sizes add up to 29, but n_samples=30"),
        ({"sizes": (0, 30)}, "whole numbers of at least 1"),
        ({"sizes": (15.5, 14.5)}, "whole numbers of at least 1"),
        ({"n_clusters": 31}, "n_samples=30 should be >= n_clusters=31"),
        ({"n_init": 0}, "n_init=0 should be at least 1"),
    ],
)
def test_impossible_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FixedSizeKMeans(**options).fit(POINTS)
