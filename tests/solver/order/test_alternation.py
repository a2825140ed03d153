"""Guests alternate by a value around tables: as few neighbours as possible share one."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.solver import full
from app.solver.deadline import Deadline
from app.solver.feasibility.side_by_side import Row, first_side
from app.solver.order.alternation import Values, alternate, count_alike
from app.solver.order.chairs import take_chairs
from app.solver.order.seating import fewest_alike, order_seats, order_table, order_value
from app.solver.problem import Problem, Rule, Shape, Table
from tests.solver.order.test_seating import keeps, random_scores


def alike_of(order: tuple[int, ...] | list[int], values: Values, first: int | None) -> int:
    """Count neighbours who share a value, seat by seat."""
    count = len(order)
    sides = [order] if first is None else [order[:first], order[first:]]
    pairs = [(side[i], side[i + 1]) for side in sides for i in range(len(side) - 1)]
    if first is None and count > 2:
        pairs.append((order[-1], order[0]))
    return sum(bool(values[a] & values[b]) for a, b in pairs)


def values_of(kinds: list[int]) -> Values:
    return tuple(frozenset() if kind == 0 else frozenset({kind}) for kind in kinds)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=7), st.data())
@settings(max_examples=80, deadline=None)
def test_order_has_as_few_alike_neighbours_as_any_order(kinds: list[int], data: st.DataObject) -> None:
    values = values_of(kinds)
    first = data.draw(st.none() | st.integers((len(kinds) + 1) // 2, len(kinds)))
    fewest = min(alike_of(order, values, first) for order in permutations(range(len(kinds))))
    order = alternate(values, first)
    assert sorted(order) == list(range(len(kinds)))
    assert alike_of(order, values, first) == fewest
    assert count_alike(tuple(values[guest] for guest in order), first) == fewest
    assert fewest_alike(values, first, ()) == fewest


@given(st.integers(13, 40), st.data())
@settings(max_examples=60, deadline=None)
def test_large_tables_alternate_as_far_as_the_numbers_allow(guests: int, data: st.DataObject) -> None:
    """Of c guests with the commonest value, at least 2c − n have such a neighbour around a table of n."""
    kinds = data.draw(st.lists(st.integers(0, 3), min_size=guests, max_size=guests))
    values, commonest = values_of(kinds), max(kinds.count(kind) for kind in (1, 2, 3))
    sides = data.draw(st.sampled_from([None, guests, (guests + 1) // 2]))
    odd_sides = [sides, guests - sides] if sides else []
    room = guests / 2 if sides is None else sum((side + 1) // 2 for side in odd_sides)
    order = order_table(random_scores(guests, 1), sides, [], values=values)
    found = alike_of(order.tolist(), values, sides)
    assert found == fewest_alike(values, sides, ())
    assert (found == 0) == (commonest <= room)


@given(st.integers(3, 7), st.integers(0, 500), st.sampled_from(["round", "long", "line"]), st.data())
@settings(max_examples=60, deadline=None)
def test_order_is_the_best_of_those_with_fewest_alike_that_keep_the_rules(
    guests: int, seed: int, shape: Shape, data: st.DataObject
) -> None:
    """Side-by-side rules come first, then alternation, then how neighbours get along."""
    several = st.frozensets(st.integers(1, 3), max_size=2)
    values = tuple(data.draw(several) for _ in range(guests))
    rows = data.draw(st.sampled_from([[], [Row((0, 1))], [Row((1, 0, 2))]]))
    table = Table(11, shape=shape)
    first = None if table.goes_around else first_side([len(row.guests) for row in rows], guests, table.sides)
    orders = [order for order in permutations(range(guests)) if keeps(order, rows, first)]
    scores = random_scores(guests, seed)
    found = order_table(scores, first, rows, values=values)
    fewest = min(alike_of(order, values, first) for order in orders)
    best = max(
        order_value(scores, np.array(order), first) for order in orders if alike_of(order, values, first) == fewest
    )
    assert keeps(found, rows, first)
    assert alike_of(found.tolist(), values, first) == fewest == fewest_alike(values, first, tuple(rows))
    assert order_value(scores, found, first) == pytest.approx(best)


@pytest.mark.parametrize("quick", [False, True])
def test_solve_alternates_around_every_table(quick: bool) -> None:
    """Also at tables that are not full, and where time is over before the seats are ordered."""
    sides = tuple(range(24)), tuple(range(24, 48))
    tables = (Table(9), Table(9, shape="long"), Table(9, shape="line"), Table(15), Table(16, shape="long"))
    rules = (
        Rule("alternate", tuple(range(48)), groups=sides),
        Rule("balance", tuple(range(48)), groups=sides),
        Rule("side_by_side", (0, 24)),
    )
    problem = Problem(random_scores(48, 2), tables, rules=rules)
    result = full.solve_full(problem, restarts=2, seed=1, deadline=Deadline())
    seats = order_seats(problem, result.assignment, lambda: True) if quick else result.seats
    chairs = take_chairs(problem, result.assignment, seats)
    for number, table in enumerate(tables):
        here = sorted(np.flatnonzero(result.assignment == number), key=lambda guest: int(chairs[guest]))
        kinds = [int(guest >= 24) for guest in here]
        values = tuple(frozenset({kind}) for kind in kinds)
        first = None if table.goes_around else sum(chairs[guest] < table.sides[0] for guest in here)
        if quick and 0 in here:
            continue  # rows are kept, and the others as well as may be
        assert alike_of(list(range(len(here))), values, first) == (len(here) % 2 if first is None else 0)
