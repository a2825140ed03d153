"""The figures of a plan as they are stored in columns, read back by guest and table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple
from uuid import UUID

from app.db.types import parse_id
from app.solver import AttendanceReport, Improvement


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
    """What the paper's method alone gave, and in how many restarts."""

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
    were locked before the run began, `paper` what the paper's method alone gave where that was tried. The run of the
    demo event was `recorded` elsewhere. `settled_early`: it ended before its time, as no better plan was likely.
    `meetings_proven`: no plan of several rounds with tables filled as evenly can have better meetings.
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
    recorded: bool = False
    settled_early: bool = False
    stopped_early: bool = False
    meetings_proven: bool = False
    attendance: AttendanceReport | None = None

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
            recorded=stored.get("recorded", False),
            settled_early=stored.get("settled_early", False),
            stopped_early=stored.get("stopped_early", False),
            meetings_proven=stored.get("meetings_proven", False),
            attendance=AttendanceReport(**stored["attendance"]) if stored.get("attendance") else None,
        )

    @cached_property
    def unit(self) -> float:
        """What differences are measured against: the typical distance, or half the largest score of two tablemates.

        With the five levels of a rating, that is 1.
        """
        if self.kind == "distance":
            return self.typical or 1.0
        known = (value for one in self.guests.values() for value in (one.best, one.worst) if value is not None)
        return max(map(abs, known), default=0.0) / 2 or 1.0

    def is_best(self, measures: Measures) -> bool:
        """Return whether a seating of everybody is as good as the one that was proven to be the best."""
        return measures.everyone and self.solved.proven and self.is_as_found(measures.mse, measures.total)

    def is_as_found(self, mse: float, total: float) -> bool:
        """Return whether a seating is worth what the solver's own plan is."""
        value, best = (mse, self.solved.mse) if self.objective == "average" else (total, self.solved.total)
        return math.isclose(value, best, rel_tol=1e-9, abs_tol=1e-12)

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
    return [parse_id(key) for key in columns["id"]]
