"""The paper's party solved to the proven optimum: 22 guests at [4 4 5 6 3], many seeds."""

from __future__ import annotations

import numpy as np

from app.solver import Problem, Table, solve
from bench.clock import spell
from bench.report import markdown_table

TITLE = "22 guests, found and proven"
SIZES = (4, 4, 5, 6, 3)
SEEDS = 50


def measure() -> str:
    """Measure when the optimum is found and when it is proven, with different ratings and seeds."""
    found, whole, proven = [], [], 0
    solve(_party(0), time_limit=30)
    for seed in range(1, SEEDS + 1):
        result = solve(_party(seed), seed=seed, time_limit=30)
        best = result.history[-1]
        proven += result.proven_optimal
        # A plan that only the proof finds counts as found at the end.
        same = abs(best.value - result.mse) <= 1e-9 * (1 + result.mse)
        found.append(best.seconds if same else result.seconds)
        whole.append(result.seconds)
    rows = [
        ("found", spell(float(np.median(found))), spell(max(found)), "200 ms"),
        ("proven", spell(float(np.median(whole))), spell(max(whole)), "5 s"),
    ]
    table = markdown_table(("", "median", "slowest", "limit"), rows)
    return f"{table}\n\n{proven} of {SEEDS} parties with random ratings are proven. Compiling is not counted."


def _party(seed: int) -> Problem:
    scores = np.random.default_rng(seed).integers(-2, 3, (22, 22)).astype(float)
    return Problem(scores, tuple(Table(size, size) for size in SIZES))
