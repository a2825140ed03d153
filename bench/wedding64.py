"""A hard wedding: 64 guests, couples, families and a few feuds, with objective total."""

from __future__ import annotations

import numpy as np

from app.solver import Problem, solve
from bench.data import equal_tables, wedding_scores
from bench.report import markdown_table

TITLE = "A hard wedding of 64 guests at eight tables"
GUESTS, TABLES, INSTANCES, SEEDS = 64, 8, 2, 10
LONG_SECONDS, SHORT_SECONDS = 15.0, 2.0


def measure() -> str:
    """Count the seeds that find the best known plan (including long runs) within two seconds."""
    solve(make_wedding(0), time_limit=0.2)
    rows = []
    for instance in range(INSTANCES):
        problem = make_wedding(instance)
        known = solve(problem, seed=100, restarts=10_000, time_limit=LONG_SECONDS).total
        totals = np.array([solve(problem, seed=s, time_limit=SHORT_SECONDS).total for s in range(1, SEEDS + 1)])
        best = max(known, float(totals.max()))
        hits = int((totals >= best - 1e-9).sum())
        rows.append((instance + 1, f"{best:g}", f"{totals.min():g}", f"{totals.mean():.1f}", f"{hits} of {SEEDS}", "9"))
    titles = ("wedding", "best known", f"worst in {SHORT_SECONDS:g} s", "mean", "seeds that find the best", "required")
    return markdown_table(titles, rows)


def make_wedding(seed: int) -> Problem:
    """Return whole scores for families of 3 to 11."""
    rng = np.random.default_rng(seed)
    scores = wedding_scores(GUESTS, rng, rng.integers, (12, 6, 10), (80, 12))
    return Problem(scores, equal_tables(GUESTS, TABLES), objective="total")
