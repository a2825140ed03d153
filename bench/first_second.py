"""How long it takes until there is something to see: the start of `convive solve`, the first plan, and a good one."""

from __future__ import annotations

import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from app.solver import Problem, Progress, Result, Table, solve
from bench.events import Event, generate_event
from bench.report import markdown_table

TITLE = "The first second: until the first step, the first plan and 99 % of the final value"
GUESTS = (60, 120, 300)
SEEDS = (9001, 9002, 9003, 9004, 9005)
SECONDS = 5.0
ENOUGH = 0.99
STARTS = 5


def measure() -> str:
    """Measure the command, then events of three sizes that nothing was tuned on."""
    rows = [_row(guests) for guests in GUESTS]
    titles = (
        "guests",
        "first plan",
        f"{ENOUGH:.0%} of the value",
        "worst",
        "stopped early after",
        "loss",
        "worst loss",
    )
    note = (
        f"Medians of {len(SEEDS)} events with households, {SECONDS:g} s each. The value is what the search gains over "
        "its first plan. “Stopped early after” is when the same solve ends with `stop_early`; its loss is the part of "
        "the value that it misses."
    )
    return f"{_start()}\n\n{markdown_table(titles, rows)}\n\n{note}"


def _start() -> str:
    """Start the command several times; its limit of 0 s leaves the start, one plan and its bound."""
    event = generate_event(GUESTS[0], SEEDS[0])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        with path.open("w", newline="") as file:
            csv.writer(file).writerows(np.nan_to_num(event.answers).tolist())
        sizes = ",".join(map(str, event.table_sizes))
        command = [sys.executable, "-m", "app.cli", "solve", str(path), "--tables", sizes, "--json"]
        _run([*command, "--time-limit", "0"])  # loads what was not on disk
        none = [_run([*command, "--time-limit", "0"]) for _ in range(STARTS)]
        three = [_run([*command, "--time-limit", "3"]) for _ in range(STARTS)]
    first = sorted(run[2] for run in none)[STARTS // 2]
    work = sorted(run[1] for run in none)[STARTS // 2]
    wall = sorted(run[0] for run in three)[STARTS // 2]
    return (
        f"`convive solve` with {GUESTS[0]} guests takes {first:.2f} s until its first step (median of {STARTS}); with "
        f"`--time-limit 0` the whole command takes {work:.2f} s of processor time, and with `--time-limit 3` it ends "
        f"after {wall:.2f} s."
    )


def _run(command: list[str]) -> tuple[float, float, float]:
    """Return wall time, processor time and the seconds before the first step."""
    began, before = time.perf_counter(), _processor_seconds()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    wall, work = time.perf_counter() - began, _processor_seconds() - before
    return wall, work, json.loads(done.stdout)["seconds_by_stage"]["start"]


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _row(guests: int) -> tuple[object, ...]:
    found = [_measure_event(generate_event(guests, seed)) for seed in SEEDS]
    firsts, goods, ends, losses = (sorted(column) for column in zip(*found, strict=True))
    middle = len(SEEDS) // 2
    return (
        guests,
        *(f"{column[middle]:.2f} s" for column in (firsts, goods)),
        f"{goods[-1]:.2f} s",
        f"{ends[middle]:.2f} s",
        f"{losses[middle]:.2%}",
        f"{losses[-1]:.2%}",
    )


def _measure_event(event: Event) -> tuple[float, float, float, float]:
    """Return when the first plan and a good one were there, when an early stop came, and what it missed."""
    tables = tuple(Table(size) for size in event.table_sizes)
    problem = Problem(np.nan_to_num(event.answers), tables, parties=event.parties)
    firsts: list[tuple[float, float]] = []

    def note(progress: Progress) -> None:
        if progress.seating is not None and progress.best is not None and not firsts:
            firsts.append((progress.seconds, progress.best))

    whole = solve(problem, time_limit=SECONDS, on_progress=note)
    early = solve(problem, time_limit=SECONDS, stop_early=True)
    seconds, first = firsts[0]
    gain = first - whole.mse
    enough = first - ENOUGH * gain
    good = next((step.seconds for step in whole.history if step.value <= enough), whole.seconds)
    return seconds, good, _searched(early), max(early.mse - whole.mse, 0.0) / gain if gain > 0 else 0.0


def _searched(result: Result) -> float:
    return result.seconds - result.seconds_by_stage.get("compile", 0.0)
