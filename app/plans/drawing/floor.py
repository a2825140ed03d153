"""The floor of a plan as a drawing: where tables, seats and names go. Pure geometry in the drawing's own units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from app.web.html.text_metrics import fit_title, initial, shorten, width

SEAT_RADIUS = 13.0
LINE_HEIGHT = 17.0
NAME_GAP = 9.0  # between a seat and its name
CLOTH_GAP = 22.0  # between the edge of the cloth and the middle of a seat
SEAT_PITCH = 38.0  # between the middles of two seats
LONG_HALF_WIDTH = 46.0
TABLE_GAP = 26.0
SMALLEST_SCALE = 0.8  # names of 14 px never get smaller than 11 px
MOST_KEPT_SEATS = 40  # a table with more is drawn each time: what is kept has a bound
VIEW_HEIGHT = 560.0  # what a screen shows of a drawing without scrolling


class Reach(NamedTuple):
    """How far a table reaches from its middle: to each side, up and down."""

    across: float
    up: float
    down: float


class Sitter(NamedTuple):
    """A guest to be drawn, or with an empty name a place that is offered; `effect` stands in the seat."""

    key: str
    name: str
    state: str = ""
    words: str = ""
    effect: str = ""
    effect_tone: str = ""
    locked: bool = False
    moved: bool = False
    data: tuple[tuple[str, str], ...] = ()


class FloorTable(NamedTuple):
    """A table to be drawn, with the guests at their seats (counted from 0)."""

    name: str
    sub: str
    shape: str
    seats: int
    sitters: tuple[tuple[int, Sitter], ...]
    x: float | None = None
    y: float | None = None
    key: str = ""


class DrawnSeat(NamedTuple):
    """A seat relative to the middle of its table, and the name beside it."""

    x: float
    y: float
    label_x: float = 0.0
    label_y: float = 0.0
    anchor: str = "middle"
    sitter: Sitter | None = None
    initial: str = ""
    label: str = ""
    label_width: float = 0.0


@dataclass(frozen=True)
class DrawnTable:
    """A table at its place; a round one has a radius, a long one half a width and half a height."""

    x: float
    y: float
    shape: str
    half_width: float
    half_height: float
    title: tuple[str, ...]
    small_title: bool
    name: str
    sub: str
    seats: tuple[DrawnSeat, ...]
    reach: Reach
    key: str = ""

    @property
    def title_width(self) -> float:
        """The room on the cloth for a line of the name."""
        return _title_width(self.half_width)


@dataclass(frozen=True)
class Floor:
    """The whole drawing."""

    left: float
    top: float
    width: float
    height: float
    tables: tuple[DrawnTable, ...]

    @property
    def least_width(self) -> int:
        """The width in pixels below which names could not be read; a smaller screen scrolls."""
        return round(self.width * SMALLEST_SCALE)


def draw_floor(tables: Sequence[FloorTable], room: float) -> Floor:
    """Draw tables where they stand, and those without a place in rows that suit a `room` of that many pixels."""
    drawn = [_draw_again(table) if table.seats <= MOST_KEPT_SEATS else draw_table(table) for table in tables]
    spots = [(t.x, t.y) if t.x is not None and t.y is not None else None for t in tables]
    fixed = [replace(table, x=spot[0], y=spot[1]) for table, spot in zip(drawn, spots, strict=True) if spot]
    bottom = max((t.y + t.reach.down for t in fixed), default=-TABLE_GAP) + TABLE_GAP
    left = min((t.x - t.reach.across for t in fixed), default=0.0)
    loose = tuple(table.reach for table, spot in zip(drawn, spots, strict=True) if not spot)
    free = iter([(left + x, bottom + y) for x, y in _arrange(loose, room)])
    at = [spot or next(free) for spot in spots]
    return _framed([replace(table, x=x, y=y) for table, (x, y) in zip(drawn, at, strict=True)], room)


def _framed(tables: Sequence[DrawnTable], room: float) -> Floor:
    left = min((t.x - t.reach.across for t in tables), default=0.0) - TABLE_GAP / 2
    right = max((t.x + t.reach.across for t in tables), default=0.0) + TABLE_GAP / 2
    top = min((t.y - t.reach.up for t in tables), default=0.0) - TABLE_GAP / 2
    bottom = max((t.y + t.reach.down for t in tables), default=0.0) + TABLE_GAP / 2
    spare = max(0.0, room * 0.9 - (right - left))  # a single table is not blown up to the size of the room
    return Floor(left - spare / 2, top, right - left + spare, bottom - top, tuple(tables))


def draw_table(table: FloorTable) -> DrawnTable:
    """Draw one table around its own middle."""
    sitters = dict(_seated(table))
    count = max([table.seats, *(seat + 1 for seat in sitters)])
    seats, half_width, half_height = (_long_seats if table.shape == "long" else _round_seats)(count)
    named = [_named(seat, sitters.get(number)) for number, seat in enumerate(seats)]
    if table.shape != "long":
        named = _spread_names(named)
    lines, small = fit_title(table.name, _title_width(half_width))
    reach = _reach(half_width, half_height, named)
    return DrawnTable(
        0.0,
        0.0,
        table.shape,
        half_width,
        half_height,
        lines,
        small,
        table.name,
        table.sub,
        tuple(named),
        reach,
        table.key,
    )


@lru_cache(maxsize=1024)
def _draw_again(table: FloorTable) -> DrawnTable:
    return draw_table(table)


def _reach(half_width: float, half_height: float, seats: Sequence[DrawnSeat]) -> Reach:
    return Reach(
        max([half_width + 4, *(_sideways(seat) for seat in seats)]),
        max([half_height + 4, *(max(SEAT_RADIUS - s.y, 12 - s.label_y) for s in seats)]),
        max([half_height + 4, *(max(SEAT_RADIUS + s.y, 12 + s.label_y) for s in seats)]),
    )


def _title_width(half_width: float) -> float:
    return 2 * half_width - 14


def _seated(table: FloorTable) -> list[tuple[int, Sitter]]:
    # Two can hold the same seat when a removed guest came back: the second takes the next free one.
    taken: dict[int, Sitter] = {}
    for seat, sitter in table.sitters:
        while seat in taken:
            seat += 1  # noqa: PLW2901  the search for a free seat starts where they should sit
        taken[seat] = sitter
    return list(taken.items())


def _round_seats(count: int) -> tuple[list[DrawnSeat], float, float]:
    ring = max(min(60.0 + 2.5 * count, 92.0), count * SEAT_PITCH / (2 * math.pi))
    angles = [2 * math.pi * number / count for number in range(count)]
    seats = [DrawnSeat(ring * math.sin(angle), -ring * math.cos(angle)) for angle in angles]
    return seats, ring - CLOTH_GAP, ring - CLOTH_GAP


def _long_seats(count: int) -> tuple[list[DrawnSeat], float, float]:
    right = (count + 1) // 2
    across, half_height = LONG_HALF_WIDTH + CLOTH_GAP, max(right * SEAT_PITCH / 2 + 4, 40.0)
    down = [DrawnSeat(across, _row(number, right)) for number in range(right)]
    up = [DrawnSeat(-across, -_row(number, count - right)) for number in range(count - right)]
    return [*down, *up], LONG_HALF_WIDTH, half_height


def _row(number: int, count: int) -> float:
    return (number - (count - 1) / 2) * SEAT_PITCH


def _named(seat: DrawnSeat, sitter: Sitter | None) -> DrawnSeat:
    """Put the name outside the seat, as far from the table as the seat itself asks for."""
    if sitter is None:
        return seat
    far = math.hypot(seat.x, seat.y)
    share = (far + SEAT_RADIUS + NAME_GAP) / far
    is_pole = abs(seat.x) < 1
    x = 0.0 if is_pole else seat.x * share
    y = math.copysign(far + SEAT_RADIUS + NAME_GAP + 5, seat.y) if is_pole else seat.y * share
    if abs(seat.x) == LONG_HALF_WIDTH + CLOTH_GAP:
        x, y = math.copysign(abs(seat.x) + SEAT_RADIUS + NAME_GAP, seat.x), seat.y
    anchor = "middle" if is_pole else ("start" if seat.x > 0 else "end")
    label = shorten(sitter.name) if sitter.name else ""
    return DrawnSeat(seat.x, seat.y, x, y, anchor, sitter, initial(sitter.name), label, width(label))


def _spread_names(seats: list[DrawnSeat]) -> list[DrawnSeat]:
    """Move names of a round table up or down until no two lines touch: from the sides to the top and the bottom."""
    spread = list(seats)
    for upwards in (True, False):
        sign = -1.0 if upwards else 1.0
        last = dict.fromkeys(("start", "end"), -math.inf)
        half = [n for n, seat in enumerate(seats) if seat.sitter and (seat.y < 0) == upwards]
        for number in sorted(half, key=lambda n: abs(seats[n].label_y)):
            seat = seats[number]
            sides = ("start", "end") if seat.anchor == "middle" else (seat.anchor,)
            far = max(abs(seat.label_y), *(last[side] + LINE_HEIGHT for side in sides))
            last.update(dict.fromkeys(sides, far))
            spread[number] = seat._replace(label_y=sign * far)
    return spread


def _sideways(seat: DrawnSeat) -> float:
    reach = abs(seat.x) + SEAT_RADIUS
    if seat.sitter is None:
        return reach
    return max(reach, seat.label_width / 2 if seat.anchor == "middle" else abs(seat.label_x) + seat.label_width)


@lru_cache(maxsize=256)
def _arrange(reaches: tuple[Reach, ...], room: float) -> list[tuple[float, float]]:
    return place_in_rows(reaches, *choose_rows(reaches, room))


def choose_rows(reaches: Sequence[Reach], room: float) -> tuple[list[int], float]:
    """Return how many tables stand in each row, and the width of the rows: the largest drawing that fits."""
    choices = [_balanced(len(reaches), across) for across in range(1, len(reaches) + 1)]
    sized = [(rows, *_size(reaches, rows)) for rows in choices]
    readable = [choice for choice in sized if choice[1] * SMALLEST_SCALE <= room] or sized[:1]
    if not readable:
        return [], 0.0
    rows, across, _ = max(readable, key=lambda c: min(1.0, room / c[1], VIEW_HEIGHT / c[2]))
    return rows, max(across, room * 0.9)


def place_in_rows(reaches: Sequence[Reach], rows: Sequence[int], row_width: float) -> list[tuple[float, float]]:
    """Return the middles of the tables, row by row, with the spare width spread evenly."""
    middles: list[tuple[float, float]] = []
    start, y = 0, 0.0
    for count in rows:
        row = reaches[start : start + count]
        up, down = max(one.up for one in row), max(one.down for one in row)
        gap = (row_width - sum(2 * one.across for one in row)) / (count + 1)
        x = gap
        for one in row:
            middles.append((x + one.across, y + up))
            x += 2 * one.across + gap
        start, y = start + count, y + up + down + TABLE_GAP
    return middles


def _balanced(count: int, across: int) -> list[int]:
    rows = math.ceil(count / across)
    return [count // rows + (number < count % rows) for number in range(rows)]


def _size(reaches: Sequence[Reach], rows: Sequence[int]) -> tuple[float, float]:
    start, widest, height = 0, 0.0, 0.0
    for count in rows:
        row = reaches[start : start + count]
        widest = max(widest, sum(2 * one.across for one in row) + TABLE_GAP * count)
        height += max(one.up for one in row) + max(one.down for one in row) + TABLE_GAP
        start += count
    return widest, height
