"""The order around a table is the best there is up to twelve seats, and keeps side-by-side rules at any size."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.solver.entry import solve
from app.solver.errors import Contradiction
from app.solver.feasibility.side_by_side import Row, first_side
from app.solver.order.seating import order_seats, order_table, order_value, seat_pairs
from app.solver.problem import FloatArray, IntArray, Problem, Rule, Shape, Table
from tests.solver.full_helpers import are_neighbours

Order = tuple[int, ...]


def random_scores(guests: int, seed: int) -> FloatArray:
    """Return symmetric scores with a diagonal of zeros."""
    scores = np.random.default_rng(seed).normal(size=(guests, guests))
    scores = (scores + scores.T) / 2
    np.fill_diagonal(scores, 0.0)
    return np.asarray(scores)


def keeps(order: Order | IntArray, rows: list[Row], first: int | None) -> bool:
    """Say whether all who must be neighbours are, worked out seat by seat."""
    seat = {int(guest): number for number, guest in enumerate(order)}
    return all(_touch(seat[one], seat[other], len(order), first) for row in rows for one, other in row.pairs)


def _touch(one: int, other: int, seats: int, first: int | None) -> bool:
    if first is None:
        return abs(one - other) in (1, seats - 1)
    return abs(one - other) == 1 and (one < first) == (other < first)


@pytest.mark.parametrize("rows", [[], [(0, 1)], [(0, 1), (2, 3)], [(0, 2, 1)], [(3, 1, 0, 2)]])
@pytest.mark.parametrize("shape", ["round", "long", "line"])
@pytest.mark.parametrize("guests", [4, 5, 6, 7])
def test_order_is_the_best_of_all_orders_that_keep_the_rules(guests: int, shape: Shape, rows: list[Order]) -> None:
    own = [Row(row) for row in rows]
    table = Table(11, shape=shape)
    first = None if table.goes_around else first_side([len(row) for row in rows], guests, table.sides)
    assert shape != "line" or first == guests
    orders = [order for order in permutations(range(guests)) if keeps(order, own, first)]
    for seed in range(2):
        scores = random_scores(guests, seed)
        found = order_table(scores, first, own)
        best = max(order_value(scores, np.array(order), first) for order in orders)
        assert keeps(found, own, first)
        assert order_value(scores, found, first) == pytest.approx(best)


@settings(max_examples=60)
@given(st.sampled_from(["round", "long", "line"]), st.integers(3, 30), st.integers(0, 4), st.data())
def test_rows_that_fit_stay_in_one_piece(shape: Shape, guests: int, spare: int, data: st.DataObject) -> None:
    table = Table(guests + spare, shape=shape)
    numbers = list(np.random.default_rng(guests).permutation(guests))
    rules: list[Rule] = []
    for length in data.draw(st.lists(st.integers(2, 5), max_size=6)):
        row, numbers = numbers[:length], numbers[length:]
        rules += [Rule("side_by_side", (int(one), int(other))) for one, other in pairwise(row)]
    problem = Problem(random_scores(guests, 1) * 10, (table,), rules=tuple(rules))
    try:
        result = solve(problem, restarts=1, time_limit=None)
    except Contradiction:
        assert shape == "long"
        return
    assert all(are_neighbours(problem, result, *rule.guests) for rule in rules)


def test_ring_sits_around_a_round_table() -> None:
    rules = [Rule("side_by_side", pair) for pair in ((0, 3), (3, 1), (1, 4), (4, 2), (2, 0))]
    problem = Problem(random_scores(5, 1), (Table(8),), rules=tuple(rules))
    result = solve(problem, restarts=1, time_limit=None)
    assert all(are_neighbours(problem, result, *rule.guests) for rule in rules)


@pytest.mark.parametrize("first", [None, 8, 11])
def test_local_search_leaves_no_swap_that_gains(first: int | None) -> None:
    scores = random_scores(16, 3)
    order = order_table(scores, first, [])
    value = order_value(scores, order, first)
    for p in range(16):
        for q in range(p):
            swapped = order.copy()
            swapped[[p, q]] = swapped[[q, p]]
            assert order_value(scores, swapped, first) <= value + 1e-9


def test_local_search_ends_with_rules_kept_whenever_time_is_over() -> None:
    rows = [Row((0, 5, 9)), Row((1, 15))]
    for passes in range(6):
        left = iter([False] * passes)
        order = order_table(random_scores(16, 3) * 10, 9, rows, lambda left=left: next(left, True))  # type: ignore[misc]
        assert keeps(order, rows, 9)
        assert sorted(order) == list(range(16))


def test_tables_after_the_time_is_over_keep_the_rules_too() -> None:
    tables = (Table(6, shape="long"), Table(7, shape="long"))
    problem = Problem(random_scores(12, 1), tables, rules=(Rule("side_by_side", (0, 5)), Rule("side_by_side", (6, 11))))
    assignment = np.repeat([0, 1], 6)
    seats = order_seats(problem, assignment, lambda: True)
    assert sorted(seats[:6]) == sorted(seats[6:]) == list(range(6))
    assert keeps(np.argsort(seats[:6]), [Row((0, 5))], 3)
    assert keeps(np.argsort(seats[6:]), [Row((0, 5))], 3)


def test_seats_of_a_long_table_face_each_other() -> None:
    (p, q), (o, r) = seat_pairs(5, 3)
    assert list(zip(p.tolist(), q.tolist(), strict=True)) == [(0, 1), (1, 2), (3, 4)]
    assert list(zip(o.tolist(), r.tolist(), strict=True)) == [(0, 4), (1, 3)]


def test_longer_side_has_nobody_opposite_its_end() -> None:
    (p, q), (o, r) = seat_pairs(5, 4)
    assert list(zip(p.tolist(), q.tolist(), strict=True)) == [(0, 1), (1, 2), (2, 3)]
    assert list(zip(o.tolist(), r.tolist(), strict=True)) == [(0, 4)]


@pytest.mark.parametrize("unit", [1e-10, 1e10])
def test_order_of_a_large_table_is_the_same_in_any_unit(unit: float) -> None:
    scores = np.triu(np.random.default_rng(0).integers(-2, 3, (16, 16)).astype(np.float64), 1)
    scores += scores.T
    assert order_table(scores * unit, None, []).tolist() == order_table(scores, None, []).tolist()
