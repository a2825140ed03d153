"""Rounds in which nobody meets twice, searched with a symmetry: a few rounds that are rotated into all others.

Seats are numbered in rows of p, and each rotation moves everybody one seat on within their row; the seats that are left
over stay. Two seats that share a table also meet in every rotation of that round, so a pair stands for all pairs that
it is rotated into. What remains is to seat one or two rounds in which no two pairs are rotated into each other: a
search over 6 tables instead of 48. Kirkman's schoolgirls (1850) and many of their kind can be written like this, such
as 18 girls in 8 rounds. Straight rounds, as in `designed_start`, are their own rotations and may come first.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from app.solver.problem import IntArray

MOST_SEATS = 128
"""Seats in a round: the search is plain Python, and larger symmetries are not found by it anyway."""
ATTEMPT = 3_000
"""Steps of one attempt: a lucky start needs few, and an unlucky one never ends."""
ATTEMPTS = 80
"""Attempts at all symmetries together, about half a second."""


@dataclass(frozen=True)
class Rotation:
    """Rounds of which `bases` are rotated `period` times, after so many `straight` ones."""

    period: int
    bases: int = 1
    straight: int = 0


def rotate_rounds(tables: int, seats: int, rounds: int, seed: int, should_stop: Callable[[], bool]) -> IntArray | None:
    """Return the table of each seat, a row for each round, in which no two seats meet twice; None if none is found."""
    count = tables * seats
    if count > MOST_SEATS or not 2 <= seats <= tables or rounds * (seats - 1) > count - 1:
        return None
    rng = random.Random(seed)  # noqa: S311
    searches = [one for each in list_rotations(tables, seats, rounds) if (one := _prepare(tables, seats, each))]
    for attempt in range(ATTEMPTS if searches else 0):
        if should_stop():
            return None
        search = searches[attempt % len(searches)]
        found = search.attempt(rng)
        if found is not None:
            return search.all_rounds(found)[:rounds]
    return None


def list_rotations(tables: int, seats: int, rounds: int) -> Iterator[Rotation]:
    """Return the rotations that give enough rounds."""
    count = tables * seats
    for period in range(rounds, (count - 1) // (seats - 1) + 1):
        yield Rotation(period)
    if tables < rounds <= 2 * tables:
        yield Rotation(tables, straight=rounds - tables)
    if rounds > 3:
        yield Rotation((rounds + 1) // 2, bases=2)


def _prepare(tables: int, seats: int, rotation: Rotation) -> _RotationSearch | None:
    """Lay the search out, or return None if there are too few different pairs for it."""
    count, period = tables * seats, rotation.period
    rows = count // period
    if rows == 0 or count - rows * period > tables:
        return None
    kinds, sizes = _kinds_of_pairs(count, period)
    taken = sum(1 << kind for kind, size in enumerate(sizes) if size < period)  # these meet again within the period
    for w in range(rotation.straight):
        for j, k in combinations(range(rows), 2):
            kind = 1 << kinds[j * period + w * j % period][k * period + w * k % period]
            if taken & kind:
                return None
            taken |= kind
    needed = rotation.bases * tables * seats * (seats - 1) // 2
    if len(sizes) - taken.bit_count() < needed:
        return None
    bits = [[1 << kind if kind >= 0 else 0 for kind in row] for row in kinds]
    return _RotationSearch(count, seats, rotation, bits, taken)


def _kinds_of_pairs(count: int, period: int) -> tuple[list[list[int]], list[int]]:
    """Number the pairs so that those that are rotated into each other have one number; return how many each has."""
    turned = [_turn(seat, 1, count, period) for seat in range(count)]
    kinds = [[-1] * count for _ in range(count)]
    sizes: list[int] = []
    for one, other in combinations(range(count), 2):
        if kinds[one][other] >= 0:
            continue
        a, b, size = one, other, 0
        while kinds[a][b] < 0:
            kinds[a][b] = kinds[b][a] = len(sizes)
            a, b, size = turned[a], turned[b], size + 1
        sizes.append(size)
    return kinds, sizes


def _turn(seat: int, by: int, count: int, period: int) -> int:
    row = seat // period
    return seat if seat >= count // period * period else row * period + (seat % period + by) % period


@dataclass
class _RotationSearch:
    """A search for the rounds that are rotated; `bits` has a bit for each kind of pair."""

    count: int
    seats: int
    rotation: Rotation
    bits: list[list[int]]
    taken: int
    _left: int = 0
    _order: list[int] = field(default_factory=list)
    _found: list[tuple[int, ...]] = field(default_factory=list)

    def attempt(self, rng: random.Random) -> list[tuple[int, ...]] | None:
        """Fill one table after the other from a random order of the seats, and go back where nobody fits."""
        self._left, self._found = ATTEMPT, []
        self._order = list(range(self.count))
        rng.shuffle(self._order)
        self._order.sort(key=lambda seat: seat < self.count // self.rotation.period * self.rotation.period)
        done = self._fill(self._order[1:], self.taken, (self._order[0],), 0, self.rotation.bases)
        return self._found if done else None

    def _fill(self, free: Sequence[int], taken: int, table: tuple[int, ...], start: int, bases: int) -> bool:
        """Add to a table from place `start` of those who are free; return whether all rounds are full in the end."""
        self._left -= 1
        if len(table) == self.seats:
            return self._next_table(free, taken, table, bases)
        for place in range(start, len(free)):
            if self._left < 0:
                return False
            now = self._join(free[place], table, taken)
            if now and self._fill([*free[:place], *free[place + 1 :]], now, (*table, free[place]), place, bases):
                return True
        return False

    def _next_table(self, free: Sequence[int], taken: int, table: tuple[int, ...], bases: int) -> bool:
        self._found.append(table)
        if not free and bases == 1:
            return True
        others, first, left = (free[1:], free[0], bases) if free else (self._order[1:], self._order[0], bases - 1)
        if self._fill(others, taken, (first,), 0, left):
            return True
        self._found.pop()
        return False

    def _join(self, seat: int, table: tuple[int, ...], taken: int) -> int:
        """Return all kinds of pairs with those of another seat at the table; 0 if one of them is there already."""
        row = self.bits[seat]
        for other in table:
            if taken & row[other]:
                return 0
            taken |= row[other]
        return taken

    def all_rounds(self, bases: list[tuple[int, ...]]) -> IntArray:
        """Return the table of each seat in all rounds: the straight ones, and then each base in all its rotations."""
        period, tables = self.rotation.period, self.count // self.seats
        everyone = np.arange(self.count)
        rounds = [
            (everyone % period - w * (everyone // period)) % period for w in range(self.rotation.straight)
        ]  # straight: as many tables as the period
        for base in range(self.rotation.bases):
            for by in range(period):
                at = np.zeros(self.count, np.int64)
                for table, members in enumerate(bases[base * tables : (base + 1) * tables]):
                    at[[_turn(seat, by, self.count, period) for seat in members]] = table
                rounds.append(at)
        return np.array(rounds, dtype=np.int64)
