"""Measuring a plan by what its run solved: the columns that are stored as its figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from app.plans.figures import Figures, Measures
from app.problem.snapshot import Snapshot
from app.solver import (
    FloatArray,
    Improvement,
    IntArray,
    Problem,
    Result,
    guest_figures,
    guest_means,
    plan_figures,
    table_figures,
)

NOT_SEATED = -1
MOST_HISTORY = 200


def describe(snapshot: Snapshot, measures: Measures, result: Result, paper: Result | None = None) -> Figures:
    """Return everything that is stored with a new plan."""
    problem = snapshot.problem
    compiling = result.seconds_by_stage.get("compile", 0.0)  # once for each installation, and no part of the search
    stored = {
        "kind": problem.kind,
        "typical": _short(_mean_of_pairs(problem)),
        "method": result.method,
        "objective": result.objective,
        "seed": result.seed,
        "restarts": result.restarts,
        "iterations": result.iterations,
        "seconds": _short(result.seconds - compiling),
        "stopped_early": result.stopped_early,
        "settled_early": result.settled_early,
        "meetings_proven": result.meetings_proven,
        "attendance": asdict(result.attendance) if result.attendance else None,
        "history": [
            [_short(max(step.seconds - compiling, 0.0)), step.restart, step.value] for step in _thinned(result.history)
        ],
        "solved": {"mse": result.mse, "total": result.total, "bound": result.bound, "proven": result.proven_optimal},
        "paper": {"mse": paper.mse, "total": paper.total, "restarts": paper.restarts} if paper else None,
        "locked": len(problem.locked),
        "certainty": _certainty_columns(result.assignment, result.pair_frequency),
        "map": _map_columns(snapshot, result),
        **measures.columns,
    }
    return Figures.from_stored(stored)


def measure(snapshot: Snapshot, seated: Mapping[UUID, UUID]) -> Measures:
    """Measure a seating, table by guest; whoever is not in it counts for nothing."""
    known = [seated.get(guest) for guest in snapshot.guest_ids]
    # Tables that came after the run stand behind its own.
    tables = list(dict.fromkeys([*snapshot.table_ids, *(table for table in known if table is not None)]))
    table_at = {table_id: position for position, table_id in enumerate(tables)}
    assignment = np.array([NOT_SEATED if table is None else table_at[table] for table in known], dtype=np.int64)
    columns = {
        "guests": _guest_columns(snapshot, assignment),
        "tables": _table_columns(snapshot, tables, assignment),
    }
    mse, total = plan_figures(snapshot.problem, assignment)
    return Measures(mse, total, bool((assignment != NOT_SEATED).all()), columns)


def _guest_columns(snapshot: Snapshot, assignment: IntArray) -> dict[str, list[Any]]:
    seated = assignment != NOT_SEATED
    known = snapshot.known
    means = guest_means(snapshot.problem, assignment).tolist()
    found = guest_figures(known, assignment)
    columns: dict[str, list[Any]] = {
        "mean": [_short(mean) if sits else None for mean, sits in zip(means, seated, strict=True)],
        "best": [_short(figure.best) for figure in found],
        "worst": [_short(figure.worst) for figure in found],
        "best_guest": [figure.best_guest for figure in found],
        "worst_guest": [figure.worst_guest for figure in found],
        "liked": [figure.liked for figure in found],
        "liked_outside": _liked_outside(known, assignment),
        "disliked": [figure.disliked for figure in found],
        "friends": _friends(known),
    }
    return columns if snapshot.guessed is None else {**columns, **_likely_columns(snapshot, assignment)}


def _liked_outside(problem: Problem, assignment: IntArray) -> list[int]:
    """Return how many tablemates each guest likes who are not of their own household; distances do not tell."""
    counts = np.zeros(len(assignment), dtype=np.int64)
    if problem.kind == "distance":
        return counts.tolist()
    household = np.arange(len(assignment))
    for number, party in enumerate(problem.parties):
        household[list(party)] = len(assignment) + number
    for table in np.unique(assignment[assignment != NOT_SEATED]):
        here = np.flatnonzero(assignment == table)
        is_own = household[here][:, None] == household[here][None, :]
        counts[here] = ((problem.among(here) > 0) & ~is_own).sum(axis=1)
    return counts.tolist()


def _friends(problem: Problem) -> list[int]:
    """Return how many others each guest likes anywhere; distances do not tell."""
    if problem.kind == "distance":
        return [0] * problem.guest_count
    ratings = problem.ratings
    counts = (problem.symmetric > 0).sum(axis=1) if ratings is None else ratings.count_above(0.0)
    return [int(number) for number in counts]


def _likely_columns(snapshot: Snapshot, assignment: IntArray) -> dict[str, list[Any]]:
    """Return how many tablemates each guest probably gets along with, by guesses alone, and with whom most."""
    found = guest_figures(snapshot.probable, assignment)
    return {
        "likely": [figure.liked for figure in found],
        "likely_guest": [figure.best_guest if figure.liked else None for figure in found],
    }


def _table_columns(snapshot: Snapshot, tables: Sequence[UUID], assignment: IntArray) -> dict[str, list[Any]]:
    found = table_figures(snapshot.problem, assignment)
    return {
        "id": [table_id.hex for table_id in tables],
        "mean": [_short(figure.mean) for figure in found],
        "mse": [_short(figure.mse) for figure in found],
    }


def _certainty_columns(assignment: IntArray, frequency: FloatArray | None) -> dict[str, list[Any]] | None:
    """Return for each guest the mean of how often good plans seat them with each of their tablemates."""
    if frequency is None:
        return None
    shares: list[float | None] = []
    for guest, table in enumerate(assignment):
        mates = np.flatnonzero(assignment == table)
        others = mates[mates != guest]
        shares.append(round(float(frequency[guest, others].mean()), 3) if len(others) else None)
    return {"table": [int(table) for table in assignment], "share": shares}


def _map_columns(snapshot: Snapshot, result: Result) -> dict[str, list[Any]]:
    flat = _two_columns(np.asarray(result.positions, dtype=np.float64), len(snapshot.guest_ids))
    return {
        "id": [guest_id.hex for guest_id in snapshot.guest_ids],
        "x": [_short(value) for value in flat[:, 0]],
        "y": [_short(value) for value in flat[:, 1]],
        "unrated": _unrated(snapshot.problem),
    }


def _unrated(problem: Problem) -> list[int]:
    """Return the guests whose values tell nothing: a score of 0 with everybody, or the same distance from everybody."""
    if problem.ratings is not None:
        rated = problem.ratings.rows[problem.ratings.scores != 0]
        says_nothing = np.bincount(rated, minlength=problem.guest_count) == 0
        return [] if says_nothing.all() else np.flatnonzero(says_nothing).tolist()
    if not problem.guest_count:
        return []
    values = problem.symmetric.copy()
    np.fill_diagonal(values, np.inf)
    least = values.min(axis=1)
    np.fill_diagonal(values, -np.inf)
    most = values.max(axis=1)
    says_nothing = (least == most) & ((problem.kind == "distance") | (most == 0))
    return [] if says_nothing.all() else np.flatnonzero(says_nothing).tolist()


def _two_columns(positions: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    # Guests who all are alike have an embedding of one dimension, or none.
    flat = np.zeros((count, 2))
    if positions.ndim == 2 and len(positions) == count:
        width = min(2, positions.shape[1])
        flat[:, :width] = np.nan_to_num(positions[:, :width])
    return flat


def _mean_of_pairs(problem: Problem) -> float:
    pairs = problem.guest_count * (problem.guest_count - 1)
    values = problem.symmetric if problem.ratings is None else problem.ratings.scores
    return float(values.sum() / pairs) if pairs else 0.0


def _thinned(history: Sequence[Improvement]) -> Sequence[Improvement]:
    if len(history) <= MOST_HISTORY:
        return history
    kept = np.unique(np.linspace(0, len(history) - 1, MOST_HISTORY).round().astype(int))
    return [history[position] for position in kept]


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")
