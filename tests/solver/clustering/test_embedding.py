"""The embedding is scikit-learn's, with every positive dimension kept."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.manifold import ClassicalMDS

from app.solver.clustering.embedding import Embedding, embed, embed_points, squared_distances
from app.solver.problem import FloatArray, Problem, Table


def random_squared(guests: int, seed: int) -> FloatArray:
    """Return the d² of random scores, which are not Euclidean."""
    scores = np.random.default_rng(seed).normal(size=(guests, guests))
    return Problem(scores, (Table(guests),)).squared_distances


def assert_same_points(one: FloatArray, other: FloatArray) -> None:
    """Compare up to the sign of each dimension."""
    assert one.shape == other.shape
    signs = np.where((one * other).sum(axis=0) < 0, -1.0, 1.0)
    np.testing.assert_allclose(one, other * signs, atol=1e-8)


@pytest.mark.parametrize("guests", [3, 10, 60, 300])
def test_points_equal_those_of_scikit_learn(guests: int) -> None:
    squared = random_squared(guests, guests)
    ours = embed(squared).points
    theirs = ClassicalMDS(n_components=ours.shape[1], metric="precomputed").fit_transform(np.sqrt(squared))
    assert_same_points(ours, theirs)


@pytest.mark.parametrize("guests", [10, 60])
def test_every_positive_dimension_is_kept(guests: int) -> None:
    squared = random_squared(guests, 7)
    with np.errstate(invalid="ignore"):
        scaling = ClassicalMDS(n_components=guests, metric="precomputed")
        scaling.fit(np.sqrt(squared))
    eigenvalues = scaling.eigenvalues_
    assert embed(squared).points.shape[1] == (eigenvalues > 1e-10 * eigenvalues.max()).sum()


def test_points_come_back_with_their_distances_and_dimensions() -> None:
    points = np.random.default_rng(1).normal(size=(40, 6)) * np.array([9, 5, 3, 2, 1, 0.5])
    squared = squared_distances(points)
    embedding = embed(squared)
    assert embedding.is_whole
    assert embedding.points.shape == (40, 6)
    np.testing.assert_allclose(squared_distances(embedding.points), squared, atol=1e-9)
    assert_same_points(embed_points(points).points, embedding.points)


def test_scores_that_are_not_euclidean_are_said_to_be_incomplete() -> None:
    assert not embed(random_squared(30, 2)).is_whole


def test_guests_all_alike_have_no_dimension_and_a_map_of_one_place() -> None:
    embedding = embed(np.zeros((5, 5)))
    assert embedding.points.shape == (5, 0)
    assert embedding.is_whole
    assert np.array_equal(embedding.positions, np.zeros((5, 2)))


def test_one_guest_has_a_place_on_the_map() -> None:
    assert np.array_equal(embed(np.zeros((1, 1))).positions, np.zeros((1, 2)))


def test_two_guests_lie_on_one_line() -> None:
    positions = embed(np.array([[0.0, 4.0], [4.0, 0.0]])).positions
    assert abs(positions[0, 0] - positions[1, 0]) == pytest.approx(2.0)
    assert not positions[:, 1].any()


def test_the_map_shows_the_two_widest_dimensions() -> None:
    points = np.random.default_rng(3).normal(size=(30, 4))
    embedding = Embedding(points, is_whole=True)
    assert np.array_equal(embedding.positions, points[:, :2])
    spread = embed(squared_distances(points)).points.var(axis=0)
    assert (np.diff(spread) <= 0).all()
