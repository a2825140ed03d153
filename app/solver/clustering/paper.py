"""`method: paper`: scale the distances to points, cluster those by k-means with fixed sizes, keep the best restart.

Malinen & Fränti, *Fixed-sized clusters k-means*, with the assignment step as a transportation problem. As in the
paper, parties are ignored. A problem with rules is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from app.solver.clustering.embedding import Embedding, embed, embed_points
from app.solver.clustering.kmeans import Space, compile_kernels, make_space
from app.solver.clustering.restarts import Outcome, Restarts
from app.solver.deadline import Deadline, Stopped
from app.solver.errors import BadMatrix, RulesNotKept
from app.solver.feasibility.table_sizes import table_sizes
from app.solver.problem import FloatArray, IntArray, Problem
from app.solver.result import Alternative, Result
from app.solver.score import guests_by_table, mean_squared_error, total_score


@dataclass(frozen=True)
class Clustering:
    """What the restarts gave, with the tables that are used, their sizes and the map of the guests."""

    used: IntArray
    sizes: IntArray
    positions: FloatArray
    outcome: Outcome


def solve_paper(
    problem: Problem, *, restarts: int, seed: int, deadline: Deadline, threads: int | None = None
) -> Result:
    """Return the best plan of the restarts by the problem's objective, measured on the matrix itself.

    If it is stopped before the first restart ends, it seats the guests in the order given.
    """
    found = cluster_points(problem, restarts=restarts, seed=seed, deadline=deadline, threads=threads)
    return paper_result(problem, found, seed, deadline, stopped_early=found.outcome.restarts < restarts)


def cluster_points(
    problem: Problem, *, restarts: int, seed: int, deadline: Deadline, threads: int | None = None, first: int = 0
) -> Clustering:
    """Scale the distances to points and run the restarts from number `first`; without restarts only the map is made."""
    with deadline.stage("check"):
        if problem.rules or problem.locked:
            raise RulesNotKept
        sizes = table_sizes(problem)
    used = np.flatnonzero(sizes)
    positions, outcome = np.zeros((problem.guest_count, 2)), Outcome(None, 0, 0, ())
    try:
        with deadline.stage("embed"):
            embedding, space = deadline.run_in_thread(lambda: _prepare(problem, sizes[used]))
        positions = embedding.positions
        with deadline.stage("compile"):
            deadline.run_in_thread(compile_kernels)
        deadline.exclude("compile")
        with deadline.stage("k-means"):
            if restarts:
                figure = figure_of_spread(problem, sizes)
                outcome = Restarts(
                    space, restarts=restarts, seed=seed, deadline=deadline, figure=figure, threads=threads, first=first
                ).run()
    except Stopped:
        pass
    return Clustering(used, sizes[used], positions, outcome)


def _prepare(problem: Problem, sizes: IntArray) -> tuple[Embedding, Space]:
    with np.errstate(all="ignore"):
        squared = problem.squared_distances
    if not np.isfinite(squared).all():
        raise BadMatrix("The matrix holds a value that is missing, not a number, or too large to square.")
    embedding = embed(squared) if problem.points is None else embed_points(problem.points)
    return embedding, make_space(squared, embedding, sizes, problem.objective)


def figure_of_spread(problem: Problem, sizes: IntArray) -> Callable[[float], float]:
    """Return how the objective follows from Σ d², which is what the kernels minimise.

    `average` is that sum with its weights. For `total`, every pair has s_ij = s_max − d²_ij and the sizes fix the
    number of pairs, so total = s_max · pairs − Σ d²_ij; distances have s_max = 0.
    """
    if problem.objective == "average" or problem.guest_count < 2:
        return float
    is_score = problem.kind == "score"
    highest = float(problem.scores[0, 1] + problem.squared_distances[0, 1]) if is_score else 0.0
    pairs = float((sizes * (sizes - 1) / 2).sum())
    return lambda value: highest * pairs - value


def paper_result(problem: Problem, found: Clustering, seed: int, deadline: Deadline, *, stopped_early: bool) -> Result:
    """Return the best plan with its figures."""
    outcome = found.outcome
    plan = np.repeat(np.arange(len(found.used)), found.sizes) if outcome.assignment is None else outcome.assignment
    assignment, tables = found.used[plan], len(problem.tables)
    mse = mean_squared_error(problem.squared_distances, assignment, tables)
    result = Result(
        **vars(Alternative(assignment, seats_in_order(assignment, tables), mse, _total(problem, assignment))),
        method="paper",
        objective=problem.objective,
        seed=seed,
        restarts=outcome.restarts,
        iterations=outcome.iterations,
        positions=found.positions,
        history=outcome.history,
        stopped_early=stopped_early,
    )
    return deadline.with_times(result)


def _total(problem: Problem, assignment: IntArray) -> float:
    """Return the total without making `problem.scores`, which for distances is one more matrix of its size."""
    if problem.kind == "score":
        return total_score(problem.scores, assignment)
    return -total_score(problem.squared_distances, assignment)


def seats_in_order(assignment: IntArray, table_count: int) -> IntArray:
    """Number the guests at each table in the order in which they were given."""
    seats = np.zeros(len(assignment), dtype=np.int64)
    for here in guests_by_table(assignment, table_count):
        seats[here] = np.arange(len(here))
    return seats
