"""Weddings whose tables may stay empty or half empty: the sizes have to be found with the plan."""

from __future__ import annotations

import numpy as np

from app.solver import FloatArray, Objective, Problem, Result, Table, solve
from bench.clock import processor_time
from bench.data import wedding_scores
from bench.report import markdown_table

TITLE = "32 guests at tables of free sizes, 3 s each"
GUESTS, INSTANCES, SEEDS, SECONDS, LONG = 32, range(7001, 7006), 10, 3.0, 15.0
TABLES = tuple(Table(most) for most in (6, 6, 8, 8, 10, 10, 10))
OBJECTIVES: tuple[Objective, ...] = ("total", "average")


def measure() -> str:
    """Count the seeds that find the best plan known, long runs included, on weddings not used while developing."""
    with processor_time():
        rows = [_row(objective, instance) for objective in OBJECTIVES for instance in INSTANCES]
    titles = (
        "wedding",
        "best known",
        f"worst in {SECONDS:g} s",
        "mean",
        "seeds that find the best",
        "gap to the bound",
    )
    return markdown_table(titles, rows) + f"\n\n{SECONDS:g} s of processor time on each core. Required: every seed."


def _row(objective: Objective, instance: int) -> tuple[object, ...]:
    problem = Problem(_scores(instance), TABLES, objective=objective)
    known = _value(solve(problem, seed=100, restarts=100_000, time_limit=LONG))
    results = [solve(problem, seed=seed, time_limit=SECONDS) for seed in range(1, SEEDS + 1)]
    values = np.array([_value(result) for result in results])
    best = max(known, float(values.max()))
    hits, bound = int((values >= best - 1e-7).sum()), abs(results[0].bound or 0.0)
    gap = abs(bound - abs(best)) / abs(best)
    name = f"{instance}, {objective}"
    return (
        name,
        f"{abs(best):.2f}",
        f"{abs(values.min()):.2f}",
        f"{abs(values.mean()):.3f}",
        f"{hits} of {SEEDS}",
        f"{gap:.1%}",
    )


def _value(result: Result) -> float:
    return result.total if result.objective == "total" else -result.mse


def _scores(seed: int) -> FloatArray:
    """Return scores of two decimals for families of 3 to 9."""
    rng = np.random.default_rng(seed)
    return np.round(wedding_scores(GUESTS, rng, rng.uniform, (10, 8, 12), (38, 8)), 2)
