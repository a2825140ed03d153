"""A large event from file to plan: 5000 guests at 500 tables, one restart of the paper's algorithm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench.report import markdown_table

TITLE = "5000 guests at 500 tables, `convive solve --method paper --restarts 1`"
GUESTS, TABLES = 5000, 500


def measure() -> str:
    """Measure a child process: seconds from start to end, and peak memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        _write_scores(path)
        seconds, megabytes, plan = _solve(path)
        size = path.stat().st_size / 1e6
    stages = {"read the file": seconds - plan["seconds"]} | plan["seconds_by_stage"]
    rows = [
        ("whole command", f"{seconds:.1f} s", "30 s"),
        ("peak memory", f"{megabytes / 1000:.2f} GB", "3 GB"),
        *((f"of which {stage}", f"{took:.1f} s", "") for stage, took in stages.items()),
    ]
    figures = f"MSE {plan['mse']:.6f} in {plan['iterations']} iterations"
    note = f"Random scores from −2 to 2 in a CSV of {size:.0f} MB; {figures}."
    return markdown_table(("", "measured", "limit"), rows) + "\n\n" + note


def _write_scores(path: Path) -> None:
    scores = np.random.default_rng(1).uniform(-2, 2, (GUESTS, GUESTS)).round(2)
    scores = np.triu(scores, 1)
    scores += scores.T
    names = [f"Guest {number}" for number in range(1, GUESTS + 1)]
    with path.open("w") as file:
        file.write(",".join(["", *names]) + "\n")
        for name, row in zip(names, scores.tolist(), strict=True):
            file.write(",".join([name, *map(repr, row)]) + "\n")


def _solve(path: Path) -> tuple[float, float, dict[str, Any]]:
    words = ["solve", str(path), "--tables", f"{TABLES}x{GUESTS // TABLES}", "--method", "paper", "--restarts", "1"]
    start = time.perf_counter()
    child = subprocess.Popen([sys.executable, "-m", "app.cli", *words, "--json"], stdout=subprocess.PIPE)
    assert child.stdout is not None
    printed = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - start
    assert status == 0, "convive solve failed"
    kilobytes = usage.ru_maxrss if sys.platform != "darwin" else usage.ru_maxrss / 1024
    return seconds, kilobytes / 1024, json.loads(printed)
