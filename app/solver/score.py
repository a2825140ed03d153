"""The readable reference of every figure: plain numpy, no kernel. Tests hold the kernels to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

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


class GuestFigures(NamedTuple):
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
    """Return for every guest how well they sit, in the event's own values (scores or distances); −1 is for no table."""
    seated = np.asarray(assignment)
    figures = [GuestFigures(0.0, None, None, None, None, 0, 0)] * len(seated)
    for tables in _tables_by_size(seated):
        for guest, figure in zip(tables.ravel().tolist(), _figures_at(problem, tables), strict=True):
            figures[guest] = figure
    return figures


def guest_means(problem: Problem, assignment: ArrayLike) -> FloatArray:
    """Return the means of `guest_figures` alone."""
    seated = np.asarray(assignment)
    means = np.zeros(len(seated))
    for tables in _tables_by_size(seated):
        means[tables] = _among_others(np.stack([problem.among(here) for here in tables])).mean(axis=2)
    return means


def _tables_by_size(seated: IntArray) -> list[IntArray]:
    """Return the guests at tables of two or more, a row for each table; tables of one size come together."""
    by_size: dict[int, list[IntArray]] = {}
    for here in guests_by_table(seated + 1, int(seated.max(initial=-1)) + 2)[1:]:
        by_size.setdefault(len(here), []).append(here)
    return [np.stack(tables) for size, tables in by_size.items() if size > 1]


def _among_others(values: FloatArray) -> FloatArray:
    """Leave out what guests are to themselves: from tables × guests × guests one column less."""
    count, size, _ = values.shape
    return values[:, ~np.eye(size, dtype=bool)].reshape(count, size, size - 1)


def _figures_at(problem: Problem, tables: IntArray) -> list[GuestFigures]:
    """Return the figures of the guests at tables of one size, a row for each; one by one takes five times as long."""
    count, size = tables.shape
    values, own = np.stack([problem.among(here) for here in tables]), np.eye(size, dtype=bool)
    is_score = problem.kind == "score"
    liking = values if is_score else -values
    best = np.where(own, -np.inf, liking).argmax(axis=2)
    worst = np.where(own, np.inf, liking).argmin(axis=2)
    others = _among_others(values)
    columns = (
        others.mean(axis=2),
        np.take_along_axis(values, best[:, :, None], axis=2),
        np.take_along_axis(values, worst[:, :, None], axis=2),
        np.take_along_axis(tables, best, axis=1),
        np.take_along_axis(tables, worst, axis=1),
        (others > 0).sum(axis=2) if is_score else np.zeros((count, size), dtype=np.int64),
        (others < 0).sum(axis=2) if is_score else np.zeros((count, size), dtype=np.int64),
    )
    return [GuestFigures(*row) for row in zip(*(column.ravel().tolist() for column in columns), strict=True)]


def table_figures(problem: Problem, assignment: ArrayLike) -> list[TableFigures]:
    """Return for every table how well it fares; −1 is for no table."""
    figures = []
    for here in guests_by_table(np.asarray(assignment) + 1, len(problem.tables) + 1)[1:]:
        pairs = len(here) * (len(here) - 1) / 2
        mean = float(problem.among(here).sum() / 2 / pairs) if pairs else 0.0
        mse = float(problem.squared_among(here).sum() / 2 / len(here) ** 2) if len(here) else 0.0
        figures.append(TableFigures(len(here), mean, mse))
    return figures


def plan_figures(problem: Problem, assignment: IntArray) -> tuple[float, float]:
    """Return the MSE and the total of those who have a table (−1: none), from the values at each table alone."""
    mse, total = 0.0, 0.0
    for here in guests_by_table(assignment + 1, len(problem.tables) + 1)[1:]:
        if len(here) > 1:
            mse += float(problem.squared_among(here).sum()) / 2 / len(here)
            total += float(problem.scores_among(here).sum()) / 2
    return mse / max(int((assignment >= 0).sum()), 1), total
