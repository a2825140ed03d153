"""The maximally diverse grouping problem: our problem with objective total, compared with published results."""

from __future__ import annotations

import os
import re

import numpy as np

from app.solver import Problem, solve
from bench.data import folder, random_grouping, read_grouping, references
from bench.report import markdown_table

SECONDS = {120: 3.0, 240: 20.0, 480: 60.0}
SEEDS = {120: 10, 240: 3, 480: 3}


def compare(guests: int) -> str:
    """Compare with the best and average totals of TPSDP (Yang et al. 2022), or two of our own runs without them.

    BENCH_MATCH, a regular expression, selects instances.
    """
    path, known = folder("mdgp"), references()
    if path is None:
        return _compare_generated(guests)
    wanted = re.compile(os.environ.get("BENCH_MATCH", ""))
    rows = []
    for file in sorted(path.glob(f"*_n{guests}_*.txt")):
        if wanted.search(file.stem):
            totals = _totals(read_grouping(file), SECONDS[guests], SEEDS[guests])
            rows.append(_row(file.stem, totals, known[file.stem]["average"], known[file.stem]["best"]))
    titles = ("instance", "seeds", "mean", "best", "published average", "mean to average", "best to published best")
    return markdown_table(titles, rows)


def _row(name: str, totals: list[float], average: float, best: float) -> tuple[str, ...]:
    mean, top = float(np.mean(totals)), max(totals)
    return (
        name,
        f"{len(totals)}",
        f"{mean:.1f}",
        f"{top:.1f}",
        f"{average:.1f}",
        f"{100 * (mean / average - 1):+.3f} %",
        f"{100 * (top / best - 1):+.3f} %",
    )


def _totals(problem: Problem, seconds: float, seeds: int) -> list[float]:
    return [solve(problem, seed=seed, restarts=10_000, time_limit=seconds).total for seed in range(1, seeds + 1)]


def _compare_generated(guests: int) -> str:
    """Compare the usual seconds with three times as many on instances that look like the published ones."""
    rows = []
    for seed in range(3):
        problem = random_grouping(guests, guests // 12, seed)
        long = _totals(problem, 3 * SECONDS[guests], 1)[0]
        rows.append(_row(f"random {seed + 1}", _totals(problem, SECONDS[guests], 3), long, long))
    titles = ("instance", "seeds", "mean", "best", "one run three times as long", "mean to it", "best to it")
    return markdown_table(titles, rows)
