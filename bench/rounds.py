"""Several rounds: how many people meet, next to swapping guests at random for as long."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from app.solver import IntArray, Problem, RoundsProblem, RoundsResult, Table, solve_rounds
from bench.report import markdown_table

TITLE = "Several rounds"
SEEDS = (101, 102, 103, 104, 105)
SECONDS = 5.0
LEAST_SECONDS = 1.0
"""The baseline gets as much processor time as the solver took, and at least this."""
BATCH = 200_000
CASES = (
    # tables, seats at each from, to, rounds, guests
    (5, 3, 3, 7, 15),
    (6, 3, 3, 8, 18),
    (7, 3, 3, 9, 21),
    (8, 3, 3, 10, 24),
    (8, 4, 4, 9, 32),
    (8, 4, 4, 10, 32),
    (6, 5, 5, 5, 30),
    (4, 6, 6, 5, 24),
    (4, 8, 8, 6, 32),
    (5, 8, 8, 7, 40),
    (10, 6, 8, 6, 74),
    (30, 10, 10, 8, 300),
    (100, 10, 10, 5, 1000),
)
"""The first five are optima of the social golfer problem: nobody meets twice. The sixth is out of reach of searches.
With tables that are few and large, some pairs meet again whatever the plan."""


@dataclass(frozen=True)
class Found:
    """How often pairs met again in each run, and the processor time of each."""

    repeats: list[int]
    seconds: list[float]


def measure() -> str:
    """Compare with swaps at random under the same processor time."""
    rows = [_row(*case) for case in CASES]
    titles = (
        "guests",
        "tables × rounds",
        "no pair twice",
        "mean",
        "worst",
        "spread",
        "s",
        "swaps: mean",
        "best",
    )
    text = (
        f"Meetings beyond the first of a pair, over {len(SEEDS)} seeds, at most {SECONDS:g} s each; s is "
        "processor time. Swaps: two guests "
        "of one round change places if that makes no more repeats, for as much processor time "
        f"(at least {LEAST_SECONDS:g} s)."
    )
    return f"{text}\n\n{markdown_table(titles, rows)}"


def _row(tables: int, least: int, most: int, rounds: int, guests: int) -> tuple[str, ...]:
    problem = Problem(np.zeros((guests, guests)), tuple(Table(most, least) for _ in range(tables)))
    asked = RoundsProblem((problem,) * rounds)
    solve_rounds(asked, restarts=1, time_limit=0.1)
    own = _solved(asked)
    plain = [_swapped(guests, tables, rounds, seed, s) for seed, s in zip(SEEDS, own.seconds, strict=True)]
    size = f"{least}" if least == most else f"{least}–{most}"
    return (
        f"{guests:,}",
        f"{tables} of {size} × {rounds}",
        f"{own.repeats.count(0)} of {len(SEEDS)}",
        f"{np.mean(own.repeats):.1f}",
        f"{max(own.repeats):,}",
        f"{max(own.repeats) - min(own.repeats):,}",
        f"{np.mean(own.seconds):.1f}",
        f"{np.mean(plain):.1f}",
        f"{min(plain):,}",
    )


def _solved(asked: RoundsProblem) -> Found:
    repeats, seconds = [], []
    for seed in SEEDS:
        started = time.process_time()
        found: RoundsResult = solve_rounds(asked, restarts=10**6, time_limit=SECONDS, seed=seed)
        seconds.append(time.process_time() - started)
        repeats.append(found.repeats)
    return Found(repeats, seconds)


def _swapped(guests: int, tables: int, rounds: int, seed: int, seconds: float) -> int:
    """Return the repeats after swapping at random for so long."""
    rng = np.random.default_rng(seed)
    even = np.arange(guests) % tables
    at = np.array([rng.permutation(even) for _ in range(rounds)])
    counts = np.zeros((guests, guests), np.int64)
    for row in at:
        counts += row[:, None] == row[None, :]
    np.fill_diagonal(counts, 0)
    swap_at_random(at, counts, 1, seed)
    started = time.process_time()
    while time.process_time() - started < max(seconds, LEAST_SECONDS):
        seed += 1000
        swap_at_random(at, counts, BATCH, seed)
    return int(np.maximum(np.triu(counts, 1) - 1, 0).sum())


@njit(cache=False)
def swap_at_random(at: IntArray, counts: IntArray, steps: int, seed: int) -> Any:
    """Swap two guests of a round where that makes no more repeats."""
    np.random.seed(seed)
    rounds, guests = at.shape
    for _ in range(steps):
        r, a, b = np.random.randint(rounds), np.random.randint(guests), np.random.randint(guests)
        s, t = at[r, a], at[r, b]
        if s == t:
            continue
        more = 0
        for c in range(guests):
            if at[r, c] == s and c != a:
                more += (counts[b, c] > 0) - (counts[a, c] > 1)
            elif at[r, c] == t and c != b:
                more += (counts[a, c] > 0) - (counts[b, c] > 1)
        if more > 0:
            continue
        for c in range(guests):
            if at[r, c] == s and c != a:
                counts[a, c] -= 1
                counts[c, a] -= 1
                counts[b, c] += 1
                counts[c, b] += 1
            elif at[r, c] == t and c != b:
                counts[b, c] -= 1
                counts[c, b] -= 1
                counts[a, c] += 1
                counts[c, a] += 1
        at[r, a], at[r, b] = t, s
