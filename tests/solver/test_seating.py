"""The order around a table is the best there is up to twelve seats, and keeps side-by-side rules at any size."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest

from app.solver.problem import FloatArray, Shape
from app.solver.seating import order_table, order_value, seat_graph


def random_scores(guests: int, seed: int) -> FloatArray:
    """Return symmetric scores with a diagonal of zeros."""
    scores = np.random.default_rng(seed).normal(size=(guests, guests))
    scores = (scores + scores.T) / 2
    np.fill_diagonal(scores, 0.0)
    return np.asarray(scores)


@pytest.mark.parametrize("shape", ["round", "long"])
@pytest.mark.parametrize("guests", [3, 4, 5, 6, 7])
def test_order_is_the_best_of_all_orders(guests: int, shape: Shape) -> None:
    for seed in range(4):
        scores = random_scores(guests, seed)
        best = max(order_value(scores, np.array(order), shape) for order in permutations(range(guests)))
        assert order_value(scores, order_table(scores, shape, []), shape) == pytest.approx(best)


@pytest.mark.parametrize("shape", ["round", "long"])
@pytest.mark.parametrize("guests", [5, 8, 11, 14, 21])
def test_rows_stay_in_one_piece(guests: int, shape: Shape) -> None:
    scores = random_scores(guests, guests) * 10
    row = (0, guests - 1)
    order = list(order_table(scores, shape, [row, (1, 2)]))
    beside, _ = seat_graph(guests, shape)
    for one, other in (*pairwise(row), (1, 2)):
        assert beside[order.index(one), order.index(other)] == 1.0


@pytest.mark.parametrize("shape", ["round", "long"])
def test_local_search_leaves_no_swap_that_gains(shape: Shape) -> None:
    scores = random_scores(16, 3)
    order = order_table(scores, shape, [])
    value = order_value(scores, order, shape)
    for p in range(16):
        for q in range(p):
            swapped = order.copy()
            swapped[[p, q]] = swapped[[q, p]]
            assert order_value(scores, swapped, shape) <= value + 1e-9


def test_seats_of_a_long_table_face_each_other() -> None:
    beside, opposite = seat_graph(5, "long")
    assert [(int(p), int(q)) for p, q in zip(*np.nonzero(np.triu(beside)), strict=True)] == [(0, 1), (1, 2), (3, 4)]
    assert [(int(p), int(q)) for p, q in zip(*np.nonzero(np.triu(opposite)), strict=True)] == [(0, 4), (1, 3)]
