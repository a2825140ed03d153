"""How many guests each table gets when the sizes are decided before the solve."""

from __future__ import annotations

import numpy as np

from app.solver.errors import BadTable, NoGuests, TooFewSeats, TooManySeatsToFill
from app.solver.problem import IntArray, Problem


def table_sizes(problem: Problem) -> IntArray:
    """Return a size for each table: together all guests, with the spare seats spread evenly.

    Table t gets max(least_t, most_t − spare), with the same number of spare seats everywhere as far as the
    least numbers allow. Where one seat fewer would do, the smallest tables are filled first.
    """
    check_seats(problem)
    guests = problem.guest_count
    least = np.array([table.least for table in problem.tables], dtype=np.int64)
    most = np.array([table.most for table in problem.tables], dtype=np.int64)
    spare = 0
    while np.maximum(least, most - spare - 1).sum() >= guests and (most - spare > least).any():
        spare += 1
    sizes = np.maximum(least, most - spare)
    fewer = np.maximum(least, sizes - 1)
    shrinks = np.flatnonzero(fewer < sizes)
    largest_first = shrinks[np.lexsort((-shrinks, -most[shrinks]))]
    chosen = largest_first[: sizes.sum() - guests]
    sizes[chosen] -= 1
    return sizes


def check_seats(problem: Problem) -> None:
    """Raise if no numbers of guests at the tables can add up."""
    if problem.guest_count == 0:
        raise NoGuests
    for number, table in enumerate(problem.tables, start=1):
        name = table.name or f"Table {number}"
        if table.most < 1:
            raise BadTable(f"{name} has no seats. Add at least one seat, or delete the table.")
        if not 0 <= table.least <= table.most:
            raise BadTable(f"{name} has {table.most} seats but needs at least {table.least} guests.")
    if problem.seat_count < problem.guest_count:
        raise TooFewSeats(problem.guest_count, problem.seat_count)
    least = sum(table.least for table in problem.tables)
    if least > problem.guest_count:
        raise TooManySeatsToFill(problem.guest_count, least)
