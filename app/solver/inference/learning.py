"""Carry one new answer into an inference: milliseconds, in plain numpy, for the web process."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from app.solver.inference.known import HIGHEST, LOWEST, RATING_ERROR, Draws, Inference, Parties, Source
from app.solver.inference.pair_values import overlay
from app.solver.problem import FloatArray, IntArray


def learn(inference: Inference, a: int, b: int, value: float | None, parties: Parties = ()) -> Inference:
    """Carry one new answer into an inference without inferring everything again; for the web process, milliseconds.

    The draws give the covariance of pairs: those that share a guest with (a, b), or lie between the same two parties,
    move by the Kalman gain cov/(var + σ²), and their spread shrinks. None is "don't know them": nothing changes.
    """
    if value is None:
        return inference
    mean, uncertainty, source = inference.mean.copy(), inference.uncertainty.copy(), inference.source.copy()
    draws = inference.draws
    if draws is not None:
        surprise = value - float(mean[a, b])
        draws = draws.copy()
        gains = condition(draws, a, b, inference.between_two, companions(a, b, parties))
        free = source >= Source.GUESS
        mean[free] = np.clip(mean[free] + gains[free] * surprise, LOWEST, HIGHEST)
        variance = spread_of(draws)
        changed = free & (gains != 0)
        uncertainty[changed] = np.sqrt(variance + inference.between_two**2)[changed]
        source[changed & (source > Source.GUESS)] = Source.GUESS
        draws[:, a, b] = draws[:, b, a] = 0.0
    overlay(mean, uncertainty, source, np.array([[a, b]]), value, RATING_ERROR, Source.RATING)
    return replace(inference, mean=mean, uncertainty=uncertainty, source=source, draws=draws)


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
