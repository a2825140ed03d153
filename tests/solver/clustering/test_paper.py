"""`method: paper` from a problem to a result."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.solver.clustering.embedding import squared_distances
from app.solver.clustering.paper import solve_paper
from app.solver.deadline import Deadline
from app.solver.entry import solve
from app.solver.errors import BadMatrix, RulesNotKept, TooFewSeats
from app.solver.problem import Kind, Problem, Rule, Table
from app.solver.result import Progress, Result
from app.solver.score import mean_squared_error, total_score

PARTY = tuple(Table(size, size) for size in (4, 4, 5, 6, 3))


def party(seed: int = 1, tables: tuple[Table, ...] = PARTY, guests: int = 22, **options: object) -> Problem:
    scores = np.random.default_rng(seed).integers(-2, 3, (guests, guests)).astype(float)
    return Problem(scores, tables, **options)  # type: ignore[arg-type]  # options of Problem, passed on


def solve_quickly(problem: Problem, **options: object) -> Result:
    return solve(problem, method="paper", **({"restarts": 50, "time_limit": None} | options))  # type: ignore[arg-type]


def assert_whole(problem: Problem, result: Result) -> None:
    """Check that everyone has a seat of their own and that the figures are those of the plan."""
    counts = np.bincount(result.assignment, minlength=len(problem.tables))
    assert counts.sum() == problem.guest_count
    for count, table in zip(counts, problem.tables, strict=True):
        assert table.least <= count <= table.most
    places = set(zip(result.assignment.tolist(), result.seats.tolist(), strict=True))
    assert places == {(table, seat) for table, count in enumerate(counts) for seat in range(count)}
    assert result.mse == mean_squared_error(problem.squared_distances, result.assignment, len(problem.tables))
    assert result.total == total_score(problem.scores, result.assignment)
    assert result.positions.shape == (problem.guest_count, 2)


def test_the_paper_s_party_is_seated_with_all_its_figures() -> None:
    problem = party()
    result = solve_quickly(problem, restarts=1000, seed=5)
    assert_whole(problem, result)
    assert (result.method, result.objective, result.seed, result.restarts) == ("paper", "average", 5, 1000)
    assert result.iterations >= 1000
    assert set(result.seconds_by_stage) == {"check", "embed", "compile", "k-means"}
    assert not result.stopped_early
    assert not result.proven_optimal


def test_the_best_restart_is_returned() -> None:
    problem = party()
    values = [solve_quickly(problem, restarts=count).mse for count in (1, 10, 100, 1000)]
    assert values == sorted(values, reverse=True)
    assert values[-1] < values[0]


def test_obvious_groups_are_found() -> None:
    points = np.repeat(np.eye(4) * 100, [3, 5, 4, 6], axis=0) + np.random.default_rng(1).normal(size=(18, 4))
    problem = Problem(np.sqrt(squared_distances(points)), tuple(Table(s, s) for s in (3, 5, 4, 6)), kind="distance")
    assert solve_quickly(problem, restarts=1000).assignment.tolist() == [0] * 3 + [1] * 5 + [2] * 4 + [3] * 6


def test_the_optimum_of_a_tiny_party_is_found() -> None:
    problem = party(3, (Table(3, 3), Table(3, 3), Table(2, 2)), guests=8)
    plans = set(itertools.permutations([0, 0, 0, 1, 1, 1, 2, 2]))
    optimum = min(mean_squared_error(problem.squared_distances, plan, 3) for plan in plans)
    assert solve_quickly(problem, restarts=400).mse == pytest.approx(optimum)


@pytest.mark.parametrize("objective", ["average", "total"])
def test_the_same_seed_gives_the_same_plan_on_one_thread_and_on_several(objective: str) -> None:
    problem = party(2, objective=objective)
    plans = [
        solve_paper(problem, restarts=700, seed=9, deadline=Deadline(), threads=threads).assignment.tolist()
        for threads in (1, 1, 2, 5)
    ]
    assert plans[0] == plans[1] == plans[2] == plans[3]


def test_other_seeds_try_other_starts() -> None:
    results = [solve_quickly(party(2), restarts=3, seed=seed).mse for seed in range(12)]
    assert len(set(results)) > 1


def test_the_history_goes_down_to_the_result() -> None:
    result = solve_quickly(party(4), restarts=500)
    values = [step.value for step in result.history]
    assert values == sorted(values, reverse=True)
    assert values[-1] == pytest.approx(result.mse)
    assert [step.seconds for step in result.history] == sorted(step.seconds for step in result.history)


@pytest.mark.parametrize("kind", ["score", "distance"])
def test_the_total_is_optimised_and_reported_when_asked_for(kind: Kind) -> None:
    values = np.abs(np.random.default_rng(5).normal(size=(22, 22)))
    problem = Problem(values, PARTY, kind=kind, objective="total")
    result = solve_quickly(problem, restarts=300)
    average = solve_quickly(Problem(values, PARTY, kind=kind), restarts=300)
    assert_whole(problem, result)
    assert result.total >= average.total
    assert result.history[-1].value == pytest.approx(result.total)
    assert [step.value for step in result.history] == sorted(step.value for step in result.history)


def test_spare_seats_are_left_evenly() -> None:
    problem = party(6, tuple(Table(8) for _ in range(4)))
    result = solve_quickly(problem)
    assert_whole(problem, result)
    assert sorted(np.bincount(result.assignment).tolist()) == [5, 5, 6, 6]


def test_a_table_may_stay_empty() -> None:
    problem = party(6, (Table(10, 5), Table(1, 0), Table(12, 10)), guests=15)
    result = solve_quickly(problem)
    assert_whole(problem, result)
    assert np.bincount(result.assignment, minlength=3).tolist() == [5, 0, 10]


@pytest.mark.parametrize(
    ("guests", "sizes"), [(1, (1,)), (2, (1, 1)), (2, (2,)), (7, (7,)), (6, (1,) * 6), (5, (1, 4))]
)
def test_degenerate_parties_are_seated(guests: int, sizes: tuple[int, ...]) -> None:
    problem = party(7, tuple(Table(size, size) for size in sizes), guests=guests)
    assert_whole(problem, solve_quickly(problem, restarts=5))


@pytest.mark.parametrize("value", [0.0, 1.0, -2.0])
def test_guests_all_alike_are_seated(value: float) -> None:
    problem = Problem(np.full((22, 22), value), PARTY)
    result = solve_quickly(problem)
    assert_whole(problem, result)
    assert result.mse == 0.0


def test_a_matrix_of_ones_and_zeros_ends() -> None:
    matrix = np.random.default_rng(8).integers(0, 2, (60, 60)).astype(float)
    problem = Problem(matrix, tuple(Table(6, 6) for _ in range(10)))
    assert_whole(problem, solve_quickly(problem, restarts=200))


def test_whole_numbers_and_matrices_laid_out_by_columns_are_taken() -> None:
    problem = party(9)
    whole = Problem(np.asfortranarray(problem.matrix.astype(np.int64)), PARTY)
    assert solve_quickly(whole).assignment.tolist() == solve_quickly(problem).assignment.tolist()


def test_directions_are_averaged_and_the_diagonal_is_ignored() -> None:
    problem = party(9)
    even = Problem((problem.matrix + problem.matrix.T) / 2, PARTY)
    shifted = problem.matrix.copy()
    np.fill_diagonal(shifted, 99.0)
    plans = [solve_quickly(p).assignment.tolist() for p in (problem, even, Problem(shifted, PARTY))]
    assert plans[0] == plans[1] == plans[2]


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
def test_values_that_cannot_be_squared_are_refused(bad: float) -> None:
    distances = np.ones((22, 22))
    distances[3, 4] = distances[4, 3] = bad
    with pytest.raises(BadMatrix, match="not a number, or too large"):
        solve_quickly(Problem(distances, PARTY, kind="distance"))


def test_more_guests_than_seats_is_refused() -> None:
    with pytest.raises(TooFewSeats, match="30 guests but only 22 seats"):
        solve_quickly(party(guests=30))


@pytest.mark.parametrize("options", [{"rules": (Rule("together", (0, 1)),)}, {"locked": ((0, 1),)}])
def test_rules_are_refused_rather_than_broken(options: dict[str, Any]) -> None:
    with pytest.raises(RulesNotKept, match="Use the full method"):
        solve_quickly(party(**options))


def test_points_need_no_embedding() -> None:
    points = np.random.default_rng(10).normal(size=(200, 2))
    tables, matrix = tuple(Table(20, 20) for _ in range(10)), np.sqrt(squared_distances(points))
    given = solve_quickly(Problem(matrix, tables, kind="distance", points=points), restarts=20)
    scaled = solve_quickly(Problem(matrix, tables, kind="distance"), restarts=20)
    assert given.mse == pytest.approx(scaled.mse)
    np.testing.assert_allclose(np.abs(given.positions), np.abs(scaled.positions), atol=1e-6)


def test_a_stop_returns_the_best_plan_so_far() -> None:
    reports: list[Progress] = []
    problem = party(11)
    result = solve(
        problem,
        method="paper",
        restarts=100_000_000,
        time_limit=None,
        on_progress=reports.append,
        should_stop=lambda: any(report.restarts_done for report in reports),
    )
    assert_whole(problem, result)
    assert result.stopped_early
    assert 0 < result.restarts < 100_000_000
    assert result.mse == pytest.approx(result.history[-1].value)


def test_a_stop_before_the_first_plan_still_seats_everyone() -> None:
    problem = party(12, tuple(Table(10, 10) for _ in range(80)), guests=800)
    result = solve_quickly(problem, should_stop=lambda: True)
    assert_whole(problem, result)
    assert result.stopped_early
    assert result.restarts == 0


def test_the_time_limit_ends_the_restarts_but_never_the_first() -> None:
    problem = party(13)
    result = solve_quickly(problem, restarts=100_000_000, time_limit=0.0)
    assert_whole(problem, result)
    assert result.stopped_early
    assert 1 <= result.restarts < 100_000_000


def test_progress_tells_restarts_best_and_time_left() -> None:
    reports: list[Progress] = []
    result = solve_quickly(party(14), restarts=200_000, time_limit=1.0, on_progress=reports.append)
    last = reports[-1]
    assert (last.stage, last.restarts_done, last.restarts) == ("k-means", result.restarts, 200_000)
    assert last.best == pytest.approx(result.mse)
    assert [report.seconds for report in reports] == sorted(report.seconds for report in reports)
    left = [report.seconds_left for report in reports if report.stage != "compile"]  # that takes none of the time
    assert all(seconds is not None and seconds <= 1.0 for seconds in left)


@given(st.data())
@settings(max_examples=60)
def test_sizes_are_always_kept(data: st.DataObject) -> None:
    ranges = data.draw(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5)), min_size=1, max_size=6))
    tables = tuple(Table(max(pair), min(pair)) for pair in ranges)
    guests = data.draw(st.integers(max(1, sum(t.least for t in tables)), sum(t.most for t in tables)))
    rng = np.random.default_rng(data.draw(st.integers(0, 100)))
    matrix = rng.integers(-2, 3, (guests, guests)).astype(float) * data.draw(st.sampled_from([0.0, 1.0, 1e-9, 1e9]))
    problem = Problem(matrix, tables)
    assert_whole(problem, solve_quickly(problem, restarts=3))


def test_a_constant_added_to_all_squared_distances_changes_no_plan_s_rank() -> None:
    rng = np.random.default_rng(15)
    squared = squared_distances(rng.normal(size=(22, 5)))
    shifted = squared + 7.0 * ~np.eye(22, dtype=bool)
    plans = [rng.permutation(np.repeat(np.arange(5), [4, 4, 5, 6, 3])) for _ in range(30)]
    before = [mean_squared_error(squared, plan, 5) for plan in plans]
    after = [mean_squared_error(shifted, plan, 5) for plan in plans]
    np.testing.assert_allclose(np.array(after) - np.array(before), after[0] - before[0])
