"""Which chair of a table each guest takes, when there are more chairs than guests.

The order around a table counts guests without gaps, but chairs stay where they are. At a round table the free chairs
stand in one gap, between the two neighbours with the lowest score. At a long one both sides fill from the
head, so whoever sits opposite stays opposite; how many sit along the first side is decided with their order. At a
table with one side the guests sit in its middle.
"""

from __future__ import annotations

import numpy as np

from app.solver.feasibility.side_by_side import rows_of
from app.solver.order.seating import guests_along
from app.solver.problem import IntArray, Problem
from app.solver.score import guests_by_table


def take_chairs(problem: Problem, assignment: IntArray, seats: IntArray) -> IntArray:
    """Return the chair of every guest, counted from 0 clockwise around their table."""
    chairs = np.array(seats, dtype=np.int64)
    rows = rows_of(problem)
    beside = {frozenset(pair) for row in rows for pair in row.pairs}
    seated = guests_by_table(assignment, len(problem.tables))
    for number, (table, here) in enumerate(zip(problem.tables, seated, strict=True)):
        if not 0 < len(here) < table.most:
            continue
        order = here[np.argsort(seats[here], kind="stable")]
        if table.shape == "line":
            chairs[order] = np.arange(len(order)) + (table.most - len(order)) // 2
            continue
        first = guests_along(table, len(order), [row for row in rows if assignment[row.guests[0]] == number])
        if first is None:
            chairs[np.roll(order, -_gap_after(problem, order, beside))] = np.arange(len(order))
        else:
            chairs[order] = [*range(first), *range(table.most - len(order) + first, table.most)]
    return chairs


def _gap_after(problem: Problem, order: IntArray, beside: set[frozenset[int]]) -> int:
    """Return how many guests come before the gap: after the pair that may be parted at the least loss."""
    pairs = [(int(one), int(other)) for one, other in zip(order, np.roll(order, -1), strict=True)]
    places = np.arange(len(order))
    scores = problem.scores_among(order)[places, np.roll(places, -1)].tolist()
    losses = [(frozenset(pair) in beside, score) for pair, score in zip(pairs, scores, strict=True)]
    return min(range(len(pairs)), key=lambda place: (losses[place], -place)) + 1
