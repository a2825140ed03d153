"""How much each answer is worth: the variance that it removes where good plans disagree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from app.solver.inference.known import Draws, Inference, Parties, Source
from app.solver.problem import BoolArray, FloatArray, IntArray

AGREED_WEIGHT = 0.02
"""The weight of a pair that every good plan seats together: it may still be worth a check."""
FAINT_WEIGHT = 1e-3
"""The weight of a pair that no good plan seats together, times how likely its score makes that: questions never end."""
SHARPNESS = 2.0
"""How strongly a higher score makes sharing a table likelier, while there are no plans yet."""


def build_design(
    inference: Inference, table_sizes: Sequence[int], plans: ArrayLike, asked: ArrayLike
) -> tuple[Design, FloatArray]:
    """Return the design of the open pairs, and in which share of the good plans each pair shares a table."""
    n = len(inference.mean)
    likely = _likely_shares(inference, table_sizes)
    shares = _shares(np.asarray(plans, dtype=np.int64).reshape(-1, n), likely)
    closed = _closed(inference, np.asarray(asked, dtype=np.int64).reshape(-1, 2))
    weight = shares * (1 - shares) + AGREED_WEIGHT * shares + FAINT_WEIGHT * likely
    return Design(inference, weight, closed), shares


class Design:
    """Which pairs to ask, on draws of its own that `ask` conditions."""

    def __init__(self, inference: Inference, weight: FloatArray, closed: BoolArray) -> None:
        n = len(inference.mean)
        self._closed, self._error = closed.copy(), inference.between_two**2
        self._known = inference.source < Source.GUESS
        self._weight = np.where(closed | self._known, 0.0, weight)
        self._between_two = inference.between_two
        draws = inference.draws
        self._draws = np.zeros((0, n, n), dtype=np.float32) if draws is None else draws.copy()
        if draws is None:
            self._variance = np.maximum(inference.uncertainty**2 - self._error, 0.0)
        else:
            self._variance = spread_of(self._draws)
        self._explained = np.zeros((n, n))
        self._update(np.arange(n))

    def gains(self) -> FloatArray:
        """Return the gain of each open pair above the diagonal, 0 elsewhere."""
        v, w = self._variance, self._weight
        explained = self._explained + self._explained.T
        gains = w * (v + self._error) + explained / (v + self._error)
        return np.triu(np.where(self._closed, 0.0, gains), 1)

    def doubt(self, disputed: FloatArray) -> float:
        """Return the variance of the open pairs, weighted by how much good plans disagree about each."""
        weight = np.where(self._closed | self._known, 0.0, disputed)
        return float((weight * (self._variance + self._error)).sum())

    def ask(self, a: int, b: int, parties: tuple[IntArray, IntArray]) -> None:
        """Take a pair as asked."""
        for i, j in ((a, b), (b, a)):
            self._closed[i, j], self._weight[i, j] = True, 0.0
        if not len(self._draws):
            return
        condition(self._draws, a, b, self._between_two, parties)
        rows = np.union1d(*parties)
        self._variance[rows] = spread_of(self._draws[:, rows])
        self._variance[:, rows] = self._variance[rows].T
        self._update(rows)

    def _update(self, rows: IntArray) -> None:
        """Bring Σ_l w_il cov²(f_ij, f_il) up to date for guests i, less what chance adds to squared covariances."""
        count = max(len(self._draws) - 1, 1)
        for i in rows if len(self._draws) else ():
            here = self._draws[:, i]
            covariance = here.T @ here / count
            weight, variance = self._weight[i], self._variance[i]
            explained = (covariance**2) @ weight - covariance.diagonal() ** 2 * weight
            chance = variance * (variance @ weight - variance * weight) / count
            self._explained[i] = np.maximum(explained - chance, 0.0)


def condition(draws: Draws, a: int, b: int, between_two: float, parties: tuple[IntArray, IntArray]) -> FloatArray:
    """Change the draws in place as if (a, b) had been answered, whatever the answer; return the gain of each pair.

    A square-root filter: D ← D − α·gain·d with α = 1/(1 + √(σ²/(v + σ²))) leaves the right covariance, without noise.
    Only pairs that share a guest with (a, b) or lie between their parties move: a few dozen draws show no more.
    """
    n, count = draws.shape[1], max(len(draws) - 1, 1)
    d = draws[:, a, b].copy()
    error, v = between_two**2, float(d @ d) / count
    gains = np.zeros((n, n))
    for guest in (a, b):
        gains[guest] = gains[:, guest] = d @ draws[:, guest] / count / (v + error)
    of_a, of_b = parties
    between = np.einsum("s,sij->ij", d, draws[:, of_a[:, None], of_b]) / count / (v + error)
    gains[np.ix_(of_a, of_b)], gains[np.ix_(of_b, of_a)] = between, between.T
    rows = np.union1d(of_a, of_b)
    share = 1.0 / (1.0 + np.sqrt(error / (v + error)))
    draws[:, rows] -= d[:, None, None] * (share * gains[rows]).astype(np.float32)
    draws[:, :, rows] = draws[:, rows].transpose(0, 2, 1)
    return gains


def spread_of(draws: Draws) -> FloatArray:
    """Return the variance of the draws, pair by pair."""
    return np.asarray(np.einsum("sij,sij->ij", draws, draws, dtype=np.float64) / max(len(draws) - 1, 1))


def companions(a: int, b: int, parties: Parties) -> tuple[IntArray, IntArray]:
    """Return the parties of two guests; a guest without one is a party alone."""
    found = [next((party for party in parties if guest in party), (guest,)) for guest in (a, b)]
    return np.array(found[0], dtype=np.int64), np.array(found[1], dtype=np.int64)


def _shares(plans: IntArray, likely: FloatArray) -> FloatArray:
    """Return in which share of the plans each pair shares a table, or what is likely while there are none."""
    if not len(plans):
        return likely
    together = np.asarray((plans[:, :, None] == plans[:, None, :]).mean(axis=0), dtype=np.float64)
    np.fill_diagonal(together, 0.0)
    return together


def _likely_shares(inference: Inference, table_sizes: Sequence[int]) -> FloatArray:
    """Guess from scores and sizes how likely each pair is to share a table."""
    seats = float(np.mean(table_sizes)) if len(table_sizes) else 1.0
    pull = np.exp(SHARPNESS * inference.mean)
    np.fill_diagonal(pull, 0.0)
    rows = np.maximum(pull.sum(axis=1), 1e-12)
    return np.asarray(np.minimum((seats - 1) * pull / np.sqrt(np.outer(rows, rows)), 1.0))


def _closed(inference: Inference, asked: IntArray) -> BoolArray:
    """Return which pairs need no question: asked already, rated, of one party, or the same guest."""
    closed: BoolArray = (inference.source == Source.RATING) | (inference.source == Source.PARTY)
    closed[asked[:, 0], asked[:, 1]] = closed[asked[:, 1], asked[:, 0]] = True
    np.fill_diagonal(closed, True)
    return closed
