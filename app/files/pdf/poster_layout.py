"""How large a seating chart can be written so that everybody is on one page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

EM_PER_ROW = 1.5
NAME_EMS = 17
"""How wide a column should be, in ems of its text; longer names are written smaller."""
MOST_COLUMNS = 12
LARGEST_ROW = 0.034
"""The tallest row, as a share of the height of the page: a short list is not written larger than its title."""


@dataclass(frozen=True)
class PosterLayout:
    """The columns of a poster: which of the blocks each one has, and the height of a row in millimetres."""

    columns: tuple[tuple[int, ...], ...]
    row: float


def lay_out(blocks: Sequence[float], width: float, height: float) -> PosterLayout:
    """Divide blocks of so many rows into columns, in their order, so that the text is as large as it can be."""
    found = (_with_columns(blocks, count, width, height) for count in range(1, MOST_COLUMNS + 1))
    return max(found, key=lambda layout: (layout.row, -len(layout.columns)))


def _with_columns(blocks: Sequence[float], count: int, width: float, height: float) -> PosterLayout:
    by_width = width / count / NAME_EMS * EM_PER_ROW
    low, high = height / max(1.0, sum(blocks)) / 2, min(by_width, height * LARGEST_ROW)
    if _fill(blocks, height / high, count) is not None:
        low = high
    for _ in range(24):
        middle = (low + high) / 2
        low, high = (middle, high) if _fill(blocks, height / middle, count) is not None else (low, middle)
    low = min(low, high)
    return PosterLayout(_fill(blocks, height / low, count) or (tuple(range(len(blocks))),), low)


def _fill(blocks: Sequence[float], rows: float, count: int) -> tuple[tuple[int, ...], ...] | None:
    """Return which blocks each column has if it holds so many rows; None where there are too many for the columns."""
    columns: list[list[int]] = [[]]
    used = 0.0
    for number, size in enumerate(blocks):
        if columns[-1] and used + size > rows + 1e-9:
            columns.append([])
            used = 0.0
        if size > rows + 1e-9:
            return None
        columns[-1].append(number)
        used += size
    return tuple(map(tuple, columns)) if len(columns) <= count else None
