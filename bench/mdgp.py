"""The maximally diverse grouping problem: our problem with objective total, compared with published results."""

from __future__ import annotations

import os
import re

import numpy as np

from app.solver import Problem, solve
from bench.clock import processor_time
from bench.data import folder, random_grouping, read_grouping, references
from bench.report import markdown_table

SECONDS = {120: 3.0, 240: 20.0, 480: 60.0}
SEEDS = 5
TABLES = {120: 10, 240: 12, 480: 20}
"""As in the published sets."""
LONG = 3
"""Instances without published results are compared with a run so many times as long."""
FAMILIES = {120: ("Geo", "RanInt", "RanReal"), 240: ("Geo", "RanReal"), 480: ("RanReal",)}
TITLES = ("instance", "seeds", "mean", "worst", "best", "standard deviation")


def compare(guests: int) -> str:
    """Compare with the best and average totals of TPSDP (Yang et al. 2022), and generated ones with longer runs.

    BENCH_MATCH, a regular expression, selects instances by name.
    """
    parts = (_compare_published(guests), _compare_generated(guests))
    return "\n\n".join([*filter(None, parts), "Processor time on each core, five seeds."])


def _compare_published(guests: int) -> str:
    path, known = folder("mdgp"), references()
    rows, shares = [], []
    for file in filter(lambda file: _is_wanted(file.stem), sorted(path.glob(f"*_n{guests}_*.txt")) if path else []):
        totals, average = _totals(read_grouping(file), SECONDS[guests], SEEDS), known[file.stem]["average"]
        rows.append(_row(file.stem, totals, average, known[file.stem]["best"]))
        shares += [100 * (total / average - 1) for total in totals]
    if not rows:
        return ""
    titles = (*TITLES, "published average", "mean to it", "worst to it", "best to published best")
    summary = f"All runs: mean {np.mean(shares):+.3f} % to the published averages, worst run {min(shares):+.3f} %."
    return f"{markdown_table(titles, rows)}\n\n{summary}"


def _is_wanted(name: str) -> bool:
    return re.search(os.environ.get("BENCH_MATCH", ""), name) is not None


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
    with processor_time():
        return [solve(problem, seed=first + n, restarts=10_000, time_limit=seconds).total for n in range(seeds)]


def _compare_generated(guests: int) -> str:
    """Compare the usual seconds with a longer run on instances of the same families that nobody has published."""
    rows = []
    for family in FAMILIES[guests]:
        for ranges in (False, True):
            name = f"{family}, {'ranges' if ranges else 'equal sizes'}, generated"
            if _is_wanted(name):
                problem = random_grouping(guests, TABLES[guests], seed=1, family=family, ranges=ranges)
                long = _totals(problem, LONG * SECONDS[guests], 1, first=101)[0]
                rows.append(_row(name, _totals(problem, SECONDS[guests], SEEDS), long, long))
    if not rows:
        return ""
    return markdown_table((*TITLES, f"one run {LONG} times as long", "mean to it", "worst to it", "best to it"), rows)
