"""Rounds in which nobody meets twice, written down at once: lines of a plane over a ring.

With G tables, seat (j, a) for j < s and a < G at table a − w·j in round w. Two guests (j, a) and (k, b) share a table
only if a − b = w·(j − k): in one round if j − k can be divided by, and never if j = k (MacNeish 1922). After G rounds
those with the same j have not met: where s divides G they sit together in one more. Whoever has j = 0 keeps their
table, which is what hosts do.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.solver.problem import IntArray, Problem
from app.solver.rounds.finite_fields import LARGEST, build_ring, elements_apart, unit_differences


def design_rounds(rounds: Sequence[Problem], seed: int = 1) -> IntArray | None:
    """Return tables for the first rounds, a row for each, or None where tables are of other numbers or sizes.

    The seed decides who takes which part.
    """
    first = rounds[0]
    tables, guests = len(first.tables), first.guest_count
    seats = -(-guests // tables)
    if any(one.tables != first.tables for one in rounds) or not 2 <= tables <= LARGEST:
        return None
    if not 2 <= seats <= unit_differences(tables) or guests <= tables * (seats - 1):
        return None
    row, column = _cells(first, tables, np.random.default_rng(seed))
    sums, products = build_ring(tables)
    minus = np.argmin(sums, axis=1)  # the element with which the sum is 0
    steps = elements_apart(tables)[row]
    found = [sums[column, minus[products[w, steps]]] for w in range(min(tables, len(rounds)))]
    if len(rounds) > tables and guests == tables * seats and tables % seats == 0:
        found.append(row * (tables // seats) + column // seats)
    return np.array(found, dtype=np.int64)


def _cells(problem: Problem, tables: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Return j and a of each guest: those who are locked have j = 0 and their table, if no other has it."""
    place = np.full(problem.guest_count, -1, np.int64)
    kept: dict[int, int] = {}
    for guest, table in problem.locked:
        kept.setdefault(table, guest)
    for table, guest in kept.items():
        place[guest] = table
    others = rng.permutation(np.flatnonzero(place < 0))
    free = np.setdiff1d(np.arange(problem.guest_count + len(kept)), place[place >= 0])
    place[others] = free[: len(others)]
    return place // tables, place % tables
