"""The readable reference of every figure: plain numpy, no kernel. Tests hold the kernels to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from app.solver.problem import FloatArray, IntArray, Problem


def guests_by_table(assignment: IntArray, table_count: int) -> list[IntArray]:
    """Return the guests at each table, in their order."""
    ends = np.cumsum(np.bincount(assignment, minlength=table_count))
    return np.split(np.argsort(assignment, kind="stable"), ends[:-1]) if table_count else []


def mean_squared_error(squared: FloatArray, assignment: ArrayLike, table_count: int) -> float:
    """Return (1/n) Σ_t (1/n_t) Σ_{i<j at t} d²_ij, the paper's MSE, from the matrix alone.

    For any cluster Σ‖x − c‖² = (1/n_t) Σ_{i<j} d²_ij, so no embedding is needed.
    """
    seated = np.asarray(assignment)
    total = sum(
        float(squared[here[:, None], here].sum()) / 2 / len(here)
        for here in guests_by_table(seated, table_count)
        if len(here) > 1
    )
    return float(total / max(len(seated), 1))


def total_score(scores: FloatArray, assignment: ArrayLike) -> float:
    """Return the sum of the scores of all pairs at the same table."""
    seated = np.asarray(assignment)
    total = 0.0
    for here in guests_by_table(seated, int(seated.max(initial=-1)) + 1):
        pairs = scores[here[:, None], here]
        total += float(pairs.sum() - pairs.trace()) / 2
    return total


@dataclass(frozen=True)
class GuestFigures:
    """How one guest sits: mean and extremes of the values towards the others at the table."""

    mean: float
    best: float | None
    worst: float | None
    best_guest: int | None
    worst_guest: int | None
    liked: int
    disliked: int


@dataclass(frozen=True)
class TableFigures:
    """How one table fares: the guests there, the mean pair value and its share of the MSE."""

    guests: int
    mean: float
    mse: float


def guest_figures(problem: Problem, assignment: ArrayLike) -> list[GuestFigures]:
    """Say for every guest how well they sit, in the event's own values (scores or distances)."""
    seated = np.asarray(assignment)
    values = problem.symmetric
    sign = 1.0 if problem.kind == "score" else -1.0
    figures = []
    for guest, table in enumerate(seated):
        others = np.flatnonzero(seated == table)
        others = others[others != guest]
        if not len(others):
            figures.append(GuestFigures(0.0, None, None, None, None, 0, 0))
            continue
        towards = values[guest, others]
        best, worst = int(np.argmax(sign * towards)), int(np.argmin(sign * towards))
        figures.append(
            GuestFigures(
                mean=float(towards.mean()),
                best=float(towards[best]),
                worst=float(towards[worst]),
                best_guest=int(others[best]),
                worst_guest=int(others[worst]),
                liked=int((towards > 0).sum()) if problem.kind == "score" else 0,
                disliked=int((towards < 0).sum()) if problem.kind == "score" else 0,
            )
        )
    return figures


def table_figures(problem: Problem, assignment: ArrayLike) -> list[TableFigures]:
    """Say for every table how well it fares."""
    seated = np.asarray(assignment)
    values, squared = problem.symmetric, problem.squared_distances
    figures = []
    for table in range(len(problem.tables)):
        here = np.flatnonzero(seated == table)
        pairs = len(here) * (len(here) - 1) / 2
        block = np.ix_(here, here)
        mean = float(values[block].sum() / 2 / pairs) if pairs else 0.0
        mse = float(squared[block].sum() / 2 / len(here) ** 2) if len(here) else 0.0
        figures.append(TableFigures(len(here), mean, mse))
    return figures
