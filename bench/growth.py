"""How the time grows with the number of guests, from 20 to 20,000, on log axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from app.solver import Deadline, Problem, Ratings, collect_ratings, embed, follow_restart, make_space, solve_sparse
from bench.clock import best_seconds, spell
from bench.data import equal_tables, random_scores
from bench.report import markdown_table

TITLE = "Growth with the number of guests"
PICTURE = Path(__file__).with_name("growth.svg")
MATRIX_SIZES = (20, 50, 100, 200, 500, 1000)
LIST_SIZES = (20, 100, 500, 2000, 5000, 20_000)
RATINGS = 20
LEFT, TOP, WIDTH, HEIGHT = 70, 30, 540, 300


def measure() -> str:
    """Measure a restart of the paper's algorithm on a matrix, and a fixed number of steps for each guest on a list."""
    paper = [(guests, _paper_seconds(guests)) for guests in MATRIX_SIZES]
    sparse = [(guests, _sparse_seconds(guests)) for guests in LIST_SIZES]
    names = ("paper, embedding and one restart", f"full on a list, {RATINGS} ratings a guest, 2,000 steps a guest")
    PICTURE.write_text(_draw(list(zip(names, (paper, sparse), strict=True))))
    rows = [(f"{guests:,}", spell(seconds), "") for guests, seconds in paper]
    rows += [(f"{guests:,}", "", spell(seconds)) for guests, seconds in sparse]
    return markdown_table(("guests at tables of ten", *names), rows) + f"\n\n![]({PICTURE.name})"


def _paper_seconds(guests: int) -> float:
    problem = Problem(random_scores(guests, 1), equal_tables(guests, guests // 10))
    sizes = np.array([table.most for table in problem.tables])

    def run() -> None:
        squared = problem.squared_distances
        follow_restart(make_space(squared, embed(squared), sizes, "average"), 1, 0)

    return best_seconds(run, 2)[0]


def _sparse_seconds(guests: int) -> float:
    tables = equal_tables(guests, guests // 10)
    ratings = _few_ratings(guests)
    problem = Problem(np.zeros((0, 0)), tables, ratings=ratings)
    result = solve_sparse(problem, ratings, restarts=1, seed=1, deadline=Deadline(), threads=1)
    return result.seconds_by_stage["search"]


def _few_ratings(guests: int) -> Ratings:
    rng = np.random.default_rng(guests)
    first, second = rng.integers(0, guests, (2, guests * RATINGS // 2))
    return collect_ratings(guests, first, second, rng.integers(-2, 3, len(first)))


def _draw(curves: Sequence[tuple[str, Sequence[tuple[int, float]]]]) -> str:
    """Return an SVG picture with powers of ten on both axes."""
    seconds = [value for _, points in curves for _, value in points]
    low, high = math.floor(math.log10(min(seconds))), math.ceil(math.log10(max(seconds)))

    def x(guests: float) -> float:
        return LEFT + WIDTH * (math.log10(guests) - 1) / 3.5

    def y(value: float) -> float:
        return TOP + HEIGHT * (high - math.log10(value)) / max(high - low, 1)

    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 390" role="img" font-family="sans-serif">',
        f'<title>{TITLE}</title><rect width="640" height="390" fill="#ffffff"/>',
    ]
    for power in range(low, high + 1):
        parts.append(f'<path d="M{LEFT} {y(10**power):.1f}h{WIDTH}" stroke="#d1d5db"/>')
        parts.append(_text(LEFT - 6, y(10**power) + 4, spell(10**power), "end"))
    for power in range(1, 5):
        parts.append(f'<path d="M{x(10**power):.1f} {TOP}v{HEIGHT}" stroke="#d1d5db"/>')
        parts.append(_text(x(10**power), TOP + HEIGHT + 18, f"{10**power:,}", "middle"))
    parts.append(_text(LEFT + WIDTH / 2, TOP + HEIGHT + 38, "guests", "middle"))
    for number, ((name, points), colour) in enumerate(zip(curves, ("#b35900", "#0b6e5f"), strict=True)):
        line = "L".join(f"{x(guests):.1f} {y(value):.1f}" for guests, value in points)
        parts.append(f'<path d="M{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x(g):.1f}" cy="{y(v):.1f}" r="3" fill="{colour}"/>' for g, v in points]
        parts.append(f'<path d="M{LEFT + 12} {TOP + 12 + 18 * number}h22" stroke="{colour}" stroke-width="2"/>')
        parts.append(_text(LEFT + 40, TOP + 16 + 18 * number, name, "start"))
    return "\n".join([*parts, "</svg>", ""])


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="13" text-anchor="{anchor}" fill="#1f2937">{text}</text>'
