"""A thousand guests at tables of ten: the full method compared with the paper's."""

from __future__ import annotations

from app.solver import FloatArray, Problem, solve
from bench.clock import spell
from bench.data import equal_tables, random_scores
from bench.events import generate_event
from bench.report import markdown_table

TITLE = "1,000 guests at tables of ten"
SECONDS, RESTARTS = 10.0, 50


def measure() -> str:
    """Compare ten seconds of the full method with fifty restarts of the paper's."""
    rows = [
        *_compare("random scores", random_scores(1000, 1)),
        *_compare("groups, circles and tastes", generate_event(1000, 1).truth),
    ]
    return markdown_table(("scores", "method", "MSE", "time", "lower by"), rows) + "\n\nRequired: at least 4 %."


def _compare(name: str, scores: FloatArray) -> list[tuple[str, ...]]:
    problem = Problem(scores, equal_tables(1000, 100))
    full = solve(problem, time_limit=SECONDS)
    paper = solve(problem, method="paper", restarts=RESTARTS, time_limit=None)
    below = f"{100 * (1 - full.mse / paper.mse):.1f} %"
    return [
        (name, f"paper, {RESTARTS} restarts", f"{paper.mse:.5f}", spell(paper.seconds), ""),
        (name, f"full, {SECONDS:g} s", f"{full.mse:.5f}", spell(full.seconds), below),
    ]
