"""How good a plan can be at most, whatever the search has found.

Both bounds hold for every plan of the tables and rules, and are compared with proven optima in the tests.

*Company.* A guest at a table of m adds at most f(m)·½·(the sum of their m − 1 best scores). Guests are given
to the tables' seats at the best sum of that, a transport problem; any prices p ≥ 0 on the seats bound it by
Σ_i max_t (c_it − p_t) + Σ_t p_t·seats_t.

*Eigenvalues* (Donath & Hoffman 1973, with the non-negativity of a semidefinite relaxation). A plan is the matrix
X = Σ_t χ_t χ_tᵀ, whose eigenvalues are the tables' sizes, or Σ_t χ_t χ_tᵀ/n_t for `average`, a projection. With
weights W, ⟨W, X⟩ ≤ ⟨W + N + Diag(y), X⟩ − Σ y_i X_ii for every N ≥ 0, and the right side is at most the sum of sizes
times eigenvalues, both sorted. So every N and y gives a bound, however they were found: a subgradient descent
improves them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import scipy

from app.solver.problem import FloatArray, IntArray, Problem
from app.solver.search.blocks import pair_weights
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


@dataclass(frozen=True)
class _Relaxation:
    """What is known of X: the sizes of its eigenvalues, its diagonal, and whether 1 is an eigenvector."""

    weights: FloatArray
    sizes: FloatArray
    """Upper limits on X's eigenvalues, largest first."""
    row_sum: float | None
    """The row sums of X where all are the same."""
    diagonal: tuple[float, float]
    forced: bool
    """Whether X has exactly that many eigenvalues, so that negative ones count."""
    apart: tuple[tuple[int, int], ...]


def _relax(problem: Problem) -> _Relaxation:
    least = np.array([max(t.least, 1) for t in problem.tables])
    most = np.array([t.most for t in problem.tables])
    empty = any(t.least == 0 for t in problem.tables)
    apart = {(min(pair), max(pair)) for r in problem.rules if r.kind == "apart" for pair in combinations(r.guests, 2)}
    weights = pair_weights(problem) / 2
    if problem.objective == "average":
        count = min(len(most), problem.guest_count)
        diagonal = (1.0 / float(most.max()), 1.0 / float(least.min()))
        return _Relaxation(weights, np.ones(count), 1.0, diagonal, not empty, tuple(sorted(apart)))
    sizes = _largest_sizes(most, problem.guest_count)
    equal = bool(least.min() == most.max() and not empty)
    row_sum = float(most[0]) if equal else None
    return _Relaxation(weights, sizes, row_sum, (1.0, 1.0), equal, tuple(sorted(apart)))


def _largest_sizes(most: IntArray, guests: int) -> FloatArray:
    """Fill the largest tables first: no plan has larger sizes, taken together from the top."""
    sizes, left = [], guests
    for seats in -np.sort(-most):
        sizes.append(min(int(seats), left))
        left -= sizes[-1]
    return np.array([size for size in sizes if size], dtype=np.float64)


def eigenvalue_bound(problem: Problem, known: float, is_over: Callable[[], bool], rounds: int = 400) -> float:
    """Return what Σ_t f(n_t)·S_t is at most, from eigenvalues; `known` is what the best plan has.

    Each round is a step against the subgradient, of Polyak's length towards `known`.
    """
    relaxation = _relax(problem)
    count = problem.guest_count
    extra, diagonal = np.zeros((count, count)), np.zeros(count)
    lowest = np.zeros((count, count))
    for one, other in relaxation.apart:
        lowest[one, other] = lowest[other, one] = -np.inf
    best, share = np.inf, 1.0
    for turn in range(rounds):
        value, solution = _bound_at(relaxation, extra, diagonal)
        best = min(best, value + ROUNDING * (1 + abs(value)))
        if is_over() or best <= known or count < 2:
            break
        towards, push = _subgradient(relaxation, extra, diagonal, lowest, solution)
        length = float((towards**2).sum() + (push**2).sum())
        if length <= 1e-18:
            break
        share *= 0.98 if turn > 50 else 1.0
        step = share * max(value - known, 0.0) / length
        extra = np.maximum(extra - step * towards, lowest)
        diagonal = diagonal - step * push
    return best


def _subgradient(
    relaxation: _Relaxation, extra: FloatArray, diagonal: FloatArray, lowest: FloatArray, solution: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return where the bound grows, for N and for y; where N is at its least and would fall, it stays."""
    towards = np.where((extra <= lowest) & (solution > 0.0), 0.0, solution)
    np.fill_diagonal(towards, 0.0)
    low, high = relaxation.diagonal
    reached = np.diag(solution)
    wanted = np.where(diagonal > 0, low, np.where(diagonal < 0, high, np.clip(reached, low, high)))
    return towards, reached - wanted


def upper_bound(problem: Problem, known: float, is_over: Callable[[], bool]) -> float:
    """Return the better of both bounds on Σ_t f(n_t)·S_t; `known`, what some plan has, only says where to aim."""
    bound = company_bound(problem)
    if problem.guest_count <= SPECTRAL_GUESTS:
        bound = min(bound, eigenvalue_bound(problem, known, is_over))
    return bound


def _bound_at(relaxation: _Relaxation, extra: FloatArray, diagonal: FloatArray) -> tuple[float, FloatArray]:
    """Return the bound of given multipliers, and the matrix X that reaches it."""
    count = len(diagonal)
    matrix = relaxation.weights + extra
    matrix[np.diag_indices(count)] += diagonal
    value, sizes = 0.0, relaxation.sizes
    solution = np.zeros((count, count))
    if relaxation.row_sum is not None:
        row = relaxation.row_sum
        value += row * float(matrix.sum()) / count
        solution += row / count
        matrix = matrix - matrix.mean(axis=0)
        matrix = matrix - matrix.mean(axis=1, keepdims=True)
        matrix -= (10.0 * float(np.abs(matrix).sum(axis=0).max()) + 1.0) / count
        sizes = sizes[1:]
    top, used = _largest_eigenvalues(matrix, len(sizes))
    counted = sizes if relaxation.forced else np.where(top > 0, sizes, 0.0)
    value += float(counted @ top)
    solution += (used * counted) @ used.T
    low, high = relaxation.diagonal
    value -= float(np.where(diagonal > 0, diagonal * low, diagonal * high).sum())
    return value, solution


def _largest_eigenvalues(matrix: FloatArray, wanted: int) -> tuple[FloatArray, FloatArray]:
    """Return so many eigenvalues, largest first, and their vectors as columns."""
    if not wanted:
        return np.zeros(0), np.zeros((len(matrix), 0))
    last = len(matrix) - 1
    try:
        values, vectors = scipy.linalg.eigh(matrix, subset_by_index=(last - wanted + 1, last), check_finite=False)
    except np.linalg.LinAlgError:  # LAPACK's quick way may fail where almost all eigenvalues are equal: nothing rated
        values, vectors = scipy.linalg.eigh(matrix, driver="evd", check_finite=False)
        values, vectors = values[-wanted:], vectors[:, -wanted:]
    return values[::-1], vectors[:, ::-1]
