"""Public instances from the folder in BENCH_DATA; without it the sections generate their own."""

from __future__ import annotations

import json
import os
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


def random_grouping(guests: int, tables: int, seed: int) -> Problem:
    """Return a similar instance: whole scores from 1 to 100, equal sizes."""
    scores = np.triu(np.random.default_rng(seed).integers(1, 101, (guests, guests)), 1).astype(float)
    size = guests // tables
    return Problem(scores + scores.T, tuple(Table(size, size) for _ in range(tables)), objective="total")


def equal_tables(guests: int, count: int) -> tuple[Table, ...]:
    """Return tables of sizes that differ by at most one."""
    sizes = [guests // count + (number < guests % count) for number in range(count)]
    return tuple(Table(size, size) for size in sizes)


def random_scores(guests: int, seed: int) -> FloatArray:
    """Return symmetric whole scores from −2 to 2."""
    scores = np.triu(np.random.default_rng(seed).integers(-2, 3, (guests, guests)), 1).astype(float)
    return np.asarray(scores + scores.T)
