"""The maximally diverse grouping problem: our problem with objective total, compared with published results."""

from __future__ import annotations

import os
import re

import numpy as np

from app.solver import Problem, solve
from bench.data import folder, random_grouping, read_grouping, references
from bench.report import markdown_table

SECONDS = {120: 3.0, 240: 20.0, 480: 60.0}
SEEDS = {120: 10, 240: 5, 480: 5}
LONG = 3
"""Instances without published results are compared with a run so many times as long."""
FAMILIES = {120: ("Geo", "RanInt", "RanReal"), 240: ("Geo", "RanReal"), 480: ("RanReal",)}
TITLES = ("instance", "seeds", "mean", "worst", "best", "standard deviation")


def compare(guests: int) -> str:
    """Compare with the best and average totals of TPSDP (Yang et al. 2022), and generated ones with longer runs.

    BENCH_MATCH, a regular expression, selects published instances.
    """
    path, known = folder("mdgp"), references()
    wanted = re.compile(os.environ.get("BENCH_MATCH", ""))
    rows = []
    for file in sorted(path.glob(f"*_n{guests}_*.txt")) if path else []:
        if wanted.search(file.stem):
            totals = _totals(read_grouping(file), SECONDS[guests], SEEDS[guests])
            rows.append(_row(file.stem, totals, known[file.stem]["average"], known[file.stem]["best"]))
    titles = (*TITLES, "published average", "mean to it", "worst to it", "best to published best")
    published = [markdown_table(titles, rows)] if rows else []
    return "\n\n".join([*published, _compare_generated(guests)])


def _row(name: str, totals: list[float], average: float, best: float) -> tuple[str, ...]:
    mean = float(np.mean(totals))
    return (
        name,
        f"{len(totals)}",
        f"{mean:.1f}",
        f"{min(totals):.1f}",
        f"{max(totals):.1f}",
        f"{np.std(totals):.1f}",
        f"{average:.1f}",
        *(
            f"{100 * (value / to - 1):+.3f} %"
            for value, to in ((mean, average), (min(totals), average), (max(totals), best))
        ),
    )


def _totals(problem: Problem, seconds: float, seeds: int, first: int = 1) -> list[float]:
    return [solve(problem, seed=first + n, restarts=10_000, time_limit=seconds).total for n in range(seeds)]


def _compare_generated(guests: int) -> str:
    """Compare the usual seconds with a longer run on instances of the same families that nobody has published."""
    rows = []
    for family in FAMILIES[guests]:
        for ranges in (False, True):
            problem = random_grouping(guests, guests // 12, seed=1, family=family, ranges=ranges)
            long = _totals(problem, LONG * SECONDS[guests], 1, first=101)[0]
            name = f"{family}, {'ranges' if ranges else 'equal sizes'}, generated"
            rows.append(_row(name, _totals(problem, SECONDS[guests], 5), long, long))
    return markdown_table((*TITLES, f"one run {LONG} times as long", "mean to it", "worst to it", "best to it"), rows)
