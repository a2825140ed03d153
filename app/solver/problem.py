"""What is to be solved, by value: guests, tables, how pairs get along, and rules."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from app.solver.ratings import FloatArray, IntArray, Ratings

__all__ = [
    "BoolArray",
    "FloatArray",
    "IntArray",
    "Kind",
    "Method",
    "Objective",
    "Problem",
    "Ratings",
    "Rule",
    "RuleKind",
    "Shape",
    "Table",
]

BoolArray = NDArray[np.bool_]
Kind = Literal["score", "distance"]
Objective = Literal["average", "total"]
Method = Literal["full", "paper"]
RuleKind = Literal["together", "apart", "pinned", "side_by_side"]
Shape = Literal["round", "long"]


@dataclass(frozen=True)
class Table:
    """One table: how few and how many may sit there. A least of 0 allows an empty table."""

    most: int
    least: int = 0
    name: str = ""
    shape: Shape = "round"

    @property
    def sides(self) -> tuple[int, int]:
        """The chairs in each row of neighbours: all in one around a round table, else along the two sides.

        The two chairs of a table for two count as one row: nobody else could sit beside either.
        """
        first = (self.most + 1) // 2 if self.shape == "long" and self.most > 2 else self.most
        return first, self.most - first


@dataclass(frozen=True)
class Rule:
    """A rule that no plan may break, by the guests' and tables' positions in the problem; `text` says it otherwise."""

    kind: RuleKind
    guests: tuple[int, ...]
    tables: tuple[int, ...] = ()
    text: str = ""


@dataclass(frozen=True)
class Problem:
    """Everything a solve needs.

    Parameters
    ----------
    matrix
        n × n. Scores (higher is better, pairs without an opinion 0) or distances (≥ 0), as `kind` says.
        Directions may differ: the two are averaged. The diagonal is ignored.
    tables
        In the order in which they are reported.
    parties
        Guests who sit together unless a rule says otherwise, as tuples of positions.
    rules
        Hard rules, see `Rule`.
    locked
        Pairs (guest, table) that the plan must keep.
    fairness
        Weight on guests without anyone they like at their table; 0 leaves it out. Of plans that are worth the same, the
        one is taken whose unhappiest guest sits better. Needs scores: `app.solver.options` refuses it for distances.
    likes
        Who likes whom, n × n, where a score above 0 is not enough to say so: a guess may be one.
    previous
        A current plan as table by guest (−1: not seated), or None.
    move_cost
        What moving one guest away from `previous` costs, in units of the objective.
    points
        The points whose distances the matrix holds, if the guests were given as points: they need no embedding.
        For a large event the matrix is left empty.
    ratings
        Scores of a large event instead of a matrix, which is then empty.
    """

    matrix: FloatArray
    tables: tuple[Table, ...]
    kind: Kind = "score"
    names: tuple[str, ...] = ()
    parties: tuple[tuple[int, ...], ...] = ()
    rules: tuple[Rule, ...] = ()
    locked: tuple[tuple[int, int], ...] = ()
    objective: Objective = "average"
    fairness: float = 0.0
    likes: BoolArray | None = None
    previous: tuple[int, ...] | None = None
    move_cost: float = 0.0
    points: FloatArray | None = None
    ratings: Ratings | None = None

    @property
    def guest_count(self) -> int:
        """The number of guests, n."""
        if self.ratings is not None:
            return self.ratings.guest_count
        return len(self.matrix) or (0 if self.points is None else len(self.points))

    @property
    def has_points_only(self) -> bool:
        """Whether the guests are given as points, without a matrix of their distances."""
        return self.ratings is None and self.points is not None and not len(self.matrix)

    @property
    def seat_count(self) -> int:
        """The number of seats at all tables together."""
        return sum(table.most for table in self.tables)

    @cached_property
    def symmetric(self) -> FloatArray:
        """The matrix with both directions averaged and a diagonal of zeros."""
        if not self.matrix.diagonal().any() and np.array_equal(self.matrix, self.matrix.T):
            return self.matrix
        averaged = (self.matrix + self.matrix.T) / 2
        np.fill_diagonal(averaged, 0.0)
        return averaged

    def among(self, guests: IntArray) -> FloatArray:
        """Return the values among a few guests as a symmetric matrix; a large event has no other."""
        if self.ratings is not None:
            return self.ratings.among(guests)
        return self.symmetric[guests[:, None], guests]

    def scores_among(self, guests: IntArray) -> FloatArray:
        """Return what `total` sums among a few guests."""
        values = self.among(guests)
        return values if self.kind == "score" else -(values**2)

    def squared_among(self, guests: IntArray) -> FloatArray:
        """Return the d²_ij that `average` minimises among a few guests."""
        if self.ratings is None:
            return self.squared_distances[guests[:, None], guests]
        squared: FloatArray = self.ratings.highest - self.ratings.among(guests)
        np.fill_diagonal(squared, 0.0)
        return squared

    @cached_property
    def scores(self) -> FloatArray:
        """What `total` sums: the scores, or −d² where the event holds distances."""
        if self.kind == "score":
            return self.symmetric
        return -self.squared_distances

    @cached_property
    def squared_distances(self) -> FloatArray:
        """The d²_ij that `average` minimises: s_max − s_ij for scores, the squares for distances."""
        if self.kind == "distance":
            return self.symmetric**2
        scores = self.symmetric
        if len(scores) < 2:
            return np.zeros_like(scores)
        highest = scores[~np.eye(len(scores), dtype=bool)].max()
        squared: FloatArray = highest - scores
        np.fill_diagonal(squared, 0.0)
        return squared
