"""Equal-sized clusters of points: one start compared with k-means-constrained, and five seconds of search."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from k_means_constrained import KMeansConstrained

from app.solver import FloatArray, Problem, distances_between, solve
from bench.clock import spell
from bench.data import equal_tables, folder
from bench.report import markdown_table

TITLE = "Balanced clusters of points"
SETS = {"s1": (15, 1.0898e13), "a3": (50, 2.90466e10), "thyroid": (2, 8.59334e14)}
"""Clusters, and the best sum of squared errors measured for other programs."""
SECONDS = 5.0
SMALL = 3000
STARTS = 5


def measure() -> str:
    """Compare sums of squared errors and the time of one start, from the points to the plan with seats and map.

    The time of a start depends on its starting point, so both programs report the median of several.
    """
    rows = []
    for name, (points, count, reference) in _sets().items():
        result = solve(_problem(points, count), time_limit=SECONDS)
        ours, own = _median(partial(_start, points, count))
        theirs, peer = _median(partial(_start_of_peer, points, count))
        rows.append(
            (
                name,
                f"{len(points)} / {count}",
                f"{result.mse * len(points):.6g}",
                "" if reference is None else f"{reference:.6g}",
                f"{own:.6g}",
                spell(ours),
                f"{peer:.6g}",
                spell(theirs),
            )
        )
    titles = (
        "set",
        "points / clusters",
        f"Convive, {SECONDS:g} s",
        "best of others",
        "Convive, one start",
        "time",
        "k-means-constrained, one start",
        "time",
    )
    return f"{markdown_table(titles, rows)}\n\nOne start: medians of {STARTS}."


def _median(start: Callable[[int], float]) -> tuple[float, float]:
    """Return the time and the result of one start."""
    seconds, found = [], []
    for seed in range(1, STARTS + 1):
        began = time.perf_counter()
        found.append(start(seed))
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds), statistics.median(found)


def _start(points: FloatArray, count: int, seed: int) -> float:
    return solve(_problem(points, count), restarts=1, time_limit=None, seed=seed).mse * len(points)


def _start_of_peer(points: FloatArray, count: int, seed: int) -> float:
    sizes = {"size_min": len(points) // count, "size_max": -(-len(points) // count)}
    return _spread(points, KMeansConstrained(count, **sizes, n_init=1, random_state=seed).fit(points).labels_)


def _sets() -> dict[str, tuple[FloatArray, int, float | None]]:
    path = folder("balanced")
    if path is not None:
        return {name: (np.loadtxt(path / f"{name}.txt"), count, best) for name, (count, best) in SETS.items()}
    rng = np.random.default_rng(1)
    centres = rng.uniform(0, 1e6, (15, 2))
    return {"fifteen heaps": (centres[rng.integers(0, 15, 5000)] + rng.normal(0, 4e4, (5000, 2)), 15, None)}


def _problem(points: FloatArray, count: int) -> Problem:
    matrix = distances_between(points) if len(points) <= SMALL else np.zeros((0, 0))
    return Problem(matrix, equal_tables(len(points), count), kind="distance", points=points)


def _spread(points: FloatArray, labels: FloatArray) -> float:
    """Return Σ_t Σ_{i at t} ‖x_i − c_t‖²."""
    groups = [points[labels == label] for label in np.unique(labels)]
    return float(sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups))
