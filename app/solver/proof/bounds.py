"""How good a plan can be at most, whatever the search has found.

Both bounds hold for every plan of the tables and rules, and are compared with proven optima in the tests.

*Company.* A guest at a table of m adds at most f(m)·½·(the sum of their m − 1 best scores). Guests are given
to the tables' seats at the best sum of that, a transport problem; any prices p ≥ 0 on the seats bound it by
Σ_i max_t (c_it − p_t) + Σ_t p_t·seats_t.

*Eigenvalues.* See `app.solver.proof.semidefinite`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from app.solver.problem import FloatArray, Problem
from app.solver.proof.relaxation import relax
from app.solver.proof.semidefinite import semidefinite_bound
from app.solver.search.blocks import Blocks, pair_weights
from app.solver.search.strategy import SPECTRAL_GUESTS

ROUNDING = 1e-9
ROWS = 256


def company_bound(problem: Problem) -> float:
    """Return what Σ_t f(n_t)·S_t is at most, from each guest's best company."""
    weights = pair_weights(problem)
    most = max(table.most for table in problem.tables)
    # Some rows at a time: copies of the whole matrix of thousands of guests take seconds.
    rows = range(0, len(weights), ROWS)
    best = np.concatenate([_best_of_rows(weights, start, most) for start in rows])
    return company_bound_of(problem, best)


def _best_of_rows(weights: FloatArray, start: int, most: int) -> FloatArray:
    """Return the largest pair weights of some guests, largest first."""
    losses = -weights[start : start + ROWS]
    here = np.arange(len(losses))
    losses[here, start + here] = np.inf
    return -np.sort(np.partition(losses, min(most, len(weights) - 1), axis=1)[:, :most], axis=1)


def company_bound_of(problem: Problem, best: FloatArray, rounds: int = 100) -> float:
    """Return the same from each guest's best pair weights, largest first."""
    limits = sorted({(max(table.least, 1), table.most) for table in problem.tables})
    seats = np.array([sum(t.most for t in problem.tables if (max(t.least, 1), t.most) == kind) for kind in limits])
    gains = _best_company(problem, best, limits)
    prices = np.zeros(len(limits))
    bound = np.inf
    scale = float(np.abs(gains).max(initial=0.0)) or 1.0
    for turn in range(rounds):
        net = gains - prices
        bound = min(bound, float(net.max(axis=1).sum() + prices @ seats))
        used = np.bincount(net.argmax(axis=1), minlength=len(limits))
        prices = np.maximum(prices + 0.5 * scale / (turn + 1) * (used - seats) / problem.guest_count, 0.0)
    return bound + ROUNDING * (1 + abs(bound))


def _best_company(problem: Problem, best: FloatArray, limits: list[tuple[int, int]]) -> FloatArray:
    """Return the most that each guest can add at each kind of table."""
    sums = np.concatenate([np.zeros((len(best), 1)), np.cumsum(best, axis=1)], axis=1)
    average = problem.objective == "average"
    columns = []
    for low, high in limits:
        sizes = range(min(low, len(best)), min(high, len(best)) + 1)
        columns.append(np.max([sums[:, m - 1] / 2 / (m if average else 1) for m in sizes], axis=0))
    return np.stack(columns, axis=1)


def upper_bound(problem: Problem, blocks: Blocks, known: float, is_over: Callable[[], bool]) -> float:
    """Return the better of both bounds on Σ_t f(n_t)·S_t; `known`, what some plan has, only says when to stop."""
    bound = company_bound(problem)
    if problem.guest_count <= SPECTRAL_GUESTS:
        bound = min(bound, semidefinite_bound(relax(problem, blocks), known, is_over))
    return bound
