"""Five thousand guests at tables of ten, every pair rated: the full method compared with the paper's."""

from __future__ import annotations

from app.solver import Problem, solve
from bench.clock import spell
from bench.data import equal_tables
from bench.events import generate_event
from bench.report import markdown_table

TITLE = "5,000 guests at tables of ten"
SECONDS, LONG = 60.0, 2


def measure() -> str:
    """Compare a minute of the full method with two minutes of the paper's."""
    problem = Problem(generate_event(5000, 1).truth, equal_tables(5000, 500))
    full = solve(problem, time_limit=SECONDS)
    paper = solve(problem, method="paper", restarts=10**6, time_limit=LONG * SECONDS)
    rows = [
        (f"paper, {LONG * SECONDS:g} s", f"{paper.mse:.5f}", f"{paper.restarts:,}", spell(paper.seconds), ""),
        (
            f"full, {SECONDS:g} s",
            f"{full.mse:.5f}",
            "",
            spell(full.seconds),
            f"{100 * (1 - full.mse / paper.mse):.1f} %",
        ),
    ]
    return markdown_table(("", "MSE", "restarts", "time", "lower by"), rows)
