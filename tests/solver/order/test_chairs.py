"""Chairs at tables that are not full, and tables that are exchanged as a whole."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.solver.order.chairs import take_chairs
from app.solver.order.seating import order_seats
from app.solver.problem import Problem, Rule, Shape, Table
from app.solver.repair.table_matching import match_tables


def problem_at(shape: Shape, guests: int, chairs: int, seed: int, *rules: Rule) -> Problem:
    scores = np.random.default_rng(seed).integers(-2, 3, (guests, guests)).astype(float)
    return Problem(scores, (Table(chairs, shape=shape),), rules=rules)


def touch(one: int, other: int, chairs: int, shape: Shape) -> bool:
    """Say whether two chairs touch as they are drawn: around a round table, on one side of a long one, in a line."""
    if shape == "round":
        return abs(one - other) in (1, chairs - 1)
    if shape == "line":
        return abs(one - other) == 1
    side = (chairs + 1) // 2
    return abs(one - other) == 1 and (one < side) == (other < side)


@pytest.mark.parametrize("shape", ["round", "long", "line"])
@given(guests=st.integers(2, 9), spare=st.integers(0, 5), seed=st.integers(0, 10_000))
def test_two_who_must_be_side_by_side_have_chairs_that_touch(shape: Shape, guests: int, spare: int, seed: int) -> None:
    assume(shape != "long" or guests + spare > 2)  # the two chairs of a long table are opposite each other
    problem = problem_at(shape, guests, guests + spare, seed, Rule("side_by_side", (0, 1)))
    assignment = np.zeros(guests, dtype=np.int64)
    chairs = take_chairs(problem, assignment, order_seats(problem, assignment))
    assert len(set(chairs.tolist())) == guests
    assert 0 <= chairs.min() <= chairs.max() < guests + spare
    assert touch(int(chairs[0]), int(chairs[1]), guests + spare, shape)


def test_gap_at_a_round_table_parts_the_two_who_miss_each_other_least() -> None:
    scores = np.array([[0, 2, 0, -1], [2, 0, 2, 0], [0, 2, 0, 2], [-1, 0, 2, 0]], dtype=float)
    problem = Problem(scores, (Table(6),))
    chairs = take_chairs(problem, np.zeros(4, dtype=np.int64), np.array([2, 3, 0, 1]))
    assert chairs.tolist() in ([0, 1, 2, 3], [3, 2, 1, 0])


def test_opposite_guests_stay_opposite_at_a_long_table_with_spare_chairs() -> None:
    chairs = take_chairs(problem_at("long", 4, 8, 1), np.zeros(4, dtype=np.int64), np.arange(4))
    assert chairs.tolist() == [0, 1, 6, 7]


@pytest.mark.parametrize(("guests", "first"), [(1, 3), (2, 3), (5, 1), (8, 0)])
def test_guests_sit_in_the_middle_of_a_table_with_one_side(guests: int, first: int) -> None:
    problem = problem_at("line", guests, 8, 1)
    chairs = take_chairs(problem, np.zeros(guests, dtype=np.int64), np.arange(guests))
    assert chairs.tolist() == list(range(first, first + guests))


def test_full_table_keeps_its_order() -> None:
    chairs = take_chairs(problem_at("round", 4, 4, 1), np.zeros(4, dtype=np.int64), np.array([2, 0, 3, 1]))
    assert chairs.tolist() == [2, 0, 3, 1]


def test_tables_that_are_alike_are_named_as_in_the_other_plan() -> None:
    problem = Problem(np.zeros((7, 7)), (Table(2), Table(2), Table(3)))
    model = np.array([0, 0, 1, 1, 2, 2, 2])
    assert match_tables(problem, np.array([1, 1, 0, 0, 2, 2, 2]), model).tolist() == model.tolist()
    assert match_tables(problem, np.array([2, 2, 1, 1, 0, 0, 2]), model).tolist() == [2, 2, 1, 1, 0, 0, 2]


def test_table_that_a_rule_or_a_lock_names_keeps_its_guests() -> None:
    model, crossed = np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0])
    tables = (Table(2), Table(2))
    pinned = Problem(np.zeros((4, 4)), tables, rules=(Rule("pinned", (0,), (1,)),))
    locked = Problem(np.zeros((4, 4)), tables, locked=((0, 1),))
    for problem in (pinned, locked):
        assert match_tables(problem, crossed, model).tolist() == crossed.tolist()
