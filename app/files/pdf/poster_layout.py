"""How large a seating chart can be written so that everybody is on one page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

EM_PER_ROW = 1.5
NAME_EMS = 17
"""How wide a column should be, in ems of its text; longer names are written smaller."""
MOST_COLUMNS = 12
ALIKE = 0.94
"""Text so much smaller looks the same: fewer columns that fill the page are better."""
LARGEST_ROW = 0.034
"""The tallest row, as a share of the height of the page: a short list is not written larger than its title."""


@dataclass(frozen=True)
class PosterLayout:
    """The columns of a poster: which of the blocks each one has, and the height of a row in millimetres."""

    columns: tuple[tuple[int, ...], ...]
    row: float


def lay_out(blocks: Sequence[float], width: float, height: float, heads: Sequence[float] | None = None) -> PosterLayout:
    """Divide blocks with these numbers of rows into columns, in their order, so that the text is as large as possible.

    `heads` are the rows that a block takes besides where it begins a column: the heading that it belongs to.
    """
    sized = _Blocks(blocks, heads or [0.0] * len(blocks))
    found = [_with_columns(sized, count, width, height) for count in range(1, MOST_COLUMNS + 1)]
    largest = max(layout.row for layout in found)
    return min((one for one in found if one.row >= ALIKE * largest), key=lambda layout: len(layout.columns))


@dataclass(frozen=True)
class _Blocks:
    """The rows of each block, and those of the heading that it repeats at the top of a column."""

    sizes: Sequence[float]
    heads: Sequence[float]


def _with_columns(blocks: _Blocks, count: int, width: float, height: float) -> PosterLayout:
    by_width = width / count / NAME_EMS * EM_PER_ROW
    low, high = height / max(1.0, sum(blocks.sizes)) / 2, min(by_width, height * LARGEST_ROW)
    if _fill(blocks, height / high, count) is not None:
        low = high
    for _ in range(24):
        middle = (low + high) / 2
        low, high = (middle, high) if _fill(blocks, height / middle, count) is not None else (low, middle)
    low = min(low, high)
    columns = _fill(blocks, height / low, count)
    return PosterLayout(_even(blocks, columns, height / low) if columns else (tuple(range(len(blocks.sizes))),), low)


def _even(blocks: _Blocks, columns: tuple[tuple[int, ...], ...], rows: float) -> tuple[tuple[int, ...], ...]:
    """Return as many columns that are as short as they can be: text of the same size, without an empty corner."""
    least, most = 0.0, rows
    for _ in range(16):
        middle = (least + most) / 2
        tried = _fill(blocks, middle, len(columns))
        columns, least, most = (columns, middle, most) if tried is None else (tried, least, middle)
    return columns


def _fill(blocks: _Blocks, rows: float, count: int) -> tuple[tuple[int, ...], ...] | None:
    """Return which blocks each column has if it holds this many rows; None if the columns cannot hold all."""
    columns: list[list[int]] = [[]]
    used = 0.0
    for number, (size, head) in enumerate(zip(blocks.sizes, blocks.heads, strict=True)):
        if columns[-1] and used + size > rows + 1e-9:
            columns.append([])
        if not columns[-1]:
            used = head
        if used + size > rows + 1e-9:
            return None
        columns[-1].append(number)
        used += size
    return tuple(map(tuple, columns)) if len(columns) <= count else None
