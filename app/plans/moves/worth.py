"""What tables and changes of a plan are worth by the objective of its run."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from uuid import UUID

import numpy as np

from app.plans.seating import Places, Seating
from app.problem.snapshot import Snapshot
from app.solver import FloatArray, IntArray

NOWHERE = -1


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

    def knows(self, guest: UUID) -> bool:
        """Tell whether the run knew the guest."""
        return guest in self._position

    def gain(self, places: Places) -> float:
        """Return by how much the objective gets better.

        Where somebody comes or goes without a swap, they are compared with a guest whom everybody likes as well as
        a typical pair: without a comparison each guest more would make a plan worse.
        """
        before = self._seating.places
        known = [guest for guest in places if guest in self._position]
        is_even = sum(guest in before for guest in known) == sum(places[guest] is not None for guest in known)
        tables = {place.table_id for guest in places for place in (before.get(guest), places[guest]) if place}
        return sum(self._table_gain(table, places, is_even=is_even) for table in tables)

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
        return np.asarray(sum(map(self._row, self._members[table].tolist()), np.zeros(len(self._table_of))))

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
        row = np.zeros(ratings.guest_count)
        own = slice(ratings.starts[guest], ratings.starts[guest + 1])
        row[ratings.others[own]] = ratings.scores[own]
        if not self._is_total:
            row = ratings.highest - row
            row[guest] = 0.0
        return row

    def _pairs_among(self, guests: IntArray) -> FloatArray:
        return self._problem.scores_among(guests) if self._is_total else self._problem.squared_among(guests)

    def _value(self, sums: FloatArray, sizes: IntArray) -> FloatArray:
        return sums if self._is_total else -sums / np.maximum(1, sizes) / self._seated

    def _table_gain(self, table: UUID, places: Places, *, is_even: bool) -> float:
        here, before = self._seating.guests_at[table].values(), self._seating.places
        arrive = [guest for guest, place in places.items() if place and place.table_id == table]
        stay = [guest for guest in here if guest not in places]
        if is_even:
            return self._of_table([*stay, *arrive]) - self._of_table(here)
        new = sum(guest in self._position and guest not in before for guest in arrive)
        gone = sum(guest in self._position and places.get(guest, NOWHERE) is None for guest in here)
        return self._of_table([*stay, *arrive], typical=gone) - self._of_table(here, typical=new)

    def _of_table(self, guests: Iterable[UUID], typical: int = 0) -> float:
        """Return what a table with these guests, and so many typical ones, is worth."""
        here = np.array([self._position[guest] for guest in guests if guest in self._position], dtype=np.int64)
        pairs = self._pairs_among(here).sum() / 2 if len(here) else 0.0
        pairs += self._typical * (typical * len(here) + typical * (typical - 1) / 2) if typical else 0.0
        return float(self._value(np.float64(pairs), np.int64(len(here) + typical)))  # type: ignore[arg-type]  # numbers count as arrays
