"""The paper's k-means on ratings of few pairs, where its points would not fit into memory.

‖x_i − c_t‖² = (1/n_t) Σ_{j∈t} d²_ij − (1/2n_t²) Σ_{j,l∈t} d²_jl gives the costs of the assignment step from the ratings
themselves, so the embedding, whose time grows with the third power of the guests, is not needed.
"""

from __future__ import annotations

import time

import numpy as np
from scipy.sparse import csr_array

from app.solver import FloatArray, IntArray, Ratings, assign_by_transport


def cluster(ratings: Ratings, sizes: IntArray, seconds: float) -> tuple[IntArray, float, int]:
    """Restart until the time is over, at least one full restart; return the best plan, its MSE and the restarts."""
    until, rng = time.perf_counter() + seconds, np.random.default_rng(1)
    best, plan, restarts = np.inf, np.repeat(np.arange(len(sizes)), sizes), 0
    while restarts == 0 or time.perf_counter() < until:
        found, value = _restart(ratings, sizes, rng, until if restarts else np.inf)
        restarts += 1
        if value < best:
            best, plan = value, found
    return plan, best, restarts


def mse_of(ratings: Ratings, assignment: IntArray, sizes: IntArray) -> float:
    """Return (1/n) Σ_t (1/n_t) Σ_{i<j} (s_max − s_ij)."""
    apart = ratings.highest * float((sizes - 1).sum()) / 2
    return (apart - ratings.total(assignment, 1.0 / sizes)) / len(assignment)


def _restart(ratings: Ratings, sizes: IntArray, rng: np.random.Generator, until: float) -> tuple[IntArray, float]:
    """Start from guests as centroids, then assign to means until the MSE does not fall."""
    count = ratings.guest_count
    scores = csr_array((ratings.scores, ratings.others, ratings.starts), shape=(count, count))
    chosen = rng.choice(count, len(sizes), replace=False)
    costs: FloatArray = ratings.highest - np.asarray(scores[:, chosen].toarray(), dtype=np.float64)
    costs[chosen, np.arange(len(chosen))] = 0.0
    at, prices = assign_by_transport(costs, sizes)
    value = mse_of(ratings, at, sizes)
    while time.perf_counter() < until:
        again, prices = assign_by_transport(_costs(scores, ratings.highest, at, sizes), sizes, prices)
        better = mse_of(ratings, again, sizes)
        if better >= value * (1 - 1e-12):
            break
        at, value = again, better
    return at, value


def _costs(scores: csr_array, highest: float, at: IntArray, sizes: IntArray) -> FloatArray:
    """Return the squared distances from every guest to every table's mean."""
    guests = np.arange(len(at))
    seated = csr_array((np.ones(len(at)), (guests, at)), shape=(len(at), len(sizes)))
    towards = (scores @ seated).toarray()
    within = np.bincount(at, weights=towards[guests, at], minlength=len(sizes))
    costs: FloatArray = highest - towards / sizes
    costs[guests, at] -= highest / sizes[at]
    return costs - (highest * (sizes - 1) / sizes - within / sizes**2) / 2
