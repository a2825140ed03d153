"""Windows of the grid, where there are too many guests for all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.guests.queries.guests import Named
from app.ratings.grid_cells import WINDOW

MOST_AT_ONCE = WINDOW
"""Guests whose whole grid is part of the page; the script draws a larger one from the cells, without it in windows."""


@dataclass(frozen=True)
class Windows:
    """Which guests stand in the rows and columns, and all that could."""

    options: Sequence[tuple[int, str]]
    row: int
    column: int


def windows_of(guests: Sequence[Named], row: int, column: int) -> Windows | None:
    """Return the windows at these numbers, or None where all guests fit."""
    if len(guests) <= MOST_AT_ONCE:
        return None
    starts = range(0, len(guests), WINDOW)
    options = []
    for number, start in enumerate(starts, start=1):
        part = guests[start : start + WINDOW]
        options.append((number, f"{start + 1}–{start + len(part)}: {part[0].name} … {part[-1].name}"))
    return Windows(options, _within(row, len(starts)), _within(column, len(starts)))


def _within(number: int, most: int) -> int:
    return max(1, min(number, most))
