"""Alternating around a table: as few neighbours as possible share a value, such as a side.

What guests have is a set of values for each; two guests are alike if their sets have one in common. Where nobody has
two values, the order of `alternate` is the best there is: one value fills every second seat, and the others follow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from app.solver.problem import FloatArray, IntArray, Problem, neighbours

Values = tuple[frozenset[int], ...]
"""The values of each guest at a table."""


def values_by_guest(problem: Problem) -> Values:
    """Return the values by which each guest is to alternate with their neighbours; nothing where no rule says so."""
    groups = [group for rule in problem.rules if rule.kind == "alternate" for group in rule.groups]
    if not groups:
        return ()
    found: list[set[int]] = [set() for _ in range(problem.guest_count)]
    for number, group in enumerate(groups):
        for guest in group:
            found[guest].add(number)
    return tuple(map(frozenset, found))


def pick(values: Values, guests: IntArray) -> Values:
    """Return the values of these guests."""
    return tuple(values[guest] for guest in guests) if values else ()


def mark_alike(values: Values) -> FloatArray:
    """Return 1 for each pair of guests who share a value, else 0."""
    count = len(values)
    alike = np.zeros((count, count))
    for one in range(count):
        for other in range(one):
            alike[one, other] = alike[other, one] = not values[one].isdisjoint(values[other])
    return alike


def count_alike(values: Values, first: int | None) -> int:
    """Return how many neighbours are alike, guests being in the order of their seats."""
    return sum(not values[one].isdisjoint(values[other]) for one, other in _pairs(len(values), first))


@lru_cache(maxsize=1024)
def _pairs(count: int, first: int | None) -> tuple[tuple[int, int], ...]:
    """Return each pair of neighbouring seats once."""
    return tuple(sorted({(min(pair), max(pair)) for pair in neighbours(count, first) if pair[0] != pair[1]}))


def are_exclusive(values: Values) -> bool:
    """Return whether nobody has two values."""
    return all(len(own) <= 1 for own in values)


def alternate(values: Values, first: int | None) -> list[int]:
    """Return the guests in an order in which few neighbours are alike; nobody having two values, as few as can be."""
    common = Counter(value for own in values for value in own)

    def key(guest: int) -> tuple[int, int]:
        named = max(values[guest], key=lambda value: (common[value], -value), default=-1)
        return -common.get(named, 1), named

    guests = sorted(range(len(values)), key=key)
    orders = [_put(guests, seats) for seats in _ways_to_fill(len(guests), first)]
    return min(orders, key=lambda order: count_alike(tuple(values[guest] for guest in order), first))


def _put(guests: Sequence[int], seats: Sequence[int]) -> list[int]:
    at = dict(zip(seats, guests, strict=True))
    return [at[seat] for seat in range(len(guests))]


def _ways_to_fill(count: int, first: int | None) -> Iterator[list[int]]:
    """Yield orders in which seats can be filled: every second one, then the seats in between."""
    sides = [range(count)] if first is None else [range(first), range(first, count)]
    ends = {side[-1] for side in sides if side} if first is not None else set()
    for start in (0,) if first is None or first == count else (0, 1):
        early = [seat for number, side in enumerate(sides) for seat in side[start * number :: 2]]
        late = sorted(set(range(count)) - set(early))
        yield [*early, *late]
        yield [*early, *sorted(late, key=lambda seat: seat not in ends)]  # with one neighbour only, for one too many


def fill_greedily(order: Sequence[int], loose: set[int], values: Values, first: int | None) -> list[int]:
    """Return an order with the loose guests put on each other's seats so that few neighbours are alike."""
    beside: dict[int, set[int]] = {seat: set() for seat in range(len(order))}
    for one, other in neighbours(len(order), first):
        beside[one].add(other)
        beside[other].add(one)
    found = {seat: guest for seat, guest in enumerate(order) if guest not in loose}
    left = sorted(loose)
    for seat in (seat for seat, guest in enumerate(order) if guest in loose):
        common = Counter(value for guest in left for value in values[guest])
        near = [values[found[other]] for other in beside[seat] if other in found]

        def cost(guest: int, near: list[frozenset[int]] = near, common: Counter[int] = common) -> tuple[int, int]:
            own = values[guest]
            return sum(not own.isdisjoint(other) for other in near), -max((common[value] for value in own), default=0)

        found[seat] = min(left, key=cost)
        left.remove(found[seat])
    return [found[seat] for seat in range(len(order))]
