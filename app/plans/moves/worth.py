"""What tables and changes of a plan are worth by the objective of its run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from uuid import UUID

import numpy as np

from app.plans.seating import Places, Seating
from app.problem.snapshot import Snapshot
from app.solver import FloatArray, IntArray

NOWHERE = -1


class _TableChange:
    """Who leaves and joins a table, by their numbers, and how many of them go to or come from the unseated tray."""

    __slots__ = ("arrive", "gone", "leave", "new")

    def __init__(self) -> None:
        self.leave, self.arrive = list[int](), list[int]()
        self.gone = self.new = 0

    def leaves(self, guest: int, *, for_good: bool) -> None:
        self.leave.append(guest)
        self.gone += for_good

    def arrives(self, guest: int, *, is_new: bool) -> None:
        self.arrive.append(guest)
        self.new += is_new


class Worth:
    """What a seating is worth: a gain is the change of the objective, above 0 where the plan gets better.

    Guests whom the run did not know count as neutral: to seat them changes nothing.
    """

    def __init__(self, snapshot: Snapshot, seating: Seating) -> None:
        self._problem, self._seating = snapshot.problem, seating
        self._position = {guest: number for number, guest in enumerate(snapshot.guest_ids)}
        self._table_at = {table: number for number, table in enumerate(seating.tables)}
        self._is_total = snapshot.problem.objective == "total"
        self._seated = max(1, sum(guest in self._position for guest in seating.places))
        self._with_tables: dict[int, FloatArray] = {}

    def knows(self, guest: UUID) -> bool:
        """Return whether the run knew the guest."""
        return guest in self._position

    def gain(self, places: Places) -> float:
        """Return by how much the objective gets better.

        Where somebody comes or goes without a swap, they are compared with a guest whom everybody likes as well as
        a typical pair: without a comparison each guest more would make a plan worse.
        """
        changes: dict[UUID, _TableChange] = defaultdict(_TableChange)
        more = 0
        for guest, place in places.items():
            number, now = self._position.get(guest), self._seating.places.get(guest)
            if number is None or (now and place and now.table_id == place.table_id):
                continue
            if now is not None:
                more -= 1
                changes[now.table_id].leaves(number, for_good=place is None)
            if place is not None:
                more += 1
                changes[place.table_id].arrives(number, is_new=now is None)
        return sum(self._table_gain(self._table_at[key], change, is_even=not more) for key, change in changes.items())

    def gains_of_guest(self, guest: UUID) -> tuple[dict[UUID, float], dict[UUID, float]]:
        """Return the gains of seating a guest at each table, and of swapping with each other guest whom the run knew.

        The gain of a guest from the unseated tray is compared as `gain` does.
        """
        number = self._position.get(guest)
        if number is None:
            return {}, {}
        own = int(self._table_of[number])
        towards = self._row(number)
        with_tables = self._sums_by_table(towards)
        if own == NOWHERE:
            moves = self._gains_from_tray(with_tables)
        else:
            moves = self._gains_of_moves(with_tables, own)
            moves[own] = 0.0
        by_table = dict(zip(self._table_at, moves.tolist(), strict=True))
        return by_table, self._gains_of_swaps(number, own, towards, with_tables)

    def _gains_of_moves(self, with_tables: FloatArray, own: int) -> FloatArray:
        left = self._value(self._sums[own] - with_tables[own], self._sizes[own] - 1) - self._values[own]
        joined = self._value(self._sums + with_tables, self._sizes + 1) - self._values
        return np.asarray(joined + left, dtype=np.float64)

    def _gains_from_tray(self, with_tables: FloatArray) -> FloatArray:
        neutral = self._value(self._sums + self._typical * self._sizes, self._sizes + 1)
        return self._value(self._sums + with_tables, self._sizes + 1) - neutral

    def _gains_of_swaps(self, number: int, own: int, towards: FloatArray, with_tables: FloatArray) -> dict[UUID, float]:
        others = np.flatnonzero((self._table_of != NOWHERE) & (np.arange(len(self._table_of)) != number))
        tables, pair = self._table_of[others], towards[others]
        there = self._sums[tables] - self._with_own_table[others] + with_tables[tables] - pair
        gains = self._value(there, self._sizes[tables]) - self._values[tables]
        if own != NOWHERE:
            here = self._sums[own] - with_tables[own] + self._with_table(own)[others] - pair
            gains = gains + self._value(here, self._sizes[own]) - self._values[own]
            gains[tables == own] = 0.0
        return dict(zip([self._ids[other] for other in others], gains.tolist(), strict=True))

    @cached_property
    def _ids(self) -> list[UUID]:
        return list(self._position)

    @cached_property
    def _table_of(self) -> IntArray:
        """The table of each guest of the run, by its number in the seating."""
        places = (self._seating.places.get(guest) for guest in self._position)
        return np.array([self._table_at[place.table_id] if place else NOWHERE for place in places], dtype=np.int64)

    @cached_property
    def _members(self) -> list[IntArray]:
        return [np.flatnonzero(self._table_of == number) for number in range(len(self._table_at))]

    @cached_property
    def _sizes(self) -> IntArray:
        return np.array([len(here) for here in self._members], dtype=np.int64)

    @cached_property
    def _with_own_table(self) -> FloatArray:
        """The sum of each guest's pairs at their own table."""
        sums = np.zeros(len(self._table_of))
        for here in self._members:
            sums[here] = self._pairs_among(here).sum(axis=1)
        return sums

    @cached_property
    def _sums(self) -> FloatArray:
        """The sum of the pairs at each table."""
        return np.array([self._with_own_table[here].sum() / 2 for here in self._members])

    @cached_property
    def _sum_at(self) -> list[float]:
        sums: list[float] = self._sums.tolist()
        return sums

    @cached_property
    def _size_at(self) -> list[int]:
        sizes: list[int] = self._sizes.tolist()
        return sizes

    @cached_property
    def _values(self) -> FloatArray:
        return self._value(self._sums, self._sizes)

    @cached_property
    def _typical(self) -> float:
        """What a typical pair is worth: the mean of all pairs, or nothing where scores are added up."""
        problem, number = self._problem, len(self._position)
        if number < 2 or self._is_total:
            return 0.0
        if problem.ratings is not None:
            return problem.ratings.highest - float(problem.ratings.scores.sum()) / (number * (number - 1))
        return float(problem.squared_distances.sum()) / (number * (number - 1))

    def _with_table(self, table: int) -> FloatArray:
        """Return the sum of each guest's pairs with those at a table."""
        if table not in self._with_tables:
            here = map(self._row, self._members[table].tolist())
            self._with_tables[table] = np.asarray(sum(here, np.zeros(len(self._table_of))))
        return self._with_tables[table]

    def _sums_by_table(self, towards: FloatArray) -> FloatArray:
        seated = self._table_of != NOWHERE
        weights = np.bincount(self._table_of[seated], weights=towards[seated], minlength=len(self._table_at))
        return weights.astype(np.float64, copy=False)

    def _row(self, guest: int) -> FloatArray:
        """Return what a guest's pairs with everybody are worth."""
        problem, ratings = self._problem, self._problem.ratings
        if ratings is None:
            pairs: FloatArray = problem.scores if self._is_total else problem.squared_distances
            return np.asarray(pairs[guest])
        row = ratings.row_of(guest)
        if not self._is_total:
            row = ratings.highest - row
            row[guest] = 0.0
        return row

    def _pairs_among(self, guests: IntArray) -> FloatArray:
        return self._problem.scores_among(guests) if self._is_total else self._problem.squared_among(guests)

    def _value(self, sums: FloatArray, sizes: IntArray) -> FloatArray:
        return sums if self._is_total else -sums / np.maximum(1, sizes) / self._seated

    def _table_gain(self, table: int, change: _TableChange, *, is_even: bool) -> float:
        before, size = self._sum_at[table], self._size_at[table]
        after = self._sum_after(table, change.leave, change.arrive)
        size_after = size + len(change.arrive) - len(change.leave)
        gone, new = (0, 0) if is_even else (change.gone, change.new)
        return self._value_of(after, size_after, typical=gone) - self._value_of(before, size, typical=new)

    def _sum_after(self, table: int, leave: Sequence[int], arrive: Sequence[int]) -> float:
        """Return the sum of the pairs at a table once these guests have left it and those have joined it."""
        with_table, pair, total = self._with_table(table).item, self._pair, self._sum_at[table]
        for number, one in enumerate(leave):
            total -= with_table(one)
            for other in leave[:number]:  # taken away with both of them
                total += pair(one, other)
            for other in arrive:
                total -= pair(one, other)
        for number, one in enumerate(arrive):
            total += with_table(one)
            for other in arrive[:number]:
                total += pair(one, other)
        return total

    @cached_property
    def _pair(self) -> Callable[[int, int], float]:
        """Return the value of a pair."""
        problem, ratings = self._problem, self._problem.ratings
        if ratings is None:
            return (problem.scores if self._is_total else problem.squared_distances).item
        highest, scores_of = ratings.highest, cache(ratings.scores_of)
        if self._is_total:
            return lambda one, other: scores_of(one).get(other, 0.0)
        return lambda one, other: highest - scores_of(one).get(other, 0.0)

    def _value_of(self, pairs: float, size: int, typical: int = 0) -> float:
        """Return the value of a table with these numbers of guests and of typical guests."""
        more = self._typical * (typical * size + typical * (typical - 1) / 2) if typical else 0.0
        total = pairs + more
        return float(total if self._is_total else -total / max(1, size + typical) / self._seated)
