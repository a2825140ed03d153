"""The map of many guests is that of all dimensions, and a rough one comes at once."""

from __future__ import annotations

import numpy as np
import pytest

from app.solver.clustering.embedding import embed, squared_distances
from app.solver.clustering.guest_map import WHOLE_GUESTS, map_positions

MANY = WHOLE_GUESTS + 60


def test_map_of_many_guests_is_that_of_all_dimensions() -> None:
    points = np.random.default_rng(1).normal(size=(MANY, 6)) * [9.0, 5.0, 2.0, 1.0, 1.0, 1.0]
    squared = squared_distances(points - points.mean(axis=0))
    rough, whole = map_positions(squared), embed(squared).positions
    np.testing.assert_allclose(np.abs(rough), np.abs(whole), atol=0.05 * np.abs(whole).max())


def test_map_without_wide_dimensions_ends_with_what_it_has() -> None:
    scores = np.random.default_rng(2).integers(-2, 3, (MANY, MANY)).astype(float)
    squared = 2.0 - (scores + scores.T) / 2
    np.fill_diagonal(squared, 0.0)
    width = (embed(squared).positions ** 2).sum(axis=0)
    found = (map_positions(squared) ** 2).sum(axis=0)
    assert (found >= 0.9 * width).all()
    assert (found <= width * (1 + 1e-9)).all()
    assert np.isfinite(map_positions(squared, lambda: True)).all()


@pytest.mark.parametrize("dimensions", [0, 1])
def test_guests_at_one_point_or_on_one_line_have_a_map(dimensions: int) -> None:
    points = np.zeros((MANY, 1)) + np.arange(MANY)[:, None] * dimensions
    positions = map_positions(squared_distances(points - points.mean(axis=0)))
    assert np.isfinite(positions).all()
    np.testing.assert_allclose(np.ptp(positions, axis=0), [(MANY - 1) * dimensions, 0.0], atol=1e-4 * MANY)
