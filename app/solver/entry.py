"""`solve`: choose the method that suits the problem, and run it."""

from __future__ import annotations

from app.solver.clustering.embedding import with_matrix
from app.solver.clustering.paper import solve_paper
from app.solver.deadline import Deadline
from app.solver.full import solve_full
from app.solver.large.points import solve_points
from app.solver.large.search import can_solve_sparse
from app.solver.large.sparse import solve_sparse
from app.solver.numba_support.threads import choose_cores
from app.solver.options import refuse_impossible
from app.solver.problem import MATRIX_GUESTS, RULED_GUESTS, Method, Problem
from app.solver.result import OnProgress, Result, ShouldStop, ignore_progress, never_stop


def solve(
    problem: Problem,
    *,
    method: Method = "full",
    restarts: int = 1000,
    time_limit: float | None = 5.0,
    seed: int = 1,
    on_progress: OnProgress = ignore_progress,
    should_stop: ShouldStop = never_stop,
    threads: int | None = None,
    spent: float = 0.0,
    stop_early: bool = False,
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
        How often to start again.
    time_limit
        After so many seconds no further restart is begun or finished; the first is always finished. None: no limit.
    seed
        Where the random numbers start.
    on_progress
        Called about seven times a second, in the caller's thread.
    should_stop
        Asked about twenty times a second. Once it returns true, the best plan so far is returned; `Stopped` is raised
        if there is none yet, as checking thousands of guests with rules takes seconds.
    threads
        How many threads search at once; None: one for each core. The plan does not depend on it.
    spent
        Seconds of the time limit that are over already, such as those in which a command started.
    stop_early
        End the full search before the time limit once so many restarts found the same best plan that a better one is
        unlikely.
    """
    refuse_impossible(problem, method)
    choose_cores(problem.guest_count)
    deadline = Deadline(time_limit, on_progress, should_stop, spent)
    if method == "full" and problem.ratings is not None and _is_sparse(problem):
        return solve_sparse(problem, problem.ratings, deadline=deadline, restarts=restarts, seed=seed, threads=threads)
    if method == "full" and problem.has_points_only and problem.guest_count > MATRIX_GUESTS:
        return solve_points(problem, deadline=deadline, restarts=restarts, seed=seed, threads=threads)
    problem = with_matrix(problem)
    if method == "paper":
        return solve_paper(problem, deadline=deadline, restarts=restarts, seed=seed, threads=threads)
    return solve_full(problem, deadline=deadline, restarts=restarts, seed=seed, threads=threads, stop_early=stop_early)


def _is_sparse(problem: Problem) -> bool:
    """Return whether to search on the ratings of few pairs themselves."""
    ruled = problem.parties or problem.rules or problem.locked
    return problem.guest_count > (RULED_GUESTS if ruled else MATRIX_GUESTS) and can_solve_sparse(problem)
