"""The figures of a plan: measured from what the run solved, stored in columns, read back by guest and table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, cast
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from app.db.types import parse_id
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


class GuestFigure(NamedTuple):
    """How a guest sits, in the event's own values: scores, or distances.

    `friends` counts whom they like anywhere. The mean is of all values; best, worst and counts are of what is known.
    Guesses count separately: `likely` counts tablemates who probably get along, and `likely_guest` is the best of them.
    `liked_outside` counts liked tablemates who are not of the guest's own household.
    """

    mean: float
    best: float | None
    worst: float | None
    best_guest: UUID | None
    worst_guest: UUID | None
    liked: int
    disliked: int
    friends: int
    likely: int = 0
    likely_guest: UUID | None = None
    liked_outside: int = 0


@dataclass(frozen=True)
class TableFigure:
    """How a table fares: the mean value of its pairs, and its own mean squared error."""

    mean: float
    mse: float


@dataclass(frozen=True)
class Measures:
    """What a seating is worth, and the columns that are stored for its guests and tables."""

    mse: float
    total: float
    everyone: bool
    columns: dict[str, Any]


@dataclass(frozen=True)
class PaperFigure:
    """What the paper's method alone gave, in so many restarts."""

    mse: float
    total: float
    restarts: int


@dataclass(frozen=True)
class SolvedFigure:
    """What the solver's own plan is worth, how good one could be at best, and whether it is proven to be the best."""

    mse: float
    total: float
    bound: float | None
    proven: bool


@dataclass(frozen=True)
class Figures:
    """What is stored with a plan: how the run went, and the columns about its guests and tables.

    `typical` is the mean value of all pairs, `seconds` the time without compilation, `locked` the number of guests who
    were locked before the run began, `paper` what the paper's method alone gave where that was tried.
    """

    stored: dict[str, Any]
    kind: str
    typical: float
    objective: str
    method: str
    restarts: int
    iterations: int
    seconds: float
    locked: int
    solved: SolvedFigure
    paper: PaperFigure | None

    @classmethod
    def from_stored(cls, stored: dict[str, Any]) -> Figures:
        """Read the figures; what has a value for each guest or table is read when it is needed."""
        names = ("kind", "typical", "objective", "method", "restarts", "iterations", "seconds")
        paper = stored.get("paper")
        return cls(
            stored,
            **{name: stored[name] for name in names},
            locked=stored.get("locked", 0),
            solved=SolvedFigure(**stored["solved"]),
            paper=PaperFigure(**paper) if paper else None,
        )

    def is_best(self, measures: Measures) -> bool:
        """Tell whether a seating of everybody is as good as the one that was proven to be the best."""
        solved = self.solved
        value, best = (measures.mse, solved.mse) if self.objective == "average" else (measures.total, solved.total)
        return measures.everyone and solved.proven and math.isclose(value, best, rel_tol=1e-9, abs_tol=1e-12)

    def bound_of(self, measures: Measures) -> float | None:
        """Return how good a plan could be at best; a plan that breaks rules may be better, and has no such bound."""
        bound = self.solved.bound
        is_total = self.objective == "total"
        if bound is None or (measures.total > bound if is_total else measures.mse < bound):
            return None
        return bound

    def measured_again(self, measures: Measures) -> Figures:
        """Return the figures of the same run for another seating."""
        return Figures.from_stored({**self.stored, **measures.columns})

    @cached_property
    def history(self) -> list[Improvement]:
        """The steps of the best value."""
        return [Improvement(*step) for step in self.stored["history"]]

    @cached_property
    def certainty(self) -> dict[UUID, tuple[UUID, float]]:
        """The table where the run put each guest, and how much of that company other good plans keep, from 0 to 1."""
        columns = self.stored.get("certainty")
        if not columns:
            return {}
        tables = _ids(self.stored["tables"])
        rows = zip(self.guest_ids, columns["table"], columns["share"], strict=True)
        return {guest: (tables[table], share) for guest, table, share in rows if share is not None}

    @cached_property
    def guest_ids(self) -> list[UUID]:
        """The guests of the run, in the order of all columns about guests."""
        return _ids(self.stored["map"])

    @cached_property
    def positions(self) -> dict[UUID, tuple[float, float]]:
        """The guests on the map: the first two dimensions of the embedding."""
        columns = self.stored["map"]
        return dict(zip(self.guest_ids, zip(columns["x"], columns["y"], strict=True), strict=True))

    @cached_property
    def unrated(self) -> frozenset[UUID]:
        """The guests of whom nothing was known, so that no point of the map is theirs."""
        return frozenset(self.guest_ids[position] for position in self.stored["map"].get("unrated", ()))

    @cached_property
    def guests(self) -> dict[UUID, GuestFigure]:
        """How each seated guest sits."""
        columns = self.stored["guests"]
        ids = self.guest_ids

        def named(position: int | None) -> UUID | None:
            return None if position is None else ids[position]

        names = ("mean", "best", "worst", "best_guest", "worst_guest", "liked", "disliked", "friends")
        rows = zip(*(columns[name] for name in names), strict=True)
        likely = columns.get("likely") or [0] * len(ids)
        likeliest = columns.get("likely_guest") or [None] * len(ids)
        outside = columns.get("liked_outside") or columns["liked"]
        return {
            guest: GuestFigure(
                mean, best, worst, named(near), named(far), liked, disliked, friends, n, named(probable), strangers
            )
            for guest, (mean, best, worst, near, far, liked, disliked, friends), n, probable, strangers in zip(
                ids, rows, likely, likeliest, outside, strict=True
            )
            if mean is not None
        }

    @cached_property
    def tables(self) -> dict[UUID, TableFigure]:
        """How each table fares."""
        columns = self.stored["tables"]
        rows = zip(_ids(columns), columns["mean"], columns["mse"], strict=True)
        return {table: TableFigure(mean, mse) for table, mean, mse in rows}


def _ids(columns: Mapping[str, Any]) -> list[UUID]:
    return [cast("UUID", parse_id(key)) for key in columns["id"]]


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
