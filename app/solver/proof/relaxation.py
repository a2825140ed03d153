"""A plan as a matrix whose eigenvalues are known, and the limits of its entries: what the semidefinite bound relaxes.

A plan is X = Σ_t c_t β_t β_tᵀ, with β_t the blocks at table t, and c_t = 1 for `total` or 1/n_t for `average`. With
block b counted √size_b times, Y = X·√(size size'), the vectors of two tables are orthogonal and the eigenvalues of Y
are c_t·n_t: the sizes of the tables, or all 1. For `average` √size is an eigenvector. For `total` it is one where all
tables have the same size; empty chairs that nobody rates make them so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.solver.problem import BoolArray, FloatArray, IntArray, Problem
from app.solver.search.blocks import Blocks
from app.solver.search.strategy import SPECTRAL_GUESTS

MOST_PADDED = 2
"""Empty chairs count as guests while all of them together are at most so many times as many as the guests."""


@dataclass(frozen=True)
class Relaxation:
    """The weights K and the limits of Y with max Σ K·Y = V, and its eigenvalues.

    `roots` are √size of each block; `row_sum` is the eigenvalue that belongs to them, or None. `sizes` are the other
    eigenvalues, largest first; those after the first `sure` may be 0 instead.
    """

    weights: FloatArray
    low: FloatArray
    high: FloatArray
    roots: FloatArray
    row_sum: float | None
    sizes: FloatArray
    sure: int

    @property
    def unit(self) -> FloatArray:
        """The known eigenvector, of length 1."""
        return np.asarray(self.roots / np.linalg.norm(self.roots))


def relax(problem: Problem, blocks: Blocks) -> Relaxation:
    """Return the relaxation of a problem whose guests are joined into blocks."""
    if problem.objective == "average":
        return _relax_average(blocks)
    chairs = int(blocks.most.max()) * blocks.table_count
    guests = int(blocks.structure.sizes.sum())
    padded = chairs <= MOST_PADDED * guests and blocks.count + chairs - guests <= SPECTRAL_GUESTS
    return _relax_total(blocks, chairs - guests if padded else None)


def _relax_average(blocks: Blocks) -> Relaxation:
    sizes, allowed = blocks.structure.sizes, blocks.structure.allowed
    fewest = np.where(allowed, np.maximum(blocks.least, sizes[:, None]), np.iinfo(np.int64).max).min(axis=1)
    low = np.diag(1.0 / np.maximum(np.where(allowed, blocks.most, 0).max(axis=1), 1))
    together = np.maximum(np.maximum(fewest[:, None], fewest), sizes[:, None] + sizes)
    high = _may_share(blocks) / together
    np.fill_diagonal(high, 1.0 / fewest)
    needed = int(np.searchsorted(np.cumsum(-np.sort(-blocks.most)), sizes.sum())) + 1
    sure = max(needed, int((blocks.least > 0).sum()))
    used = min(blocks.table_count, blocks.count)
    return _scale(blocks, low, high, sizes, 1.0, np.ones(used - 1), min(sure, used) - 1)


def _relax_total(blocks: Blocks, empty: int | None) -> Relaxation:
    """Relax with this many empty chairs as further blocks; None: without, and without a known eigenvector."""
    most, padding = int(blocks.most.max()), empty or 0
    count = blocks.count + padding
    low, high = np.zeros((count, count)), np.ones((count, count))
    high[: blocks.count, : blocks.count] = _may_share(blocks)
    if most - int(blocks.least.min()) <= 1:
        high[blocks.count :, blocks.count :] = 0.0  # no table has two empty chairs
    np.fill_diagonal(low, 1.0)
    np.fill_diagonal(high, 1.0)
    sizes = np.concatenate([blocks.structure.sizes, np.ones(padding, dtype=np.int64)])
    if empty is None:
        eigenvalues = _largest_sizes(blocks.most, int(sizes.sum()))
        return _scale(blocks, low, high, sizes, None, eigenvalues, len(eigenvalues))
    others = blocks.table_count - 1
    return _scale(blocks, low, high, sizes, float(most), np.full(others, float(most)), others)


def _scale(
    blocks: Blocks,
    low: FloatArray,
    high: FloatArray,
    sizes: IntArray,
    row_sum: float | None,
    eigenvalues: FloatArray,
    sure: int,
) -> Relaxation:
    roots = np.sqrt(sizes.astype(np.float64))
    scale, count = np.outer(roots, roots), blocks.count
    weights = np.zeros_like(scale)
    apart = blocks.structure.mark_apart() if blocks.structure.is_anyone_apart else np.zeros((count, count), dtype=bool)
    weights[:count, :count] = np.where(apart, 0.0, blocks.weights) / 2 + np.diag(blocks.inner)
    return Relaxation(weights / scale, low * scale, high * scale, roots, row_sum, eigenvalues, sure)


def _may_share(blocks: Blocks) -> BoolArray:
    """Return for every two blocks whether some table could have both."""
    sizes, allowed = blocks.structure.sizes, blocks.structure.allowed.astype(np.float64)
    together = (allowed @ allowed.T > 0) & (sizes[:, None] + sizes <= blocks.most.max())
    if blocks.structure.is_anyone_apart:
        together &= ~blocks.structure.mark_apart()
    return np.asarray(together)


def _largest_sizes(most: IntArray, guests: int) -> FloatArray:
    """Fill the largest tables first: no plan has larger sizes, taken together from the top."""
    sizes, left = [], guests
    for seats in -np.sort(-most):
        sizes.append(min(int(seats), left))
        left -= sizes[-1]
    return np.array([size for size in sizes if size], dtype=np.float64)
