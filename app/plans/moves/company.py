"""Who gains or loses company by a move, in words: with whom a guest would sit, and who else sits worse or better."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from app.plans.satisfaction import AWAY_SCORE
from app.plans.seating import Places, Seating
from app.problem.snapshot import Snapshot
from app.solver import FloatArray, IntArray
from app.web.html.text_metrics import LONGEST_IN_TEXT, shorten

Key = tuple[UUID, UUID | None]
"""A table, and the guest there with whom somebody swaps; none for a free seat."""
Levels = NDArray[np.int64]
AVERSE, ALONE, LIKED = 0, 1, 2
"""At a table with somebody to keep away from; with nobody they like; with somebody they like."""


class Company:
    """With whom guests sit, by the ratings that somebody gave; guesses do not count."""

    def __init__(self, snapshot: Snapshot, seating: Seating) -> None:
        self._known, self._seating = snapshot.known, seating
        self._position = {guest: number for number, guest in enumerate(snapshot.guest_ids)}
        self._ids = snapshot.guest_ids
        self._levels_at: dict[UUID, dict[int, int]] = {}

    def of_guest(self, guest: UUID) -> dict[Key, str]:
        """Say what each free seat and each swap would do, by table and by the other guest."""
        number = self._position.get(guest)
        if number is None or self._known.kind != "score":
            return {}
        place = self._seating.places.get(guest)
        own = self._members(self._seating.guests_at[place.table_id].values()) if place else self._members(())
        words: dict[Key, str] = {}
        for table in self._seating.open_tables:
            if place is None or table.id != place.table_id:
                there = self._members(self._seating.guests_at[table.id].values())
                words |= dict(self._of_table(table.id, number, own[own != number], there))
        return words

    def of_change(self, places: Places) -> str:
        """Say what a change of several guests would do."""
        if self._known.kind != "score":
            return ""
        before = self._seating.places
        tables = {place.table_id for guest in places for place in (before.get(guest), places[guest]) if place}
        now: dict[int, int] = {}
        then: dict[int, int] = {}
        for table in tables:
            here = list(self._seating.guests_at[table].values())
            now |= self._now(table)
            arrive = [guest for guest, place in places.items() if place and place.table_id == table]
            then |= self._levels([*(guest for guest in here if guest not in places), *arrive])
        worse = [guest for guest, level in then.items() if level < now.get(guest, level)]
        better = [guest for guest, level in then.items() if level > now.get(guest, level)]
        return "; ".join(self._others(better, worse))

    def _of_table(self, table: UUID, guest: int, own: IntArray, there: IntArray) -> Iterator[tuple[Key, str]]:
        values = self._known.among(np.concatenate([[guest], own, there]).astype(np.int64))
        first = 1 + len(own)
        liked, averse = values > 0, values <= AWAY_SCORE
        joined = self._after_joining(liked, averse, first)
        yield (table, None), self._say(values[0, first:], there, joined, np.concatenate([own, there]))
        if not len(there):
            return
        levels = _levels_after_swaps(liked, averse, first)
        now = _levels_now(liked, averse, first)
        everybody = np.concatenate([own, there])
        for swapped, other in enumerate(there.tolist()):
            row = values[0, first:].copy()
            row[swapped] = 0.0
            change = levels[:, swapped] - now
            if self._is_unseated(guest):  # the other one loses their seat, which the place itself says
                change[len(own) + swapped] = 0
            yield (table, self._ids[other]), self._say(row, there, change, everybody)

    def _is_unseated(self, guest: int) -> bool:
        return self._ids[guest] not in self._seating.places

    @staticmethod
    def _after_joining(liked: NDArray[np.bool_], averse: NDArray[np.bool_], first: int) -> Levels:
        """Return by how much the level of each guest of both tables changes if the first one joins the second table."""
        now = _levels_now(liked, averse, first)
        own = _level(liked[1:first, 1:first].sum(axis=1), averse[1:first, 1:first].sum(axis=1))
        there = _level(
            liked[first:, first:].sum(axis=1) + liked[first:, 0], averse[first:, first:].sum(axis=1) + averse[first:, 0]
        )
        return np.concatenate([own, there]) - now

    def _say(self, row: FloatArray, there: IntArray, change: Levels, everybody: IntArray) -> str:
        worse, better = everybody[change < 0].tolist(), everybody[change > 0].tolist()
        return "; ".join([self._company(row, there), *self._others(better, worse)])

    def _company(self, row: FloatArray, there: IntArray) -> str:
        """Say with whom somebody would sit; the row has what they think of those at a table."""
        if len(row) and row.min() <= AWAY_SCORE:
            return f"with {self._name(int(there[row.argmin()]))}, whom they should avoid"
        liked = int((row > 0).sum())
        if not liked:
            return "with nobody they like"
        more = f" and {liked - 1} more" if liked > 1 else ""
        return (
            f"with {self._name(int(there[row.argmax()]))}{more} they like"
            if more
            else (f"with {self._name(int(there[row.argmax()]))}, whom they like")
        )

    def _others(self, better: Sequence[int], worse: Sequence[int]) -> Iterator[str]:
        for guests, word in ((worse, "worse"), (better, "better")):
            if len(guests) == 1:
                yield f"{self._name(guests[0])} sits {word}"
            elif guests:
                yield f"{len(guests)} guests sit {word}"

    def _now(self, table: UUID) -> dict[int, int]:
        """Return the levels at a table as it is; each of the many ways to leave or join it asks for them."""
        if table not in self._levels_at:
            self._levels_at[table] = self._levels(self._seating.guests_at[table].values())
        return self._levels_at[table]

    def _levels(self, guests: Iterable[UUID]) -> dict[int, int]:
        here = self._members(guests)
        values = self._known.among(here)
        levels = _level((values > 0).sum(axis=1), (values <= AWAY_SCORE).sum(axis=1))
        return dict(zip(here.tolist(), levels.tolist(), strict=True))

    def _members(self, guests: Iterable[UUID]) -> IntArray:
        return np.array([self._position[guest] for guest in guests if guest in self._position], dtype=np.int64)

    @cached_property
    def _names(self) -> dict[int, str]:
        return {self._position[key]: name for key, name in self._seating.names.items() if key in self._position}

    def _name(self, guest: int) -> str:
        return shorten(self._names.get(guest, "a guest"), LONGEST_IN_TEXT)


def _level(liked: NDArray[np.int64], averse: NDArray[np.int64]) -> Levels:
    return np.where(averse > 0, AVERSE, np.where(liked > 0, LIKED, ALONE))


def _levels_now(liked: NDArray[np.bool_], averse: NDArray[np.bool_], first: int) -> Levels:
    """Return the levels of the others at the own table and of those at the other one, as they sit now."""
    own = _level(liked[1:first, :first].sum(axis=1), averse[1:first, :first].sum(axis=1))
    there = _level(liked[first:, first:].sum(axis=1), averse[first:, first:].sum(axis=1))
    return np.concatenate([own, there])


def _levels_after_swaps(liked: NDArray[np.bool_], averse: NDArray[np.bool_], first: int) -> Levels:
    """Return the levels after each swap, one column for each guest at the other table."""

    def counts(is_so: NDArray[np.bool_]) -> NDArray[np.int64]:
        those = is_so.astype(np.int64)
        own = those[1:first, 1:first].sum(axis=1)[:, None] + those[1:first, first:]
        there = (those[first:, first:].sum(axis=1) + those[first:, 0])[:, None] - those[first:, first:]
        np.fill_diagonal(there, those[first:, 1:first].sum(axis=1))  # whoever swaps sits at the own table then
        return np.concatenate([own, there])

    return _level(counts(liked), counts(averse))
