"""Where tables stand by themselves: in rows that suit the proportions of the room, head tables at the top.

A table is known by how far it reaches from its middle. Rows are read like text, so the order of the tables is kept.
Pure geometry.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

GAP = 30.0  # between two tables
UNEVEN = 1.08  # as much wider may rows be that have equal numbers of tables
ROWS_TRIED = 3  # more and fewer than the number that is right for tables of one size


class Reach(NamedTuple):
    """How far a table with its seats and names reaches from its middle."""

    left: float
    up: float
    right: float
    down: float

    @property
    def width(self) -> float:
        """From left to right."""
        return self.left + self.right

    @property
    def height(self) -> float:
        """From top to bottom."""
        return self.up + self.down


class Frame(NamedTuple):
    """The room in which tables are laid out. Without a size only its proportions count."""

    proportion: float
    width: float = 0.0
    height: float = 0.0


Spot = tuple[float, float]
Rows = list[list[int]]


@lru_cache(maxsize=256)
def arrange(reaches: tuple[Reach, ...], heads: frozenset[int], frame: Frame) -> tuple[Spot, ...]:
    """Return the middles of the tables, the first row at the top; `heads` are the places of head tables."""
    first = sorted(heads)
    others = [place for place in range(len(reaches)) if place not in heads]
    top = _best_rows(reaches, first, frame.proportion, 0.0) if first else []
    rows = [*top, *_best_rows(reaches, others, frame.proportion, sum(_height(reaches, row) for row in top))]
    return _place(reaches, rows, frame)


def _best_rows(reaches: Sequence[Reach], places: Sequence[int], proportion: float, above: float) -> Rows:
    """Return the rows that can be shown largest in a frame of these proportions, below what stands `above`."""
    if not places:
        return []
    area = sum((reaches[place].width + GAP) * (reaches[place].height + GAP) for place in places)
    usual = round(math.sqrt(area / proportion) / max(reaches[place].height + GAP for place in places)) or 1
    if above == 0.0 and len(places) < 3:
        usual = 1
    counts = range(max(1, usual - ROWS_TRIED), min(len(places), usual + ROWS_TRIED) + 1)
    choices = [_rows(reaches, places, count) for count in counts]

    def size(rows: Rows) -> float:
        width = max(_width(reaches, row) for row in rows)
        return max(width / proportion, above + sum(_height(reaches, row) for row in rows))

    return min(choices, key=size)


def _rows(reaches: Sequence[Reach], places: Sequence[int], count: int) -> Rows:
    """Return so many rows: with equal numbers of tables, or where these were too wide, as narrow as can be."""
    even = [len(places) // count + (number < len(places) % count) for number in range(count)]
    starts = [sum(even[:number]) for number in range(count + 1)]
    rows = [list(places[start:end]) for start, end in itertools.pairwise(starts)]
    widest = max(_width(reaches, row) for row in rows)
    low = max(sum(_width(reaches, row) for row in rows) / count, *(_width(reaches, [place]) for place in places))
    if widest <= UNEVEN * low:
        return rows
    high = widest
    while high - low > 4.0:
        middle = (low + high) / 2
        filled = _fill(reaches, places, middle)
        low, high = (low, middle) if len(filled) <= count else (middle, high)
    narrow = _fill(reaches, places, high)
    return rows if widest <= UNEVEN * max(_width(reaches, row) for row in narrow) else narrow


def _fill(reaches: Sequence[Reach], places: Sequence[int], width: float) -> Rows:
    """Fill rows up to a width, one after the other."""
    rows: Rows = [[]]
    filled = 0.0
    for place in places:
        own = reaches[place].width + GAP
        if rows[-1] and filled + own > width:
            rows.append([])
            filled = 0.0
        rows[-1].append(place)
        filled += own
    return rows


def _width(reaches: Sequence[Reach], row: Sequence[int]) -> float:
    return sum(reaches[place].width + GAP for place in row)


def _height(reaches: Sequence[Reach], row: Sequence[int]) -> float:
    return max(reaches[place].up for place in row) + max(reaches[place].down for place in row) + GAP


def _place(reaches: Sequence[Reach], rows: Rows, frame: Frame) -> tuple[Spot, ...]:
    """Put the rows below each other and spread what room is left over evenly between tables and rows."""
    if not rows:
        return ()
    tall = sum(_height(reaches, row) for row in rows)
    wide = max(*(_width(reaches, row) for row in rows), tall * frame.proportion, frame.width)
    spare = max(0.0, max(wide / frame.proportion, frame.height) - tall) / (len(rows) + 1)
    spots: dict[int, Spot] = {}
    y = spare + GAP / 2
    for row in rows:
        up = max(reaches[place].up for place in row)
        gap = (wide - sum(reaches[place].width for place in row)) / (len(row) + 1)
        x = gap
        for place in row:
            spots[place] = x + reaches[place].left, y + up
            x += reaches[place].width + gap
        y += _height(reaches, row) + spare
    return tuple(spots[place] for place in range(len(reaches)))
