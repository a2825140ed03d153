"""The full method keeps every rule, never gets worse, and gives the same plan for the same seed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from app.solver.entry import solve
from app.solver.errors import Unsolvable
from app.solver.problem import Problem, Rule, Table
from app.solver.result import Progress
from app.solver.score import mean_squared_error, total_score
from tests.solver.full_helpers import are_neighbours, blocks_of, broken_rules, events, solve_quickly

RELAXED = settings(max_examples=30)


def random_problem(guests: int, seed: int = 1) -> Problem:
    """Return guests at tables of six with a seat or two to spare."""
    matrix = np.random.default_rng(seed).integers(-2, 3, (guests, guests)).astype(float)
    return Problem(matrix, tuple(Table(6, 4) for _ in range(-(-guests // 6) + 1)))


@RELAXED
@given(events())
def test_sizes_and_rules_are_always_kept(problem: Problem) -> None:
    try:
        result = solve_quickly(problem)
    except Unsolvable:
        reject()
    assert broken_rules(problem, result.assignment) == []
    for rule in problem.rules:
        if rule.kind == "side_by_side":
            assert are_neighbours(problem, result, *rule.guests)
            assert all(are_neighbours(problem, other, *rule.guests) for other in result.alternatives)
    for table in range(len(problem.tables)):
        seats = np.sort(result.seats[result.assignment == table])
        np.testing.assert_array_equal(seats, np.arange(len(seats)))


@RELAXED
@given(events(with_rules=False), st.integers(0, 99))
def test_plan_is_never_worse_than_the_one_it_starts_from(problem: Problem, seed: int) -> None:
    blocks, at = blocks_of(problem)
    start = tuple(int(t) for t in np.random.default_rng(seed).permutation(blocks.structure.guests_at(at)))
    result = solve_quickly(replace(problem, previous=start), restarts=1)
    if problem.objective == "average":
        before = mean_squared_error(problem.squared_distances, start, len(problem.tables))
        assert result.mse <= before + 1e-9
    else:
        assert result.total >= total_score(problem.scores, start) - 1e-9


@RELAXED
@given(events(with_rules=False), st.floats(0.5, 20))
def test_adding_a_constant_to_all_squared_distances_changes_no_plans_rank(problem: Problem, extra: float) -> None:
    sizes = solve_quickly(problem, restarts=1).assignment
    tables = tuple(Table(int(n), int(n)) for n in np.bincount(sizes) if n)
    fixed = Problem(problem.matrix, tables)
    squared = fixed.squared_distances
    shifted = squared + extra * (1 - np.eye(len(squared)))
    moved = Problem(np.sqrt(shifted), tables, kind="distance")
    seats = np.repeat(np.arange(len(tables)), [table.most for table in tables])
    plans = [np.random.default_rng(i).permutation(seats) for i in range(5)]
    before = [mean_squared_error(squared, plan, len(tables)) for plan in plans]
    after = [mean_squared_error(moved.squared_distances, plan, len(tables)) for plan in plans]
    np.testing.assert_allclose(np.diff(after), np.diff(before), atol=1e-8)


@settings(max_examples=15)
@given(events(most_guests=9, with_rules=False), st.integers(0, 99))
def test_relabelling_guests_and_tables_changes_nothing(problem: Problem, seed: int) -> None:
    rng = np.random.default_rng(seed)
    guests, tables = rng.permutation(problem.guest_count), rng.permutation(len(problem.tables))
    turned = replace(
        problem,
        matrix=problem.matrix[np.ix_(guests, guests)],
        tables=tuple(problem.tables[t] for t in tables),
    )
    one, other = solve_quickly(problem), solve_quickly(turned)
    value = "mse" if problem.objective == "average" else "total"
    assert getattr(one, value) == pytest.approx(getattr(other, value), abs=1e-9)


@pytest.mark.parametrize(
    ("problem", "restarts"),
    [(random_problem(30), 24), (replace(random_problem(12), objective="total", fairness=2.0), 4)],
    ids=["plain", "with fairness"],
)
def test_same_seed_gives_the_same_plan_on_one_core_and_on_two(problem: Problem, restarts: int) -> None:
    one, two = (solve_quickly(problem, restarts=restarts, seed=7, threads=threads) for threads in (1, 2))
    np.testing.assert_array_equal(one.assignment, two.assignment)
    np.testing.assert_array_equal(one.seats, two.seats)


@pytest.mark.parametrize(
    "matrix",
    [
        np.zeros((30, 30)),
        np.ones((30, 30)),
        np.triu(np.random.default_rng(3).normal(size=(30, 30))),
        np.full((30, 30), 7.0) * np.eye(30),
        np.random.default_rng(4).integers(0, 2, (30, 30)) * 1e9,
    ],
    ids=["zeros", "ties", "one direction", "filled diagonal", "huge"],
)
@pytest.mark.parametrize("objective", ["average", "total"])
def test_odd_matrices_end_with_a_plan(matrix, objective) -> None:  # type: ignore[no-untyped-def]
    problem = Problem(matrix, tuple(Table(6, 3) for _ in range(6)), objective=objective)
    assert broken_rules(problem, solve_quickly(problem).assignment) == []


def test_cancelled_solve_still_returns_a_plan_that_keeps_the_rules() -> None:
    problem = replace(random_problem(60), rules=(Rule("apart", (0, 1)), Rule("together", (2, 3))))
    result = solve(problem, should_stop=lambda: True, time_limit=30)
    assert result.stopped_early
    assert broken_rules(problem, result.assignment) == []


def test_progress_tells_the_best_value_which_only_improves() -> None:
    reports: list[Progress] = []
    result = solve(random_problem(50), restarts=200, time_limit=1, on_progress=reports.append)
    values = [report.best for report in reports if report.best is not None]
    assert values == sorted(values, reverse=True)
    steps = [step.value for step in result.history]
    assert steps == sorted(steps, reverse=True)
    assert steps[-1] == pytest.approx(result.mse)


def test_moving_guests_costs_what_it_is_said_to_cost() -> None:
    problem = replace(random_problem(12), objective="total")
    before = solve_quickly(problem, restarts=1).assignment
    changed = np.random.default_rng(9).permutation(before)
    dear = replace(problem, previous=tuple(int(t) for t in changed), move_cost=1e4)
    np.testing.assert_array_equal(solve_quickly(dear).assignment, changed)


def test_one_guest_at_one_table_is_a_plan() -> None:
    result = solve_quickly(Problem(np.zeros((1, 1)), (Table(1),)))
    assert result.assignment.tolist() == [0]


@pytest.mark.parametrize("seed", range(6))
def test_unit_of_the_values_does_not_matter(seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(9, 2))
    matrix = np.linalg.norm(points[:, None] - points, axis=2)
    problem = Problem(matrix, (Table(3),) * 4, kind="distance", previous=(0, 1, 2, 2, 2, 1, 1, 0, 0))
    usual = solve(problem, restarts=4, time_limit=None)
    for unit in (1e-6, 1e6):
        scaled = solve(replace(problem, matrix=unit * matrix), restarts=4, time_limit=None)
        assert scaled.proven_optimal
        assert scaled.mse == pytest.approx(unit**2 * usual.mse, rel=1e-9, abs=0.0)
