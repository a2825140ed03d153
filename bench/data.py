"""Public instances from the folder in BENCH_DATA; without it the sections generate their own."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from app.solver import FloatArray, Problem, Table


def folder(name: str) -> Path | None:
    """Return a folder of instances, or None."""
    root = os.environ.get("BENCH_DATA")
    path = Path(root) / name if root else None
    return path if path is not None and path.is_dir() else None


def references() -> dict[str, dict[str, Any]]:
    """Return the best, average and worst published totals of the grouping instances."""
    path = folder("mdgp")
    found: dict[str, dict[str, Any]] = json.loads((path / "reference.json").read_text()) if path else {}
    return found


def read_grouping(path: Path) -> Problem:
    """Read an instance of the maximally diverse grouping problem: `n k ss|ds lo hi …`, then `i j weight`."""
    with path.open() as file:
        head = file.readline().split()
        rows = np.loadtxt(file)
    guests, limits = int(head[0]), [int(number) for number in head[3:]]
    scores = np.zeros((guests, guests))
    first, second = rows[:, 0].astype(int), rows[:, 1].astype(int)
    scores[first, second] = scores[second, first] = rows[:, 2]
    tables = tuple(Table(most, least) for least, most in zip(limits[::2], limits[1::2], strict=True))
    return Problem(scores, tables, objective="total")


def random_grouping(guests: int, tables: int, seed: int, family: str = "RanInt", ranges: bool = False) -> Problem:
    """Return an instance like the published ones: equal sizes, or ranges around them.

    RanInt and RanReal have scores up to 100 at random, Geo the distances of points with coordinates up to 10.
    """
    rng, size = np.random.default_rng(seed), guests // tables
    if family == "Geo":
        points = rng.uniform(0, 10, (guests, int(rng.integers(2, 22))))
        scores = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    else:
        drawn = rng.integers(1, 101, (guests, guests)) if family == "RanInt" else rng.uniform(0, 100, (guests, guests))
        scores = np.triu(drawn, 1).astype(float)
        scores += scores.T
    lower, upper = (rng.integers(0, size // 3 + 1, (2, tables))) if ranges else np.zeros((2, tables), dtype=int)
    limits = zip((size + upper).tolist(), (size - lower).tolist(), strict=True)
    return Problem(scores, tuple(Table(most, least) for most, least in limits), objective="total")


def equal_tables(guests: int, count: int) -> tuple[Table, ...]:
    """Return tables of sizes that differ by at most one."""
    sizes = [guests // count + (number < guests % count) for number in range(count)]
    return tuple(Table(size, size) for size in sizes)


def random_scores(guests: int, seed: int) -> FloatArray:
    """Return symmetric whole scores from −2 to 2."""
    scores = np.triu(np.random.default_rng(seed).integers(-2, 3, (guests, guests)), 1).astype(float)
    return np.asarray(scores + scores.T)


def wedding_scores(
    guests: int,
    rng: np.random.Generator,
    draw: Callable[..., Any],
    ends: tuple[int, int, int],
    across: tuple[int, int],
) -> FloatArray:
    """Return families of 3 or more with couples at 50, friends across families, and feuds at −50.

    `ends` are where sizes of families, scores within and scores across end; `across` how many friends and feuds.
    """
    scores, order, start = np.zeros((guests, guests)), rng.permutation(guests), 0
    while start < guests:
        family = order[start : start + int(rng.integers(3, ends[0]))]
        scores[np.ix_(family, family)] = draw(1, ends[1], (len(family), len(family)))
        for one, other in zip(family[::2], family[1::2], strict=False):
            scores[one, other] = scores[other, one] = 50
        start += len(family)
    for number in range(sum(across)):
        one, other = rng.choice(guests, 2, replace=False)
        scores[one, other] = scores[other, one] = draw(1, ends[2]) if number < across[0] else -50
    return np.asarray((scores + scores.T) / 2)
