"""The repair curve as a result: the plan with the fewest moves, and the others of the curve beside it."""

from __future__ import annotations

from dataclasses import replace

from app.solver.cores import choose_cores
from app.solver.embed import distances_between
from app.solver.errors import TooLarge
from app.solver.full import QUICK_GUESTS, map_or_nothing
from app.solver.problem import Problem
from app.solver.ratings import MATRIX_GUESTS
from app.solver.repair import Repair, repair_curve
from app.solver.result import Alternative, OnProgress, Result, ShouldStop, ignore_progress, never_stop
from app.solver.seating import seats_in_time
from app.solver.watch import Watch


def find_repairs(
    problem: Problem,
    *,
    restarts: int = 1000,
    time_limit: float | None = 5.0,
    seed: int = 1,
    on_progress: OnProgress = ignore_progress,
    should_stop: ShouldStop = never_stop,
) -> Result:
    """Return the plan that moves the fewest guests; its alternatives move more, each being better than the last."""
    choose_cores(problem.guest_count)
    watch = Watch(time_limit, on_progress, should_stop)
    problem = _with_matrix(problem)
    curve = repair_curve(problem, seed=seed, restarts=restarts, watch=watch)
    with watch.stage("seats"):
        first, *others = [_seated(problem, point, watch) for point in curve]
    with watch.stage("map"):
        positions = map_or_nothing(problem, watch)
    return Result(
        assignment=first.assignment,
        seats=first.seats,
        mse=first.mse,
        total=first.total,
        method="full",
        objective=problem.objective,
        seed=seed,
        restarts=restarts,
        iterations=0,
        seconds=watch.seconds,
        seconds_by_stage=dict(watch.seconds_by_stage),
        positions=positions,
        stopped_early=watch.stopped,
        alternatives=tuple(others),
    )


def _with_matrix(problem: Problem) -> Problem:
    if problem.guest_count > MATRIX_GUESTS:
        raise TooLarge
    if problem.ratings is not None:
        return replace(problem, matrix=problem.ratings.as_matrix(), ratings=None)
    if problem.points is not None and not len(problem.matrix):
        return replace(problem, matrix=distances_between(problem.points))
    return problem


def _seated(problem: Problem, point: Repair, watch: Watch) -> Alternative:
    seats = seats_in_time(problem, point.assignment, watch, quick=problem.guest_count > QUICK_GUESTS)
    return Alternative(point.assignment, seats, point.mse, point.total)
