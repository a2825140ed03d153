"""Which chair of a table each guest takes, when there are more chairs than guests.

The order around a table counts guests without gaps, but chairs stay where they are. At a round table the free chairs
stand in one gap, between the two neighbours who miss each other least. At a long one both sides fill from the
head, so whoever sits opposite stays opposite.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from app.solver.neighbours import make_rows
from app.solver.problem import IntArray, Problem


def take_chairs(problem: Problem, assignment: IntArray, seats: IntArray) -> IntArray:
    """Return the chair of every guest, counted from 0 clockwise around their table."""
    chairs = np.array(seats, dtype=np.int64)
    rows = make_rows([rule.guests for rule in problem.rules if rule.kind == "side_by_side"]) or []
    beside = {frozenset(pair) for row in rows for pair in pairwise(row)}
    for number, table in enumerate(problem.tables):
        here = np.flatnonzero(assignment == number)
        if not 1 < len(here) < table.most:
            continue
        order = here[np.argsort(seats[here], kind="stable")]
        if table.shape == "round":
            chairs[np.roll(order, -_gap_after(problem, order, beside))] = np.arange(len(order))
        else:
            alone = len(order) == 2 and frozenset(order.tolist()) in beside
            head = 2 if alone else (len(order) + 1) // 2
            chairs[order] = [*range(head), *range(table.most - len(order) + head, table.most)]
    return chairs


def _gap_after(problem: Problem, order: IntArray, beside: set[frozenset[int]]) -> int:
    """Return how many guests come before the gap: after the pair that may be parted at the least loss."""
    pairs = [(int(one), int(other)) for one, other in zip(order, np.roll(order, -1), strict=True)]
    losses = [(frozenset(pair) in beside, float(problem.scores[pair])) for pair in pairs]
    return min(range(len(pairs)), key=lambda place: (losses[place], -place)) + 1
