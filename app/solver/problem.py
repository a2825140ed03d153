"""What is to be solved, by value: guests, tables, how pairs get along, and rules."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Kind = Literal["score", "distance"]
Objective = Literal["average", "total"]
Method = Literal["full", "paper"]
RuleKind = Literal["together", "apart", "pinned", "side_by_side", "count", "groups_apart", "balance", "alternate"]
MATRIX_GUESTS = 3000
"""Up to here ratings of few pairs are solved as a matrix, with everything that the full method can do."""
RULED_GUESTS = 5000
"""The same with parties, rules or locks: on a matrix the search also exchanges a couple for two guests."""
MOST_MATRIX_GUESTS = 8000
"""More guests than that are never laid out as a matrix: each copy of it takes more than 500 MB."""
Shape = Literal["round", "long", "line"]
"""How the seats of a table follow each other: around it, along its two long sides, or along one side only."""


@dataclass(frozen=True)
class Table:
    """One table: how few and how many may sit there. A least of 0 allows an empty table."""

    most: int
    least: int = 0
    name: str = ""
    shape: Shape = "round"

    @property
    def sides(self) -> tuple[int, int]:
        """The chairs in each row of neighbours: all in one around a table or along one side, else along two sides.

        The two chairs of a table for two count as one row: nobody else could sit beside either.
        """
        first = (self.most + 1) // 2 if self.shape == "long" and self.most > 2 else self.most
        return first, self.most - first

    @property
    def goes_around(self) -> bool:
        """Whether the last chair is beside the first."""
        return self.shape == "round" or (self.shape == "long" and self.most <= 2)

    def neighbours(self, chairs: Collection[int]) -> frozenset[tuple[int, int]]:
        """Return who sits beside whom of the guests on these chairs, by their places in the order of the chairs."""
        first = None if self.goes_around else sum(chair < self.sides[0] for chair in chairs)
        return neighbours(len(chairs), first)


@lru_cache(maxsize=4096)
def neighbours(guests: int, first: int | None) -> frozenset[tuple[int, int]]:
    """Return who sits beside whom, by places in the order of their seats, the lower place first but for the last pair.

    `first` of the guests sit along the first side; None means around the table.
    """
    if first is None:
        return frozenset((place, (place + 1) % guests) for place in range(guests))
    return frozenset((place, place + 1) for place in range(guests - 1) if place != first - 1)


@dataclass(frozen=True)
class Rule:
    """A rule that no plan may break, by the guests' and tables' positions in the problem; `text` says it otherwise.

    Four kinds are about many guests. `count`: at least `least` and at most `most` of the guests sit at each of the
    tables; where none is named, at each table where anyone sits. `groups_apart`: no table has guests of two of the
    `groups`. `balance`: each table has its share of each of the `groups`, rounded down or up, give or take `slack`.
    `alternate`: as few neighbours as possible are of the same of the `groups`. `guests` are all whom it is about.
    """

    kind: RuleKind
    guests: tuple[int, ...]
    tables: tuple[int, ...] = ()
    text: str = ""
    groups: tuple[tuple[int, ...], ...] = ()
    least: int = 0
    most: int | None = None
    slack: int = 0


@dataclass(frozen=True)
class Ratings:
    """Scores of a large event: only the pairs that have one; every other pair counts as 0.

    They are kept row by row: guest i rates `others[starts[i]:starts[i + 1]]` at `scores[…]`, the same both ways.
    """

    starts: IntArray
    others: IntArray
    scores: FloatArray

    @property
    def guest_count(self) -> int:
        """The number of guests."""
        return len(self.starts) - 1

    @cached_property
    def highest(self) -> float:
        """The highest score of any pair; 0 where only such are rated that are worse, as unrated pairs are 0."""
        count = self.guest_count
        everyone = len(self.scores) == count * (count - 1)
        return float(self.scores.max(initial=-np.inf if everyone and count > 1 else 0.0))

    def as_matrix(self) -> FloatArray:
        """Return the ratings as a square matrix."""
        matrix = np.zeros((self.guest_count, self.guest_count))
        matrix[self.rows, self.others] = self.scores
        return matrix

    def among(self, guests: IntArray) -> FloatArray:
        """Return the scores among a few guests as a matrix."""
        matrix = np.zeros((len(guests), len(guests)))
        if not len(guests):
            return matrix
        first, counts = self.starts[guests], self.starts[guests + 1] - self.starts[guests]
        at = np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        order = np.argsort(guests)
        sorted_guests = guests[order]
        near = np.searchsorted(sorted_guests, self.others[at]).clip(max=len(guests) - 1)
        there = sorted_guests[near] == self.others[at]
        rows = np.repeat(np.arange(len(guests)), counts)[there]
        matrix[rows, order[near[there]]] = self.scores[at[there]]
        return matrix

    def row_of(self, guest: int) -> FloatArray:
        """Return the scores of a guest with everybody."""
        row = np.zeros(self.guest_count)
        own = slice(self.starts[guest], self.starts[guest + 1])
        row[self.others[own]] = self.scores[own]
        return row

    def scores_of(self, guest: int) -> dict[int, float]:
        """Return the scores of a guest by the others."""
        own = slice(self.starts[guest], self.starts[guest + 1])
        return dict(zip(self.others[own].tolist(), self.scores[own].tolist(), strict=True))

    @cached_property
    def rows(self) -> IntArray:
        """The guest who rates, for each of the scores."""
        return np.repeat(np.arange(self.guest_count), np.diff(self.starts))

    def count_above(self, least: float) -> IntArray:
        """Return for each guest how many others have a score above `least`, which is not below 0, with them."""
        return np.bincount(self.rows[self.scores > least], minlength=self.guest_count)

    def total(self, assignment: ArrayLike, weight_of_table: FloatArray) -> float:
        """Return Σ_t weight_t Σ_{i<j at t} s_ij."""
        seated = np.asarray(assignment)
        same = seated[self.rows] == seated[self.others]
        return float((weight_of_table[seated[self.rows[same]]] * self.scores[same]).sum() / 2)


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
        Guests who sit together, as tuples of positions; a rule that keeps two of them apart contradicts this.
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
        A current plan as table by guest (−1: not seated), or None. Of plans that are worth the same, the one is taken
        in which fewer guests leave their tables.
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

    def row_of(self, guest: int) -> FloatArray:
        """Return the values of a guest with everybody."""
        return self.symmetric[guest] if self.ratings is None else self.ratings.row_of(guest)

    def sets_where(self, holds: Callable[[FloatArray], BoolArray]) -> list[int]:
        """Return for each guest those whose value with them fulfils a condition: a number with a bit for each other."""
        if self.ratings is None:
            packed = np.packbits(holds(self.symmetric), axis=1, bitorder="little")
            return [int.from_bytes(row.tobytes(), "little") for row in packed]
        rows = (self.ratings.row_of(guest) for guest in range(self.guest_count))
        return [int.from_bytes(np.packbits(holds(row), bitorder="little").tobytes(), "little") for row in rows]

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


def collect_ratings(guest_count: int, first: ArrayLike, second: ArrayLike, score: ArrayLike) -> Ratings:
    """Return the ratings of pairs; of a pair that is given more than once, or both ways, the mean counts."""
    one, other = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
    low, high = np.minimum(one, other), np.maximum(one, other)
    apart = low != high
    pairs, which = np.unique(low[apart] * guest_count + high[apart], return_inverse=True)
    given = np.asarray(score, dtype=np.float64)[apart]
    means = np.bincount(which, weights=given, minlength=len(pairs)) / np.bincount(which, minlength=len(pairs))
    rows = np.concatenate([pairs // guest_count, pairs % guest_count])
    columns = np.concatenate([pairs % guest_count, pairs // guest_count])
    order = np.lexsort((columns, rows))
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=guest_count))])
    return Ratings(starts.astype(np.int64), columns[order], np.concatenate([means, means])[order])


def ratings_to_bytes(ratings: Ratings) -> bytes:
    """Return each pair once, exactly: the lower guests, the higher guests, the scores."""
    above = ratings.rows < ratings.others
    columns = (
        ratings.rows[above].astype("<u4"),
        ratings.others[above].astype("<u4"),
        ratings.scores[above].astype("<f8"),
    )
    return b"".join(column.tobytes() for column in columns)


def ratings_from_bytes(data: bytes, start: int, guest_count: int) -> Ratings:
    """Return what `ratings_to_bytes` stored from `start` on."""
    pairs = (len(data) - start) // 16
    first = np.frombuffer(data, "<u4", pairs, start)
    second = np.frombuffer(data, "<u4", pairs, start + 4 * pairs)
    return collect_ratings(guest_count, first, second, np.frombuffer(data, "<f8", pairs, start + 8 * pairs))
