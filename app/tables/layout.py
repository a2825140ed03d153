"""Where tables stand by themselves: in rows that suit the proportions of the room, head tables at the top.

A table is known by how far it reaches from its middle. Rows are read like text, so the order of the tables is kept.
A table that is much taller than most stands beside the rows where that leaves all tables larger. Pure geometry.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Container, Sequence
from functools import lru_cache
from typing import NamedTuple

GAP = 30.0  # between two tables
WIDE_GAPS = (150.0, 110.0, 80.0, 55.0, GAP)  # tried between tables that stand around something else
UNEVEN = 1.08  # as much wider may rows be that have equal numbers of tables
TALL, WORTH = 1.4, 1.1  # times the usual height: such a table stands beside the rows if that makes all tables larger
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


Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def is_head(shape: str, reach: Reach) -> bool:
    """Return whether a table belongs at the top of the room: a head table that faces it."""
    return shape == "head" and reach.width > reach.height


class Frame(NamedTuple):
    """The room in which tables are laid out, and where none may stand. Without a size only its proportions count."""

    proportion: float
    width: float = 0.0
    height: float = 0.0
    blocked: tuple[Box, ...] = ()


Spot = tuple[float, float]
Rows = list[list[int]]


@lru_cache(maxsize=256)
def arrange(reaches: tuple[Reach, ...], heads: frozenset[int], frame: Frame) -> tuple[Spot, ...]:
    """Return the middles of the tables, the first row at the top; `heads` are the places of head tables."""
    first = sorted(heads)
    others = [place for place in range(len(reaches)) if place not in heads]
    if frame.blocked:
        return _flow_around(reaches, [first, others], frame)
    top = _best_rows(reaches, first, frame.proportion) if first else []
    above = sum(_height(reaches, row) for row in top)
    rows, sides = _best_rows(reaches, others, frame.proportion, above), _tall(reaches, others)
    if sides:
        rest = [place for place in others if place not in sides]
        shorter = _best_rows(reaches, rest, frame.proportion, above, sides)
        size = _size(reaches, shorter, frame.proportion, above, sides)
        if WORTH * size < _size(reaches, rows, frame.proportion, above, ()):
            return _place(reaches, top, shorter, sides, frame)
    return _place(reaches, top, rows, (), frame)


def place_all(
    reaches: Sequence[Reach], spots: Sequence[Spot | None], heads: Container[int], frame: Frame
) -> list[Spot]:
    """Return the middles of all tables: those that have a spot keep it, the others are arranged, below these."""
    loose = [place for place, spot in enumerate(spots) if spot is None]
    placed = [(spot, reach) for spot, reach in zip(spots, reaches, strict=True) if spot is not None]
    left, below = 0.0, 0.0
    if placed:
        left = min(x - reach.left for (x, _), reach in placed)
        below = max([*(y + reach.down for (_, y), reach in placed), *(box[3] for box in frame.blocked)])
        frame = Frame(frame.proportion)
    first = frozenset(number for number, place in enumerate(loose) if place in heads)
    arranged = arrange(tuple(reaches[place] for place in loose), first, frame)
    free = iter([(left + x, below + y) for x, y in arranged])
    return [spot or next(free) for spot in spots]


def _tall(reaches: Sequence[Reach], places: Sequence[int]) -> list[int]:
    """Return the tables that are much taller than most."""
    usual = statistics.median_low([reaches[place].height for place in places]) if places else 0.0
    return [place for place in places if reaches[place].height > TALL * usual]


def _best_rows(
    reaches: Sequence[Reach], places: Sequence[int], proportion: float, above: float = 0.0, sides: Sequence[int] = ()
) -> Rows:
    """Return the rows that can be shown largest in a frame of these proportions, below and beside other tables."""
    if not places:
        return []
    area = sum((reaches[place].width + GAP) * (reaches[place].height + GAP) for place in places)
    usual = round(math.sqrt(area / proportion) / max(reaches[place].height + GAP for place in places)) or 1
    if above == 0.0 and len(places) < 3:
        usual = 1
    counts = range(max(1, usual - ROWS_TRIED), min(len(places), usual + ROWS_TRIED) + 1)
    choices = [_rows(reaches, places, count) for count in counts]
    return min(choices, key=lambda rows: _size(reaches, rows, proportion, above, sides))


def _size(reaches: Sequence[Reach], rows: Rows, proportion: float, above: float, sides: Sequence[int]) -> float:
    """Return the height of a frame of these proportions that holds all tables."""
    width = max((_width(reaches, row) for row in rows), default=0.0) + _width(reaches, sides)
    return max(width / proportion, above + _tallest(reaches, rows, sides))


def _tallest(reaches: Sequence[Reach], rows: Rows, sides: Sequence[int]) -> float:
    """Return the height of rows, or of the tables beside them."""
    return max([sum(_height(reaches, row) for row in rows), *(reaches[place].height + GAP for place in sides)])


def _rows(reaches: Sequence[Reach], places: Sequence[int], count: int) -> Rows:
    """Return `count` rows: with equal numbers of tables or, where these were too wide, as narrow as possible."""
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


def _fill(reaches: Sequence[Reach], places: Sequence[int], width: float, gap: float = GAP) -> Rows:
    """Fill rows up to a width, one after the other."""
    rows: Rows = [[]]
    filled = 0.0
    for place in places:
        own = reaches[place].width + gap
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


def _place(reaches: Sequence[Reach], top: Rows, rows: Rows, sides: Sequence[int], frame: Frame) -> tuple[Spot, ...]:
    """Put the rows below each other and spread what room is left over evenly between tables and rows."""
    if not top and not rows:
        return ()
    beside, middle = _width(reaches, sides), _tallest(reaches, rows, sides)
    tall = sum(_height(reaches, row) for row in top) + middle
    widths = [*(_width(reaches, row) for row in top), *(beside + _width(reaches, row) for row in rows)]
    wide = max(*widths, tall * frame.proportion, frame.width)
    spare = max(0.0, max(wide / frame.proportion, frame.height) - tall) / (len(top) + len(rows) + 1)
    spots: dict[int, Spot] = {}
    y = spare + GAP / 2
    for row in top:
        spots |= _spread(reaches, row, 0.0, wide, y + max(reaches[place].up for place in row))
        y += _height(reaches, row) + spare
    middle += spare * max(len(rows) - 1, 0)
    left, right = _beside(reaches, sides, wide, y - GAP / 2 + middle / 2, spots)
    between = (middle - sum(_height(reaches, row) for row in rows)) / max(len(rows), 1)
    y += between / 2
    for row in rows:
        spots |= _spread(reaches, row, left, right, y + max(reaches[place].up for place in row))
        y += _height(reaches, row) + between
    return tuple(spots[place] for place in range(len(reaches)))


def _beside(
    reaches: Sequence[Reach], sides: Sequence[int], wide: float, middle: float, spots: dict[int, Spot]
) -> tuple[float, float]:
    """Put tall tables to the left and to the right in turn, and return between where the rows stand."""
    left, right = 0.0, wide
    for number, place in enumerate(sides):
        reach = reaches[place]
        y = middle + (reach.up - reach.down) / 2
        if number % 2:
            right -= reach.width + GAP
            spots[place] = right + GAP / 2 + reach.left, y
        else:
            spots[place] = left + GAP / 2 + reach.left, y
            left += reach.width + GAP
    return left, right


def _flow_around(reaches: Sequence[Reach], parts: Sequence[Sequence[int]], frame: Frame) -> tuple[Spot, ...]:
    """Fill the free room beside, above and below what is blocked, row by row, with the widest gaps that fit in."""
    area = sum((reach.width + GAP) * (reach.height + GAP) for reach in reaches)
    area += sum((right - left) * (bottom - top) for left, top, right, bottom in frame.blocked)
    needed = max([math.sqrt(area * frame.proportion), *(reach.width + GAP for reach in reaches)])
    width = frame.width or max([needed, *(right for _, _, right, _ in frame.blocked)])
    height = frame.height or width / frame.proportion
    for gap in WIDE_GAPS:
        spots, bottom = _flow(reaches, parts, width, gap, frame.blocked)
        if bottom <= height:
            break
    return tuple(spots[place] for place in range(len(reaches)))


def _flow(
    reaches: Sequence[Reach], parts: Sequence[Sequence[int]], width: float, gap: float, blocked: Sequence[Box]
) -> tuple[dict[int, Spot], float]:
    """Return the middles of the tables, and how far down they reach."""
    spots: dict[int, Spot] = {}
    y = gap / 2
    for part in parts:
        waiting = list(part)
        while waiting:
            up, down = max(reaches[place].up for place in waiting), max(reaches[place].down for place in waiting)
            in_row = [box for box in blocked if box[1] - GAP / 2 < y + up + down and y < box[3] + GAP / 2]
            seated = False
            for start, end in _free(in_row, width) if in_row else [(0.0, max(width, reaches[waiting[0]].width + gap))]:
                row = _fill(reaches, waiting, end - start, gap)[0] if waiting else []
                if row and sum(reaches[place].width for place in row) + gap <= end - start:
                    spots |= _spread(reaches, row, start, end, y + up)
                    waiting, seated = waiting[len(row) :], True
            y = y + up + down + gap if seated else min(box[3] for box in in_row) + GAP / 2
    return spots, y - gap / 2


def _free(blocked: Sequence[Box], width: float) -> list[tuple[float, float]]:
    """Return the stretches of a row that are not blocked."""
    free, start = [], 0.0
    for left, _, right, _ in sorted(blocked):
        if left > start:
            free.append((start, left))
        start = max(start, right)
    return [*free, (start, width)] if start < width else free


def _spread(reaches: Sequence[Reach], row: Sequence[int], start: float, end: float, y: float) -> dict[int, Spot]:
    """Put the tables of a row into a stretch of it, with even gaps."""
    spots: dict[int, Spot] = {}
    gap = (end - start - sum(reaches[place].width for place in row)) / (len(row) + 1)
    x = start + gap
    for place in row:
        spots[place] = x + reaches[place].left, y
        x += reaches[place].width + gap
    return spots
