"""How good a plan can be at most, from a semidefinite relaxation with triangles.

A plan is a matrix Y (`app.solver.proof.relaxation`): its entries have limits, its eigenvalues are known, and it keeps
all triangles (`app.solver.proof.triangles`). With prices A of some triangles, every symmetric matrix L gives a bound,

    V = Σ K·Y ≤ Σ (K − A)·Y = Σ (K − A − L)·Y + Σ L·Y,

where the first sum is at most that of the better limit of each entry, and the second that of the eigenvalues of L times
those of Y, both sorted (Donath & Hoffman 1973). So nothing has to converge for the bound to hold.

L and A are found by the alternating direction method of multipliers: one copy of Y keeps to the limits, another to the
eigenvalues, and L is the price of their difference (Wen, Goldfarb & Yin 2010; for partitions with cuts de Meijer,
Sotirov, Wiegele & Zhao 2023). Prices of triangles follow by the primal-dual step of Condat (2013).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from app.solver.problem import FloatArray
from app.solver.proof.relaxation import Relaxation
from app.solver.proof.triangles import Triangles, no_triangles, renew

ROUNDING = 1e-9
LOOK_EVERY = 20
"""Rounds between two evaluations of the bound."""
RENEW_EVERY = 40
"""Rounds between two looks for triangles."""
NEW_TRIANGLES = 20
"""How many triangles are added at a time, for each block."""
LONGER_STEP = 1.5
"""Prices between the copies move by so much more than their difference while there are no triangles."""
CAREFUL_STEP = 0.5
"""The same for prices of triangles where the diagonal is not fixed: at full length they would swing."""
UNBALANCED, ADJUSTMENT = 5.0, 1.3
"""Where the two copies differ so many times as much as they change, or the other way round, the step is adjusted."""
LEAST_PROGRESS = 1e-5
BISECTIONS = 30


def semidefinite_bound(relaxation: Relaxation, known: float, is_over: Callable[[], bool], rounds: int = 3000) -> float:
    """Return what V is at most; `known`, what some plan has, only says when there is nothing left to gain."""
    largest = float(np.abs(relaxation.weights).max(initial=0.0)) or 1.0
    if not np.isfinite(largest):
        return np.inf
    # Squares of very large scores would overflow.
    unit = replace(relaxation, weights=relaxation.weights / largest)
    return largest * _improve_bound(unit, known / largest, is_over, rounds)


def _improve_bound(relaxation: Relaxation, known: float, is_over: Callable[[], bool], rounds: int) -> float:
    search = _DualSearch(relaxation)
    bound = bound_at(relaxation, relaxation.weights, relaxation.weights)
    last_look = np.inf
    for number in range(1, rounds + 1 if len(relaxation.roots) > 1 else 0):
        search.step()
        over = is_over()
        if number % LOOK_EVERY and not over:
            continue
        bound = min(bound, bound_at(relaxation, search.weights, search.prices))
        if over or bound <= known:
            break
        if number % RENEW_EVERY == 0:
            if number > 2 * RENEW_EVERY and last_look - bound < LEAST_PROGRESS * (1.0 + abs(bound)):
                break
            last_look = bound
            search.renew_triangles()
        search.adjust()
    return bound


def bound_at(relaxation: Relaxation, weights: FloatArray, prices: FloatArray) -> float:
    """Return the bound of given weights K − A and prices L, both symmetric."""
    rest = weights - prices
    value = float(np.where(rest > 0, rest * relaxation.high, rest * relaxation.low).sum())
    matrix = prices
    if relaxation.row_sum is not None:
        value += relaxation.row_sum * float(relaxation.unit @ prices @ relaxation.unit)
        matrix = _without(relaxation.unit, prices)
        matrix -= (float(np.abs(matrix).sum(axis=0).max()) + 1.0) * np.outer(relaxation.unit, relaxation.unit)
    wanted = len(relaxation.sizes)
    top = np.linalg.eigvalsh(matrix)[::-1][:wanted]
    counted = (top > 0) | (np.arange(len(top)) < relaxation.sure)
    value += float((top * relaxation.sizes[: len(top)])[counted].sum())
    return value + ROUNDING * (1.0 + abs(value))


class _DualSearch:
    """The two copies of Y and the prices between them."""

    def __init__(self, relaxation: Relaxation) -> None:
        self._relaxation, self._triangles = relaxation, no_triangles(relaxation.roots)
        self.weights, self.prices = relaxation.weights, relaxation.weights.copy()
        count, sizes = len(relaxation.roots), np.append(relaxation.sizes, relaxation.row_sum or 0.0)
        self._spectral = np.outer(relaxation.unit, relaxation.unit) * float(sizes.max(initial=1.0))
        self._limited = self._before = self._spectral
        spread = float(np.linalg.norm(relaxation.weights - relaxation.weights.sum() / count**2))
        self._weight = (spread or 1.0) / max(float(np.linalg.norm(sizes)), 1.0)
        self._triangle_step = self._apart = self._change = 0.0

    def step(self) -> None:
        """Move both copies once, and the prices with them."""
        relaxation, weight = self._relaxation, self._weight
        if self._triangle_step:
            self._price_triangles()
        self._before = self._limited
        self._limited = np.clip(self._spectral + (self.weights - self.prices) / weight, relaxation.low, relaxation.high)
        spectral = nearest_with_eigenvalues(relaxation, self._limited + self.prices / weight)
        difference = self._limited - spectral
        longer = 1.0 if self._triangle_step else LONGER_STEP
        self.prices = self.prices + longer * weight * difference
        self._apart = float(np.linalg.norm(difference)) / (1.0 + float(np.linalg.norm(self._limited)))
        moved = weight * float(np.linalg.norm(spectral - self._spectral))
        self._change = moved / (weight + float(np.linalg.norm(self.prices)))
        self._spectral = spectral

    def _price_triangles(self) -> None:
        excess = self._triangles.excess(2.0 * self._limited - self._before)
        prices = np.maximum(self._triangles.prices + self._triangle_step * self._weight * excess, 0.0)
        self._triangles = Triangles(self._triangles.corners, prices, self._triangles.roots)
        self.weights = self._relaxation.weights - self._triangles.as_matrix(prices)

    def renew_triangles(self) -> None:
        """Look for triangles that are violated now."""
        self._triangles = renew(self._triangles, self._limited, NEW_TRIANGLES * len(self._relaxation.roots))
        fixed = np.array_equal(self._relaxation.low.diagonal(), self._relaxation.high.diagonal())
        length = 1.0 if fixed else CAREFUL_STEP
        self._triangle_step = length / self._triangles.norm() if len(self._triangles.prices) else 0.0

    def adjust(self) -> None:
        """Lengthen or shorten the step."""
        if self._apart > UNBALANCED * self._change:
            self._weight *= ADJUSTMENT
        elif self._change > UNBALANCED * self._apart:
            self._weight /= ADJUSTMENT


def nearest_with_eigenvalues(relaxation: Relaxation, matrix: FloatArray) -> FloatArray:
    """Return about the nearest matrix with eigenvalues between 0 and the largest size that have the right sum."""
    if relaxation.row_sum is not None:
        matrix = _without(relaxation.unit, matrix)
    values, vectors = np.linalg.eigh(matrix)
    largest, sizes = float(relaxation.sizes.max(initial=0.0)), relaxation.sizes
    values = _shift_to_sum(values, largest, float(sizes[: relaxation.sure].sum()), float(sizes.sum()))
    used = values > 0.0
    nearest = (vectors[:, used] * values[used]) @ vectors[:, used].T
    if relaxation.row_sum is not None:
        nearest += relaxation.row_sum * np.outer(relaxation.unit, relaxation.unit)
    return np.asarray(nearest)


def _shift_to_sum(values: FloatArray, largest: float, least: float, most: float) -> FloatArray:
    """Shift all values alike and cut them off at 0 and `largest`, so that their sum is between two limits."""
    clipped = np.clip(values, 0.0, largest)
    total = float(clipped.sum())
    if least <= total <= most:
        return clipped
    aim, reach = (least if total < least else most), float(np.abs(values).max()) + largest
    low, high = -reach, reach
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if float(np.clip(values + middle, 0.0, largest).sum()) > aim:
            high = middle
        else:
            low = middle
    return np.clip(values + high, 0.0, largest)


def _without(unit: FloatArray, matrix: FloatArray) -> FloatArray:
    """Return a symmetric matrix without its part in the direction of a vector of length 1."""
    image = matrix @ unit
    return np.asarray(matrix - np.outer(unit, image) - np.outer(image, unit) + (unit @ image) * np.outer(unit, unit))
