"""Where the search starts: a greedy plan, and the best restarts of the paper's k-means.

The k-means works on the matrix itself: ‖x_i − c_t‖² = (1/n_t) Σ_{j∈t} d²_ij − (1/2n_t²) Σ_{j,l∈t} d²_jl needs no
points, so nothing is lost where the distances are not Euclidean, and no eigenvalue is waited for in large events.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from app.solver.clustering.kmeans import Space, follow_restart, make_space
from app.solver.clustering.paper import figure_of_spread
from app.solver.clustering.restarts import Outcome, Restarts
from app.solver.deadline import Deadline
from app.solver.feasibility.table_sizes import table_sizes
from app.solver.problem import FloatArray, IntArray, Problem
from app.solver.result import Improvement
from app.solver.search.blocks import Blocks

MOST_PLANS = 4
QUICK_GUESTS = 600
"""Up to here a restart is run again in no time, for a plan that was not kept because it was not the best."""


@dataclass(frozen=True)
class Clustered:
    """What k-means gave: its best different plans by guest, best first, and how it got there."""

    plans: tuple[IntArray, ...] = ()
    restarts: int = 0
    iterations: int = 0
    history: tuple[Improvement, ...] = ()


def is_free(problem: Problem, blocks: Blocks) -> bool:
    """Return whether every guest may sit at every table with everyone: k-means supports neither parties nor rules."""
    return blocks.structure.is_free and len(problem.tables) > 1


def cluster(
    problem: Problem, *, restarts: int, seed: int, deadline: Deadline, until: float | None, threads: int | None = None
) -> Clustered:
    """Run the restarts that fit before `until`; the same seed and restarts give the same plans unless it cuts."""
    sizes = table_sizes(problem)
    used = np.flatnonzero(sizes)
    space = make_space(problem.squared_distances, None, sizes[used], problem.objective)
    figure = figure_of_spread(problem, sizes)
    outcome = Restarts(
        space, restarts=restarts, seed=seed, deadline=deadline, figure=figure, threads=threads, until=until
    ).run()
    plans = tuple(used[plan] for plan in _best_plans(space, outcome, seed))
    return Clustered(plans, outcome.restarts, outcome.iterations, outcome.history)


def _best_plans(space: Space, outcome: Outcome, seed: int) -> list[IntArray]:
    """Return the best plan of all and, where that is quick, the next best of other values."""
    if outcome.assignment is None:
        return []
    if len(space.squared) > QUICK_GUESTS:
        return [outcome.assignment]
    chosen: list[int] = []
    for restart in np.argsort(outcome.values, kind="stable")[: 8 * MOST_PLANS].tolist():
        value = float(outcome.values[restart])
        if math.isfinite(value) and not (chosen and math.isclose(value, outcome.values[chosen[-1]], rel_tol=1e-12)):
            chosen.append(restart)
    return [follow_restart(space, seed, restart)[1] for restart in chosen[:MOST_PLANS]]


def greedy(blocks: Blocks) -> IntArray | None:
    """Seat one block after the other where it adds most, the largest and most opinionated first; None if one is left.

    Weights are taken from their mean: an empty table is then neither better nor worse than an average one.
    """
    sizes, tables = blocks.structure.sizes, blocks.table_count
    weights = _centred(blocks)
    gains = blocks.linear.copy()
    seated = np.zeros(tables, dtype=np.int64)
    at = np.full(blocks.count, -1, dtype=np.int64)
    for block in np.lexsort((-np.abs(weights).sum(axis=1), -sizes)):
        fits = (seated + sizes[block] <= blocks.most) & blocks.structure.allowed[block]
        if not fits.any():
            return None
        # A table that lacks guests goes before one that has enough.
        rank = np.where(seated < blocks.least, 1, 0)
        open_tables = np.flatnonzero(fits & (rank == rank[fits].max()))
        table = open_tables[gains[open_tables, block].argmax()]
        at[block] = table
        seated[table] += sizes[block]
        gains[table] += weights[block]
    return at


def _centred(blocks: Blocks) -> FloatArray:
    """Return the pair weights less their mean, barriers kept as they are."""
    sizes = blocks.structure.sizes.astype(np.float64)
    ordinary = blocks.weights > -blocks.barrier / 2
    np.fill_diagonal(ordinary, False)
    counted = float(sizes @ (ordinary @ sizes))
    mean = float(blocks.weights[ordinary].sum()) / counted if counted else 0.0
    centred = blocks.weights - mean * sizes[:, None] * sizes
    np.fill_diagonal(centred, 0.0)
    return np.asarray(centred)
