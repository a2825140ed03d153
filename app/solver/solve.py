"""The solver's one door: a problem in, a result out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from app.solver.asked import refuse_impossible
from app.solver.cores import choose_cores
from app.solver.embed import distances_between
from app.solver.errors import TooLarge
from app.solver.full import solve_full
from app.solver.paper import solve_paper
from app.solver.points import solve_points
from app.solver.problem import FloatArray, Method, Problem
from app.solver.ratings import MATRIX_GUESTS, MOST_MATRIX_GUESTS, RULED_GUESTS
from app.solver.result import OnProgress, Result, ShouldStop, ignore_progress, never_stop
from app.solver.sparse import can_solve_sparse, solve_sparse
from app.solver.watch import Watch


def solve(
    problem: Problem,
    *,
    method: Method = "full",
    restarts: int = 1000,
    time_limit: float | None = 5.0,
    seed: int = 1,
    on_progress: OnProgress = ignore_progress,
    should_stop: ShouldStop = never_stop,
) -> Result:
    """Find a plan.

    The same problem, method, seed and number of restarts give the same plan, unless the time limit ends the
    restarts before.

    Parameters
    ----------
    problem
        Guests, tables and how pairs get along.
    method
        `paper` is the published algorithm alone; `full` searches on the original matrix and keeps every rule.
    restarts
        How often to start anew.
    time_limit
        After so many seconds no further restart is begun or finished; the first is always finished. None: no limit.
    seed
        Where the random numbers start.
    on_progress
        Called about seven times a second, in the caller's thread.
    should_stop
        Asked about twenty times a second; once it says so the best plan so far is returned. `watch.Stopped` is raised
        if there is none yet: checking thousands of guests with rules takes seconds.
    """
    refuse_impossible(problem, method)
    choose_cores(problem.guest_count)
    watch = Watch(time_limit, on_progress, should_stop)
    if problem.ratings is not None:
        if method == "full" and _is_sparse(problem):
            return solve_sparse(problem, problem.ratings, restarts=restarts, seed=seed, watch=watch)
        problem = with_matrix(problem)
    elif problem.points is not None and len(problem.matrix) == 0:
        if method == "full" and problem.guest_count > MATRIX_GUESTS:
            return solve_points(problem, problem.points, restarts=restarts, seed=seed, watch=watch)
        points = problem.points
        problem = _with_matrix(problem, lambda: distances_between(points))
    if method == "full":
        return solve_full(problem, restarts=restarts, seed=seed, watch=watch)
    return solve_paper(problem, restarts=restarts, seed=seed, watch=watch)


def _is_sparse(problem: Problem) -> bool:
    """Say whether to search on the ratings of few pairs themselves."""
    ruled = problem.parties or problem.rules or problem.locked
    return problem.guest_count > (RULED_GUESTS if ruled else MATRIX_GUESTS) and can_solve_sparse(problem)


def with_matrix(problem: Problem) -> Problem:
    """Return the problem with a matrix in place of ratings of few pairs, if that fits into memory several times."""
    return problem if problem.ratings is None else _with_matrix(problem, problem.ratings.as_matrix)


def _with_matrix(problem: Problem, make_matrix: Callable[[], FloatArray]) -> Problem:
    """Return the same problem with a matrix, if it fits into memory several times."""
    if problem.guest_count > MOST_MATRIX_GUESTS:
        raise TooLarge
    return replace(problem, matrix=make_matrix(), ratings=None)
