"""Side-by-side rules as rows of guests, and whether rows find room along the sides of a table.

Guests linked by rules sit in one row: an order in which every rule's guests come without a stranger in between. Where
only a closed order does that, they are a ring, which needs a round table of its own. A long table has two sides,
and no row goes round its end: rows fit if some of them go onto the first side and all others onto the second.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from app.solver.problem import Problem

Guests = tuple[int, ...]
Sides = tuple[int, int]


@dataclass(frozen=True)
class Row:
    """Guests in the order in which they sit side by side; in a ring the last sits beside the first."""

    guests: Guests
    is_ring: bool = False

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Who sits beside whom."""
        after = self.guests[1:] + (self.guests[:1] if self.is_ring else ())
        return tuple(zip(self.guests, after, strict=False))


def rows_of(problem: Problem) -> list[Row]:
    """Return the rows that all side-by-side rules together require."""
    return rows_for(rule.guests for rule in problem.rules if rule.kind == "side_by_side")


def rows_for(wanted: Iterable[Guests]) -> list[Row]:
    """Return the rows that these sets of guests side by side require."""
    rows = [arrange(linked) for linked in link(wanted)]
    return [row for row in rows if row is not None]


def link(wanted: Iterable[Guests]) -> list[tuple[Guests, ...]]:
    """Gather the sets of guests that share someone, directly or through others."""
    known = sorted(set(wanted))
    group_of: dict[int, set[int]] = {}
    for guests in known:
        joined = set(guests).union(*(group_of[guest] for guest in guests if guest in group_of))
        group_of.update(dict.fromkeys(joined, joined))
    linked: dict[int, list[Guests]] = {}
    for guests in known:
        linked.setdefault(min(group_of[guests[0]]), []).append(guests)
    return [tuple(sets) for sets in linked.values()]


@lru_cache(maxsize=4096)
def arrange(linked: tuple[Guests, ...]) -> Row | None:
    """Return the row, or else the ring, in which each of the linked sets sits in one piece; None if there is none.

    A ring is a row in which every set with the first guest is replaced by its opposite: a set is in one piece of a ring
    where all others are (Tucker, *Matrix characterizations of circular-arc graphs*, 1971).
    """
    sets = [frozenset(guests) for guests in linked]
    everyone = frozenset[int]().union(*sets)
    row = _line_up(everyone, sets)
    if row is not None:
        return Row(row)
    first = min(everyone)
    ring = _line_up(everyone, [everyone - one if first in one else one for one in sets])
    return None if ring is None else Row(ring, is_ring=True)


def _line_up(everyone: frozenset[int], sets: list[frozenset[int]]) -> Guests | None:
    """Find an order that keeps every set in one piece: once one is begun, only its guests follow until it is whole."""
    kinds = {guest: tuple(guest in one for one in sets) for guest in everyone}
    tried: set[frozenset[int]] = set()
    todo: list[Guests] = [()]
    while todo:
        row = todo.pop()
        placed = frozenset(row)
        if placed in tried:
            continue
        tried.add(placed)
        if placed == everyone:
            return row
        begun = [one for one in sets if one & placed and not one <= placed]
        follow = sorted(everyone.intersection(*begun) - placed)
        # Of guests who are in the same sets any may be the next.
        chosen = {kinds[guest]: guest for guest in reversed(follow)}
        todo.extend((*row, guest) for guest in sorted(chosen.values(), reverse=True))
    return None


@lru_cache(maxsize=1 << 16)
def choose_first(lengths: tuple[int, ...], sides: Sides) -> tuple[int, ...] | None:
    """Return the places of the rows that go onto the first side, so that all others fit onto the second; or None."""
    first, second = sides
    reached: dict[int, tuple[int, ...]] = {0: ()}
    for place, length in enumerate(lengths):
        for total, chosen in list(reached.items()):
            if total + length <= first:
                reached.setdefault(total + length, (*chosen, place))
    return next((reached[total] for total in sorted(reached) if total >= sum(lengths) - second), None)


def rows_fit(lengths: Iterable[int], sides: Sides) -> bool:
    """Return whether rows of these lengths fit onto the sides of a table."""
    return choose_first(tuple(sorted(lengths, reverse=True)), sides) is not None


def first_side(lengths: Iterable[int], guests: int, sides: Sides) -> int | None:
    """Return how many guests sit along the first side of a long table; None if the rows do not fit.

    That is half of them, or as many more as the rows need: the sides are filled from the head.
    """
    rows = tuple(sorted(lengths, reverse=True))
    for first in range((guests + 1) // 2, min(guests, sides[0]) + 1):
        if guests - first <= sides[1] and choose_first(rows, (first, guests - first)) is not None:
            return first
    return None
