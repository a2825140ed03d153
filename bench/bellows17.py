"""Bellows & Peterson, "Finding an optimal seating chart for a wedding": 17 guests with published optima."""

from __future__ import annotations

import numpy as np

from app.solver import Problem, Table, solve
from bench.clock import spell
from bench.report import markdown_table

TITLE = "The published wedding of 17 guests"
COUPLES = ((0, 1, 50), (2, 3, 50), (4, 5, 50), (6, 7, 50), (9, 10, 50), (2, 8, 10))
CASES = (("five tables of 0–4", 5, 4, 276), ("two tables of 0–10", 2, 10, 318))


def measure() -> str:
    """Compare totals with the optima that the authors give."""
    scores = np.zeros((17, 17))
    scores[:9, :9] = scores[9:, 9:] = 1
    for one, other, score in COUPLES:
        scores[one, other] = scores[other, one] = score
    rows = []
    for name, count, most, optimum in CASES:
        problem = Problem(scores, tuple(Table(most) for _ in range(count)), objective="total")
        result = solve(problem, time_limit=20)
        proven = "yes" if result.proven_optimal else "no"
        rows.append((name, f"{result.total:g}", optimum, proven, spell(result.seconds)))
    return markdown_table(("", "total", "published optimum", "proven", "time"), rows)
