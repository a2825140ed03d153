"""The repair curve: the best plan for each number of guests moved, compared with every plan there is."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from app.solver.deadline import Deadline
from app.solver.errors import FairnessNeedsScores, Unsolvable
from app.solver.problem import IntArray, Problem, Rule, Table
from app.solver.repair.bounded_search import search_within
from app.solver.repair.curve import COUNTS, Repair, find_repairs, repair_curve
from app.solver.repair.exhaustive import best_for_each_count
from app.solver.search.blocks import Blocks
from app.solver.search.staying import moved_by_table
from tests.solver.full_helpers import blocks_of, broken_rules, events, solve_quickly


def random_problem(guests: int, seed: int = 1) -> Problem:
    """Return guests at tables of six with some seats to spare."""
    matrix = np.random.default_rng(seed).integers(-2, 3, (guests, guests)).astype(float)
    return Problem(matrix, tuple(Table(6, 0) for _ in range(-(-guests // 6) + 1)), objective="total")


@st.composite
def events_with_a_plan(draw: st.DrawFn, most_guests: int = 7) -> Problem:
    """Draw an event that once had a plan: some guests are new, and the plan may break rules that came since."""
    problem = draw(events(most_guests=most_guests))
    seats = st.integers(-1, len(problem.tables) - 1)
    previous = draw(st.lists(seats, min_size=problem.guest_count, max_size=problem.guest_count))
    return replace(problem, previous=tuple(previous))


def best_by_moves(blocks: Blocks, moved: IntArray) -> dict[int, float]:
    """Try every plan; return the most that plans are worth with exactly so many guests moved."""
    best: dict[int, float] = {}
    for plan in product(range(blocks.table_count), repeat=blocks.count):
        at = np.array(plan)
        if blocks.keeps_rules(at):
            count = int(moved[at, np.arange(blocks.count)].sum())
            best[count] = max(best.get(count, -np.inf), blocks.value(at))
    return best


def within(best: dict[int, float], limit: int) -> float:
    """Return the most that plans are worth with at most so many guests moved."""
    return max((value for count, value in best.items() if count <= limit), default=-np.inf)


def value_of(blocks: Blocks, point: Repair) -> float:
    """Return what a point of a curve is worth."""
    return blocks.value(blocks.structure.blocks_at(point.assignment))


@settings(max_examples=15)
@given(events_with_a_plan())
def test_curve_has_the_best_plan_for_every_number_of_moves(problem: Problem) -> None:
    try:
        blocks, _ = blocks_of(problem)
        curve = repair_curve(problem, restarts=1)
    except Unsolvable:
        reject()
    best = best_by_moves(blocks, moved_by_table(problem, blocks.structure.members))
    assert curve[0].moved == min(best)
    assert value_of(blocks, curve[-1]) == pytest.approx(max(best.values()))
    for limit in (count for count in COUNTS if min(best) <= count <= problem.guest_count):
        found = max(value_of(blocks, point) for point in curve if point.moved <= limit)
        assert found == pytest.approx(within(best, limit), abs=1e-9)


@settings(max_examples=15)
@given(events_with_a_plan())
def test_trying_all_ways_finds_the_best_for_exactly_so_many_moves(problem: Problem) -> None:
    try:
        blocks, _ = blocks_of(problem)
    except Unsolvable:
        reject()
    moved = moved_by_table(problem, blocks.structure.members)
    best, found = best_by_moves(blocks, moved), best_for_each_count(blocks, moved)
    assert found.keys() == best.keys()
    for count, at in found.items():
        assert blocks.value(at) == pytest.approx(best[count], abs=1e-9)
        assert int(moved[at, np.arange(blocks.count)].sum()) == count


def test_search_within_a_limit_never_moves_more_and_never_gets_worse() -> None:
    problem = replace(random_problem(24), rules=(Rule("apart", (0, 1)),), parties=((2, 3), (4, 5, 6)))
    blocks, at = blocks_of(problem)
    before = replace(problem, previous=tuple(int(t) for t in blocks.structure.guests_at(at)))
    moved = moved_by_table(before, blocks.structure.members)
    for limit in (1, 3, 8):
        for found in search_within(blocks, at, moved, limit, seed=1, deadline=Deadline(), until=None):
            assert blocks.keeps_rules(found)
            assert int(moved[found, np.arange(blocks.count)].sum()) <= limit
            assert blocks.value(found) >= blocks.value(at)


def test_repair_seats_newcomers_without_moving_anyone_first() -> None:
    problem = random_problem(20)
    plan = solve_quickly(replace(problem, matrix=problem.matrix[:18, :18])).assignment
    before = (*(int(table) for table in plan), -1, -1)
    curve = repair_curve(replace(problem, previous=before), restarts=2)
    assert curve[0].moved == 0
    totals = [point.total for point in curve]
    assert totals == sorted(set(totals))
    for point in curve:
        assert broken_rules(problem, point.assignment) == []
        assert point.moved == sum(b >= 0 and b != a for b, a in zip(before, point.assignment, strict=True))
    assert curve[-1].total == pytest.approx(solve_quickly(problem, restarts=40).total)


def test_repair_after_a_lost_table_moves_only_those_who_sat_there() -> None:
    problem = random_problem(20)
    plan = solve_quickly(problem, restarts=2).assignment
    lost = int(plan[0])
    tables = tuple(table for number, table in enumerate(problem.tables) if number != lost)
    before = tuple(-1 if t == lost else int(t) - (t > lost) for t in plan)
    curve = repair_curve(replace(problem, tables=tables, previous=before), restarts=2)
    assert curve[0].moved == 0


def test_whole_tables_that_only_changed_places_are_no_moves() -> None:
    problem = replace(random_problem(18), tables=(Table(6, 6), Table(6, 6), Table(6, 6)))
    best = solve_quickly(problem).assignment
    curve = repair_curve(replace(problem, previous=tuple(int(t + 1) % 3 for t in best)), restarts=2)
    assert [point.moved for point in curve] == [0]


def test_fairness_without_scores_is_refused() -> None:
    problem = Problem(np.ones((4, 4)), (Table(2), Table(2)), kind="distance", fairness=1.0, previous=(0, 0, 1, 1))
    with pytest.raises(FairnessNeedsScores):
        repair_curve(problem)


@pytest.mark.parametrize("unit", [2.0**-20, 1e-6, 2.0**30, 1e9])
@pytest.mark.parametrize("seed", [1, 4])
def test_curve_is_the_same_in_ratings_of_any_size(unit: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.integers(-20, 21, (20, 20)) / 10, 1)
    previous = tuple(int(guest) % 4 for guest in rng.permutation(20))
    usual = Problem(upper + upper.T, tuple(Table(6, 0) for _ in range(4)), objective="total", previous=previous)
    scaled = replace(usual, matrix=usual.matrix * unit)
    curves = [repair_curve(problem, restarts=4) for problem in (usual, scaled)]
    assert [point.moved for point in curves[0]] == [point.moved for point in curves[1]]
    totals = [[point.total / size for point in curve] for curve, size in zip(curves, (1.0, unit), strict=True)]
    assert totals[0] == pytest.approx(totals[1])


def test_tiny_ratings_that_differ_by_a_thousandth_part_are_worth_a_move() -> None:
    matrix = np.zeros((4, 4))
    matrix[0, 1] = matrix[2, 3] = 1.0e-6
    matrix[0, 2] = matrix[1, 3] = 1.0005e-6
    problem = Problem(matrix + matrix.T, (Table(2), Table(2)), objective="total", previous=(0, 0, 1, 1))
    assert [point.moved for point in repair_curve(problem, restarts=1)] == [0, 2]


@pytest.mark.parametrize("seed", [0, 5, 7])
def test_nobody_moves_because_sums_of_huge_ratings_are_rounded(seed: int) -> None:
    rng = np.random.default_rng(seed)
    worth = rng.normal(size=8)
    matrix = np.add.outer(worth - worth.mean(), worth - worth.mean())  # at two tables of four all plans are worth 0
    np.fill_diagonal(matrix, 0)
    previous = tuple(int(guest) // 4 for guest in rng.permutation(8))
    problem = Problem(matrix * 1e9, (Table(4, 4), Table(4, 4)), objective="total", previous=previous)
    assert [point.moved for point in repair_curve(problem, restarts=2)] == [0]


def test_repairs_report_the_restarts_that_were_made() -> None:
    problem = replace(random_problem(60), previous=tuple(guest % 11 for guest in range(60)))
    assert find_repairs(problem, restarts=1_000_000, time_limit=0.5).restarts < 1_000_000
    whole = find_repairs(problem, restarts=5, time_limit=None)
    assert whole.restarts == 5
    assert whole.iterations > 0
    stopped = find_repairs(problem, restarts=5, time_limit=None, should_stop=lambda: True)
    assert (stopped.restarts, stopped.stopped_early) == (0, True)
