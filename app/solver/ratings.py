"""Ratings of a large event: only the pairs that have one; every other pair counts as 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Ratings:
    """The scores row by row: guest i rates `others[starts[i]:starts[i + 1]]` at `scores[…]`, the same both ways."""

    starts: IntArray
    others: IntArray
    scores: FloatArray

    @property
    def guest_count(self) -> int:
        """The number of guests."""
        return len(self.starts) - 1

    @property
    def highest(self) -> float:
        """The highest score of any pair; 0 where only such are rated that are worse, as unrated pairs are 0."""
        count = self.guest_count
        everyone = len(self.scores) == count * (count - 1)
        return float(self.scores.max(initial=-np.inf if everyone and count > 1 else 0.0))

    def as_matrix(self) -> FloatArray:
        """Return the ratings as a square matrix."""
        matrix = np.zeros((self.guest_count, self.guest_count))
        matrix[np.repeat(np.arange(self.guest_count), np.diff(self.starts)), self.others] = self.scores
        return matrix

    def among(self, guests: IntArray) -> FloatArray:
        """Return the scores among a few guests as a matrix."""
        place = {int(guest): i for i, guest in enumerate(guests)}
        matrix = np.zeros((len(guests), len(guests)))
        for guest, i in place.items():
            for at in range(self.starts[guest], self.starts[guest + 1]):
                j = place.get(int(self.others[at]))
                if j is not None:
                    matrix[i, j] = self.scores[at]
        return matrix

    def total(self, assignment: ArrayLike, weight_of_table: FloatArray) -> float:
        """Return Σ_t weight_t Σ_{i<j at t} s_ij."""
        seated = np.asarray(assignment)
        rows = np.repeat(np.arange(self.guest_count), np.diff(self.starts))
        same = seated[rows] == seated[self.others]
        return float((weight_of_table[seated[rows[same]]] * self.scores[same]).sum() / 2)


def collect_ratings(guest_count: int, first: ArrayLike, second: ArrayLike, score: ArrayLike) -> Ratings:
    """Return the ratings of pairs; of a pair that is given more than once, or both ways, the mean counts."""
    one, other = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
    low, high = np.minimum(one, other), np.maximum(one, other)
    apart = low != high
    pairs, which = np.unique(low[apart] * guest_count + high[apart], return_inverse=True)
    given = np.asarray(score, dtype=np.float64)[apart]
    means = np.bincount(which, weights=given, minlength=len(pairs)) / np.bincount(which, minlength=len(pairs))
    rows = np.concatenate([pairs // guest_count, pairs % guest_count])
    columns = np.concatenate([pairs % guest_count, pairs // guest_count])
    order = np.lexsort((columns, rows))
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=guest_count))])
    return Ratings(starts.astype(np.int64), columns[order], np.concatenate([means, means])[order])
