"""Sizes of tables before a solve: all guests seated, spare seats spread evenly."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.solver.errors import BadTable, NoGuests, TooFewSeats, TooManySeatsToFill
from app.solver.feasibility.table_sizes import size_limits, table_sizes
from app.solver.problem import Problem, Table


def problem(guests: int, *tables: tuple[int, int]) -> Problem:
    return Problem(np.zeros((guests, guests)), tuple(Table(most, least) for least, most in tables))


@pytest.mark.parametrize(
    ("guests", "tables", "sizes"),
    [
        (22, [(4, 4), (4, 4), (5, 5), (6, 6), (3, 3)], [4, 4, 5, 6, 3]),
        (22, [(0, 8), (0, 8), (0, 8)], [8, 7, 7]),
        (18, [(0, 10), (0, 10), (0, 4)], [8, 8, 2]),
        (24, [(0, 8), (0, 8), (0, 8), (0, 2)], [8, 7, 7, 2]),
        (10, [(4, 6), (4, 10)], [4, 6]),
        (12, [(5, 6), (0, 10)], [5, 7]),
        (3, [(0, 1), (0, 8)], [0, 3]),
        (3, [(1, 1), (0, 8)], [1, 2]),
        (8, [(4, 4), (0, 4), (0, 4)], [4, 2, 2]),
        (1, [(0, 1), (0, 1)], [1, 0]),
    ],
)
def test_spare_seats_are_spread_evenly(guests: int, tables: list[tuple[int, int]], sizes: list[int]) -> None:
    assert table_sizes(problem(guests, *tables)).tolist() == sizes


@given(st.data())
def test_sizes_sum_to_the_guests_and_no_table_gives_up_two_more_than_another(data: st.DataObject) -> None:
    ranges = data.draw(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=8))
    tables = [(min(pair), max(pair)) for pair in ranges]
    guests = data.draw(st.integers(max(1, sum(t[0] for t in tables)), sum(t[1] for t in tables)))
    sizes = table_sizes(problem(guests, *tables))
    least, most = np.array(tables).T
    assert sizes.sum() == guests
    assert (least <= sizes).all()
    assert (sizes <= most).all()
    given_up = most - sizes
    assert given_up.max() - given_up[sizes > least].min(initial=given_up.max()) <= 1


@given(st.data())
def test_size_limits_are_the_sizes_in_any_order_of_the_tables(data: st.DataObject) -> None:
    ranges = data.draw(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 5)), min_size=1, max_size=4))
    tables = [(min(pair), max(pair)) for pair in ranges]
    guests = data.draw(st.integers(max(1, sum(t[0] for t in tables)), sum(t[1] for t in tables)))
    sizes: list[set[int]] = [set() for _ in tables]
    for order in permutations(range(len(tables))):
        for place, size in zip(order, table_sizes(problem(guests, *(tables[i] for i in order))).tolist(), strict=True):
            sizes[place].add(size)
    low, high = size_limits(guests, problem(guests, *tables).tables)
    assert (low.tolist(), high.tolist()) == ([min(found) for found in sizes], [max(found) for found in sizes])


def test_more_guests_than_seats_says_both_numbers() -> None:
    with pytest.raises(TooFewSeats, match="22 guests but only 18 seats"):
        table_sizes(problem(22, (0, 10), (0, 8)))


def test_tables_that_ask_for_more_guests_than_there_are_say_both_numbers() -> None:
    with pytest.raises(TooManySeatsToFill, match="at least 12 guests in total, but there are 10"):
        table_sizes(problem(10, (6, 8), (6, 8)))


def test_no_guests_is_refused() -> None:
    with pytest.raises(NoGuests, match="Add guests first"):
        table_sizes(problem(0, (0, 4)))


def test_a_table_of_zero_is_named() -> None:
    with pytest.raises(BadTable, match="Table 2 has no seats"):
        table_sizes(problem(3, (0, 4), (0, 0)))


def test_a_table_whose_least_is_above_its_most_is_named() -> None:
    tables = (Table(4, 6, name="Terrace"),)
    with pytest.raises(BadTable, match="Terrace has 4 seats but needs at least 6"):
        table_sizes(Problem(np.zeros((4, 4)), tables))
