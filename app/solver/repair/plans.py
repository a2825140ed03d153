"""The repair curve as a result: the plan with the fewest moves, and the others of the curve beside it."""

from __future__ import annotations

from app.solver.clustering.embedding import with_matrix
from app.solver.deadline import Deadline
from app.solver.errors import TooLarge
from app.solver.full import QUICK_GUESTS, map_or_nothing
from app.solver.numba_support.threads import choose_cores
from app.solver.order.seating import seats_in_time
from app.solver.problem import Problem
from app.solver.ratings import MATRIX_GUESTS
from app.solver.repair.curve import Repair, repair_curve
from app.solver.result import Alternative, OnProgress, Result, ShouldStop, ignore_progress, never_stop


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
    deadline = Deadline(time_limit, on_progress, should_stop)
    if problem.guest_count > MATRIX_GUESTS:
        raise TooLarge
    problem = with_matrix(problem)
    curve = repair_curve(problem, seed=seed, restarts=restarts, deadline=deadline)
    with deadline.stage("seats"):
        first, *others = [_seated(problem, point, deadline) for point in curve]
    with deadline.stage("map"):
        positions = map_or_nothing(problem, deadline)
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
        seconds=deadline.seconds,
        seconds_by_stage=dict(deadline.seconds_by_stage),
        positions=positions,
        stopped_early=deadline.stopped,
        alternatives=tuple(others),
    )


def _seated(problem: Problem, point: Repair, deadline: Deadline) -> Alternative:
    seats = seats_in_time(problem, point.assignment, deadline, quick=problem.guest_count > QUICK_GUESTS)
    return Alternative(point.assignment, seats, point.mse, point.total)
