"""Chairs that are kept: by locked guests, and after a run from a plan by whoever stays at their table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count, islice
from uuid import UUID

import numpy as np

from app.problem.snapshot import Snapshot
from app.solver import IntArray, Table, Values, count_needless, values_by_guest


def keep_chairs(
    snapshot: Snapshot, assignment: IntArray, chairs: IntArray, before: Mapping[UUID, tuple[UUID, int]]
) -> IntArray:
    """Return the chairs with those kept of guests who stay, table and chair `before` being by guest.

    A table gets its new order where somebody arrives who must sit beside another, or where two must who did not before,
    or where more neighbours than before would share a value by which guests alternate.
    """
    problem, kept = snapshot.problem, chairs.copy()
    values = values_by_guest(problem)
    pairs = [rule.guests for rule in problem.rules if rule.kind == "side_by_side"]
    beside = {guest for pair in pairs for guest in pair}
    for number, table in enumerate(problem.tables):
        here = [guest for guest, place in enumerate(assignment) if place == number]
        own = {guest: before.get(snapshot.guest_ids[guest]) for guest in here}
        table_id = snapshot.table_ids[number]
        stay = {g: place[1] for g, place in own.items() if place and place[0] == table_id and place[1] < table.most}
        arrive = sorted((guest for guest in here if guest not in stay), key=lambda guest: int(chairs[guest]))
        if not stay or len(set(stay.values())) < len(stay) or beside.intersection(arrive):
            continue
        free = [chair for chair in range(table.most) if chair not in stay.values()]
        order = {**stay, **dict(zip(arrive, free, strict=False))}
        together = [pair for pair in pairs if set(pair) <= set(here)]
        if _are_beside(order, together, table) and not _count_needless(order, together, table, values):
            kept[list(order)] = list(order.values())
    return kept


def keep_held_chairs(
    snapshot: Snapshot, assignment: IntArray, chairs: IntArray, before: Mapping[UUID, tuple[UUID, int]] | None = None
) -> IntArray:
    """Return the chairs with those of locked guests and tables as they were, and none that is to stay empty.

    With a plan `before`, whoever stays at their table keeps their chair there, too. At a table where somebody arrives
    and somebody must sit beside another, or where two must who did not before, only locked guests keep theirs, and the
    others sit in their new order.
    """
    held, kept = snapshot.held, chairs.copy()
    pairs = [rule.guests for rule in snapshot.problem.rules if rule.kind == "side_by_side"]
    beside = {guest for pair in pairs for guest in pair}
    places, values = {**(before or {}), **held.chairs}, values_by_guest(snapshot.problem)
    touched = {table for table, _ in (*held.blocked, *held.chairs.values())}
    for number, table in enumerate(snapshot.table_ids):
        if table not in touched:
            continue
        here = np.flatnonzero(assignment == number).tolist()
        own = {guest: places.get(snapshot.guest_ids[guest]) for guest in here}
        stay = {guest: place[1] for guest, place in own.items() if place and place[0] == table}
        here_beside, seats = [pair for pair in pairs if set(pair) <= set(here)], snapshot.problem.tables[number]
        arrives = len(stay) < len(here)
        has_new_order = bool(beside.intersection(here)) if arrives else not _are_beside(stay, here_beside, seats)
        has_new_order = has_new_order or bool(values and _count_needless(stay, here_beside, seats, values))
        if has_new_order or len(set(stay.values())) < len(stay):
            stay = {guest: chair for guest, chair in stay.items() if snapshot.guest_ids[guest] in held.chairs}
        orders = _around(chairs, here, stay, held.blocked_at(table))
        best = _first_with_neighbours(orders, here_beside, seats, values)
        for guest, chair in best.items():
            kept[guest] = chair
    return kept


def _first_with_neighbours(
    orders: Iterator[dict[int, int]], pairs: Sequence[tuple[int, ...]], table: Table, values: Values
) -> dict[int, int]:
    """Return the first order in which all of these pairs sit side by side, or the very first one if there is none.

    Where guests alternate, it is the one of these in which the fewest neighbours share a value without need.
    """
    first = next(orders)
    fitting = (order for order in chain([first], orders) if _are_beside(order, pairs, table))
    if not values:
        return next(fitting, first)
    return min(fitting, key=lambda order: _count_needless(order, pairs, table, values), default=first)


def _count_needless(order: Mapping[int, int], pairs: Sequence[tuple[int, ...]], table: Table, values: Values) -> int:
    """Count the neighbours who share a value without need."""
    if not values or not order:
        return 0
    guests = sorted(order, key=lambda guest: order[guest])
    place = {guest: number for number, guest in enumerate(guests)}
    beside = [(place[a], place[b]) for a, b in pairs if a in place and b in place]
    return count_needless(table, sorted(order.values()), tuple(values[guest] for guest in guests), beside)


def _are_beside(order: Mapping[int, int], pairs: Sequence[tuple[int, ...]], table: Table) -> bool:
    place = {guest: number for number, guest in enumerate(sorted(order, key=lambda guest: order[guest]))}
    neighbours = table.neighbours(order.values()) if pairs else frozenset()
    return all({(place[a], place[b]), (place[b], place[a])} & neighbours for a, b in pairs)


def _around(
    chairs: IntArray, guests: list[int], stay: Mapping[int, int], blocked: set[int]
) -> Iterator[dict[int, int]]:
    """Yield chairs of the guests at a table, some of whom stay, around the chairs that are empty.

    The first keeps the order of the run; further ones begin it at another chair, or go the other way round.
    """
    if not stay:  # the order keeps its gaps
        usable = [
            chair for chair in range(int(chairs[guests].max(initial=0)) + 1 + len(blocked)) if chair not in blocked
        ]
        yield {guest: usable[chairs[guest]] for guest in guests}
        return
    others = sorted((guest for guest in guests if guest not in stay), key=lambda guest: int(chairs[guest]))
    taken = blocked | set(stay.values())
    free = list(islice((chair for chair in count() if chair not in taken), len(others)))
    for line in (others, others[::-1]):
        for start in range(max(1, len(line))):
            yield {**stay, **dict(zip(line[start:] + line[:start], free, strict=True))}
