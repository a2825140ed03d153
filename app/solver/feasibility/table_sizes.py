"""How many guests each table gets when the sizes are decided before the solve."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.solver.errors import BadTable, NoGuests, TooFewSeats, TooManySeatsToFill
from app.solver.problem import IntArray, Problem, Table


def table_sizes(problem: Problem) -> IntArray:
    """Return a size for each table: together all guests, with the spare seats spread evenly.

    Table t gets max(least_t, most_t − spare), with the same number of spare seats everywhere as far as the
    least numbers allow. Where one seat fewer would do, the smallest tables are filled first.
    """
    check_seats(problem)
    sizes, largest_first, fewer = _nearly_even(problem.guest_count, problem.tables)
    sizes[largest_first[:fewer]] -= 1
    return sizes


def size_limits(guests: int, tables: Sequence[Table]) -> tuple[IntArray, IntArray]:
    """Return the smallest and the largest even size of each table: which of several alike is one smaller is chance."""
    sizes, largest_first, fewer = _nearly_even(guests, tables)
    most = np.array([table.most for table in tables], dtype=np.int64)
    low, high = sizes.copy(), sizes.copy()
    low[largest_first[:fewer]] -= 1
    high[largest_first[:fewer]] -= 1
    if 0 < fewer < len(largest_first):
        alike = largest_first[most[largest_first] == most[largest_first[fewer]]]
        if most[largest_first[fewer - 1]] == most[largest_first[fewer]]:
            low[alike], high[alike] = sizes[alike] - 1, sizes[alike]
    return low, high


def _nearly_even(guests: int, tables: Sequence[Table]) -> tuple[IntArray, IntArray, int]:
    """Return sizes of which some are one too large, the tables that can be smaller in order, and how many have to."""
    least = np.array([table.least for table in tables], dtype=np.int64)
    most = np.array([table.most for table in tables], dtype=np.int64)
    spare = 0
    while np.maximum(least, most - spare - 1).sum() >= guests and (most - spare > least).any():
        spare += 1
    sizes = np.maximum(least, most - spare)
    fewer = np.maximum(least, sizes - 1)
    shrinks = np.flatnonzero(fewer < sizes)
    largest_first = shrinks[np.lexsort((-shrinks, -most[shrinks]))]
    return sizes, largest_first, int(sizes.sum()) - guests


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
