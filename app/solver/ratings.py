"""Ratings of a large event: only the pairs that have one; every other pair counts as 0."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

MATRIX_GUESTS = 3000
"""Up to here ratings of few pairs are solved as a matrix, with everything that the full method can do."""
RULED_GUESTS = 5000
"""The same with parties, rules or locks: on a matrix the search also exchanges a couple for two guests."""
MOST_MATRIX_GUESTS = 8000
"""More guests than that are never laid out as a matrix: each copy of it takes more than 500 MB."""
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

    @cached_property
    def highest(self) -> float:
        """The highest score of any pair; 0 where only such are rated that are worse, as unrated pairs are 0."""
        count = self.guest_count
        everyone = len(self.scores) == count * (count - 1)
        return float(self.scores.max(initial=-np.inf if everyone and count > 1 else 0.0))

    def as_matrix(self) -> FloatArray:
        """Return the ratings as a square matrix."""
        matrix = np.zeros((self.guest_count, self.guest_count))
        matrix[self.rows, self.others] = self.scores
        return matrix

    def among(self, guests: IntArray) -> FloatArray:
        """Return the scores among a few guests as a matrix."""
        matrix = np.zeros((len(guests), len(guests)))
        if not len(guests):
            return matrix
        first, counts = self.starts[guests], self.starts[guests + 1] - self.starts[guests]
        at = np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        order = np.argsort(guests)
        sorted_guests = guests[order]
        near = np.searchsorted(sorted_guests, self.others[at]).clip(max=len(guests) - 1)
        there = sorted_guests[near] == self.others[at]
        rows = np.repeat(np.arange(len(guests)), counts)[there]
        matrix[rows, order[near[there]]] = self.scores[at[there]]
        return matrix

    @cached_property
    def rows(self) -> IntArray:
        """The guest who rates, for each of the scores."""
        return np.repeat(np.arange(self.guest_count), np.diff(self.starts))

    def count_above(self, least: float) -> IntArray:
        """Return for each guest how many others have a score above `least`, which is not below 0, with them."""
        return np.bincount(self.rows[self.scores > least], minlength=self.guest_count)

    def total(self, assignment: ArrayLike, weight_of_table: FloatArray) -> float:
        """Return Σ_t weight_t Σ_{i<j at t} s_ij."""
        seated = np.asarray(assignment)
        same = seated[self.rows] == seated[self.others]
        return float((weight_of_table[seated[self.rows[same]]] * self.scores[same]).sum() / 2)


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


def ratings_to_bytes(ratings: Ratings) -> bytes:
    """Return each pair once, exactly: the lower guests, the higher guests, the scores."""
    above = ratings.rows < ratings.others
    columns = (
        ratings.rows[above].astype("<u4"),
        ratings.others[above].astype("<u4"),
        ratings.scores[above].astype("<f8"),
    )
    return b"".join(column.tobytes() for column in columns)


def ratings_from_bytes(data: bytes, start: int, guest_count: int) -> Ratings:
    """Return what `ratings_to_bytes` stored from `start` on."""
    pairs = (len(data) - start) // 16
    first = np.frombuffer(data, "<u4", pairs, start)
    second = np.frombuffer(data, "<u4", pairs, start + 4 * pairs)
    return collect_ratings(guest_count, first, second, np.frombuffer(data, "<f8", pairs, start + 8 * pairs))
