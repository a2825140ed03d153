"""Triangles: if i shares a table with j and with k, then j shares one with k; X_ij + X_ik ≤ X_jk + X_ii.

There are n³/2 of them, few of which a relaxed plan violates. Those are looked for from time to time; each has a
multiplier, which is the price of violating it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.solver.problem import FloatArray, IntArray

LEAST_VIOLATION = 1e-3
POWER_ROUNDS = 12


@dataclass(frozen=True)
class Triangles:
    """Some triangles i, j, k with j < k in the rows of `corners`, and their multipliers."""

    corners: IntArray
    prices: FloatArray
    roots: FloatArray

    @property
    def _places(self) -> tuple[IntArray, FloatArray]:
        """The flat places of the four entries of each triangle, and what each is multiplied by."""
        i, j, k = self.corners
        first, second = np.stack([i, i, j, i]), np.stack([j, k, k, i])
        signs = np.array([[1.0], [1.0], [-1.0], [-1.0]])
        return first * len(self.roots) + second, signs / (self.roots[first] * self.roots[second])

    def excess(self, solution: FloatArray) -> FloatArray:
        """Return by how much a solution Y = X·√(size size') violates each of them."""
        places, factors = self._places
        return np.asarray((solution.ravel()[places] * factors).sum(axis=0))

    def as_matrix(self, prices: FloatArray) -> FloatArray:
        """Return the symmetric matrix A with Σ A·Y = Σ prices·excess."""
        count = len(self.roots)
        places, factors = self._places
        one = np.bincount(places.ravel(), weights=(factors * prices).ravel(), minlength=count * count)
        one = one.reshape(count, count)
        return np.asarray((one + one.T) / 2)

    def norm(self) -> float:
        """Return about the square of the largest singular value, by the power method."""
        vector = np.ones(self.corners.shape[1])
        length = 1.0
        for _ in range(POWER_ROUNDS):
            vector = self.excess(self.as_matrix(vector / length))
            length = float(np.linalg.norm(vector)) or 1.0
        return length


def no_triangles(roots: FloatArray) -> Triangles:
    """Return none."""
    return Triangles(np.zeros((3, 0), dtype=np.int64), np.zeros(0), roots)


def renew(triangles: Triangles, solution: FloatArray, most: int) -> Triangles:
    """Drop the triangles without a price, and add those that a solution violates most."""
    used = triangles.prices > 0.0
    corners, prices = triangles.corners[:, used], triangles.prices[used]
    shared = solution / np.outer(triangles.roots, triangles.roots)
    found = violated_triangles(shared, most + corners.shape[1])
    count = len(triangles.roots)
    new = found[:, ~np.isin(_codes(found, count), _codes(corners, count))][:, :most]
    return Triangles(np.concatenate([corners, new], axis=1), np.append(prices, np.zeros(new.shape[1])), triangles.roots)


def violated_triangles(shared: FloatArray, most: int) -> IntArray:
    """Return the corners of the triangles that X violates most, as columns, the most violated first."""
    excess, codes, count = [np.zeros(0)], [np.zeros(0, dtype=np.int64)], len(shared)
    for i in range(count):
        # Only blocks that share some of i's table can violate one.
        near = np.flatnonzero(shared[i] > LEAST_VIOLATION * shared[i, i])
        near = near[near != i]
        own = shared[i, near]
        over = own[:, None] + own - shared[np.ix_(near, near)] - shared[i, i]
        j, k = np.nonzero(np.triu(over > LEAST_VIOLATION * shared[i, i], 1))
        excess.append(over[j, k] / shared[i, i])
        codes.append((i * count + near[j]) * count + near[k])
    every, all_codes = np.concatenate(excess), np.concatenate(codes)
    best = all_codes[np.argsort(-every, kind="stable")[:most]]
    return np.stack([best // (count * count), best // count % count, best % count])


def _codes(corners: IntArray, count: int) -> IntArray:
    return np.asarray((corners[0] * count + corners[1]) * count + corners[2])
