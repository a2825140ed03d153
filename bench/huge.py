"""20,000 guests with twenty ratings each, from a list of pairs to a plan, compared with the paper's method."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from app.solver import FloatArray, IntArray, collect_ratings, embed
from bench.clock import spell
from bench.report import markdown_table
from bench.sparse_paper import cluster

TITLE = "20,000 guests with 20 ratings each, `convive solve` on a list of pairs"
GUESTS, RATINGS, SECONDS = 20_000, 20, 90
PAPER_TIMES = 10
"""The paper's method gets this many times as long."""
EMBEDDED = 2000
"""This many guests are embedded, to extrapolate the time for all of them."""


def measure() -> str:
    """Measure a child process: seconds from start to end, and peak memory."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "pairs.csv"
        _write_pairs(path)
        words = ["solve", str(path), "--tables", f"{GUESTS // 10}x10", "--time-limit", str(SECONDS), "--json"]
        start = time.perf_counter()
        child = subprocess.Popen(
            [sys.executable, "-m", "app.cli", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert child.stdout is not None
        printed = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
    assert status == 0, "convive solve failed"
    plan = json.loads(printed)
    kilobytes = usage.ru_maxrss if sys.platform != "darwin" else usage.ru_maxrss / 1024
    rows = [
        ("whole command", f"{seconds:.1f} s", "120 s"),
        ("peak memory", f"{kilobytes / 1024 / 1000:.2f} GB", "4 GB"),
        ("total of the scores", f"{plan['total']:.0f}", ""),
        ("total of a random plan, expected", f"{_expected():.0f}", ""),
        ("MSE", f"{plan['mse']:.5f}", ""),
    ]
    return markdown_table(("", "measured", "limit"), rows) + "\n\n" + _compare(plan["mse"])


def _compare(mse: float) -> str:
    """Return the result of the paper's k-means, without its embedding."""
    first, second = _pairs()
    ratings = collect_ratings(GUESTS, first, second, _scores(len(first)))
    sizes = np.full(GUESTS // 10, 10, dtype=np.int64)
    start = time.perf_counter()
    _, paper, restarts = cluster(ratings, sizes, PAPER_TIMES * SECONDS)
    seconds = time.perf_counter() - start
    start = time.perf_counter()
    embed(ratings.highest - _few(first, second))
    embedding = (time.perf_counter() - start) * (GUESTS / EMBEDDED) ** 3
    return (
        f"The paper's k-means reaches an MSE of {paper:.5f} in {seconds:.0f} s ({restarts:,} restarts), "
        f"{PAPER_TIMES} times as long; the plan above is {100 * (1 - mse / paper):.1f} % lower. It works on the "
        f"ratings themselves here. The embedding that the method needs would take {spell(embedding)} (the time for "
        f"{EMBEDDED:,} guests, scaled by the third power) and is not counted."
    )


def _few(first: IntArray, second: IntArray) -> FloatArray:
    """Return the scores among the first guests as a matrix."""
    here = (first < EMBEDDED) & (second < EMBEDDED)
    return collect_ratings(EMBEDDED, first[here], second[here], _scores(len(first))[here]).as_matrix()


def _pairs() -> tuple[IntArray, IntArray]:
    """Return pairs, each guest in about RATINGS of them: mostly among a hundred acquaintances, some anywhere."""
    rng = np.random.default_rng(1)
    count = GUESTS * RATINGS // 2
    first = rng.integers(0, GUESTS, count)
    near = (first // 100) * 100 + rng.integers(0, 100, count)
    second = np.where(rng.random(count) < 0.7, near, rng.integers(0, GUESTS, count))
    keys = np.unique((np.minimum(first, second) * GUESTS + np.maximum(first, second))[first != second])
    return keys // GUESTS, keys % GUESTS


def _scores(count: int) -> IntArray:
    return np.random.default_rng(2).choice([-2, -1, 1, 2], count)


def _write_pairs(path: Path) -> None:
    first, second = _pairs()
    with path.open("w") as file:
        for one, other, score in zip(first.tolist(), second.tolist(), _scores(len(first)).tolist(), strict=True):
            file.write(f"Guest {one},Guest {other},{score}\n")


def _expected() -> float:
    first, _ = _pairs()
    return float(_scores(len(first)).sum()) * 9 / (GUESTS - 1)
