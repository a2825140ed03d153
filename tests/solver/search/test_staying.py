"""Among plans that are worth the same, guests stay at their tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from hypothesis import given, reject, settings

from app.solver.errors import Unsolvable
from app.solver.problem import Problem, Table
from app.solver.search.staying import stay_put
from tests.solver.full_helpers import blocks_of, broken_rules, events, solve_quickly


def test_guests_who_are_all_alike_stay_where_they_are() -> None:
    previous = tuple(np.random.default_rng(3).permutation(np.repeat([0, 1, 2], 4)).tolist())
    problem = Problem(np.zeros((12, 12)), (Table(4), Table(5, 2), Table(6, 2)), previous=previous)
    assert solve_quickly(problem).assignment.tolist() == list(previous)


def test_three_alike_go_back_around_a_circle() -> None:
    matrix = np.zeros((9, 9))
    for first in (0, 3, 6):
        matrix[first : first + 2, first : first + 2] = 2.0
    problem = Problem(matrix, (Table(3), Table(3), Table(3)), previous=(0, 0, 0, 1, 1, 1, 2, 2, 2))
    blocks, _ = blocks_of(problem)
    turned = np.array([1, 1, 2, 2, 2, 0, 0, 0, 1])
    assert stay_put(problem, blocks, turned).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert stay_put(problem, blocks, turned, lambda: True).tolist() == [0, 0, 1, 1, 1, 2, 2, 2, 0]  # only whole tables


def test_cycle_goes_back_together_where_no_exchange_may() -> None:
    matrix = np.zeros((12, 12))
    for one, other, value in ((0, 1, 2.0), (4, 5, 2.0), (8, 9, 2.0), (3, 8, -2.0), (7, 0, -2.0), (11, 4, -2.0)):
        matrix[one, other] = matrix[other, one] = value
    previous = (0, 1, 0, 0, 1, 0, 1, 1, 2, 2, 2, 2)  # 1 and 5 gain by their exchange, so not everybody goes back
    problem = Problem(matrix, (Table(4), Table(4), Table(4)), previous=previous)
    blocks, _ = blocks_of(problem)
    found = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 0])
    assert stay_put(problem, blocks, found).tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]


def end_after(looks: int) -> Callable[[], bool]:
    left = iter(range(looks))
    return lambda: next(left, None) is None


def test_guests_go_back_one_by_one_until_time_is_over() -> None:
    matrix = np.zeros((8, 8))
    matrix[0, 4] = matrix[4, 0] = 2.0
    previous = (0, 0, 0, 0, 1, 1, 1, 1)
    problem = Problem(matrix, (Table(6, 2), Table(6, 2)), previous=previous, objective="total")
    blocks, _ = blocks_of(problem)
    start = np.array([1, 1, 0, 0, 1, 0, 0, 1])
    moved = []
    for looks in range(30):
        at = stay_put(problem, blocks, start, end_after(looks))
        assert blocks.value(at) == blocks.value(start)
        moved.append(int((at != np.array(previous)).sum()))
    assert moved == sorted(moved, reverse=True)
    assert set(moved) == {1, 2, 3, 4}


def test_only_who_gains_by_it_moves() -> None:
    matrix = np.zeros((8, 8))
    matrix[0, 4] = matrix[4, 0] = 2.0
    problem = Problem(matrix, (Table(5, 3), Table(5, 3)), previous=(0, 0, 0, 0, 1, 1, 1, 1), objective="total")
    result = solve_quickly(problem)
    assert result.total == 2.0
    assert int((result.assignment != np.array(problem.previous)).sum()) == 1


@settings(max_examples=25)
@given(events(most_guests=8))
def test_staying_costs_nothing_and_the_best_plan_stays(problem: Problem) -> None:
    try:
        best = solve_quickly(problem)
    except Unsolvable:
        reject()
    again = solve_quickly(replace(problem, previous=tuple(best.assignment.tolist())), seed=2)
    blocks, _ = blocks_of(problem)
    before, after = (blocks.value(blocks.structure.blocks_at(plan.assignment)) for plan in (best, again))
    assert after >= before - 1e-9 * (1 + abs(before))
    assert broken_rules(problem, again.assignment) == []
    if best.proven_optimal and not problem.fairness:
        assert again.assignment.tolist() == best.assignment.tolist()
