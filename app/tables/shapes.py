"""The shapes of tables: their cloth, where their seats are, and which way each seat faces. Pure geometry.

Lengths are in floor units, 60 to the metre. Seats are counted clockwise, around the middle of the table. Without
rotation a long or oval table stands upright, and a head table lies with all of its seats along the top.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

METRE = 60.0
SEAT_RADIUS = 13.0
CLOTH_GAP = 21.0  # between the edge of the cloth and the middle of a seat
SEAT_PITCH = 38.0  # between the middles of two seats
LONG_HALF_WIDTH = 36.0
HEAD_HALF_HEIGHT = 27.0
OVAL_PROPORTION = 1.6
LEAST_HALF = 34.0
TITLE_HALF_HEIGHT, TITLE_MARGIN = 15.0, 4.0
SHARED_CORNER = 6.0  # between the last seat of a side and the corner of the cloth


def seating_of(shape: str, end_seats: bool) -> Literal["round", "long", "line"]:
    """Say how the seats follow each other: around the table, along its two long sides, or along one side only."""
    if shape == "head":
        return "line"
    return "long" if shape == "long" and not end_seats else "round"


class Seat(NamedTuple):
    """The middle of a seat, and the direction away from the table as a vector of length 1."""

    x: float
    y: float
    out_x: float
    out_y: float


class Outline(NamedTuple):
    """A cloth before it is turned, and the seats after that. `form` is circle, box or ellipse.

    `title_width` is the room for its name.
    """

    form: str
    half_width: float
    half_height: float
    seats: tuple[Seat, ...]
    rotation: float = 0.0
    title_width: float = 0.0

    @property
    def extent(self) -> tuple[float, float]:
        """How far the turned cloth reaches across and down from its middle."""
        turn = math.radians(self.rotation)
        cosine, sine = abs(math.cos(turn)), abs(math.sin(turn))
        if self.form == "box":
            return (
                self.half_width * cosine + self.half_height * sine,
                self.half_width * sine + self.half_height * cosine,
            )
        return (
            math.hypot(self.half_width * cosine, self.half_height * sine),
            math.hypot(self.half_width * sine, self.half_height * cosine),
        )

    def covers(self, x: float, y: float) -> bool:
        """Return whether a point lies on the cloth."""
        turn = math.radians(self.rotation)
        across = (x * math.cos(turn) + y * math.sin(turn)) / self.half_width
        along = (y * math.cos(turn) - x * math.sin(turn)) / self.half_height
        return max(abs(across), abs(along)) <= 1 if self.form == "box" else math.hypot(across, along) <= 1

    def line_width(self, half_height: float = TITLE_HALF_HEIGHT) -> float:
        """Return how wide a text that is centred on the cloth may be, if it reaches that far up and down."""
        low, high = 0.0, self.half_width + self.half_height
        while high - low > 0.5:
            middle = (low + high) / 2
            corners = ((x, y) for x in (-middle, middle) for y in (-half_height, half_height))
            low, high = (middle, high) if all(self.covers(x, y) for x, y in corners) else (low, middle)
        return 2 * low


@lru_cache(maxsize=2048)
def outline_of(shape: str, count: int, rotation: float = 0.0, end_seats: bool = False) -> Outline:
    """Return the outline of a table with that many seats."""
    form, half_width, half_height, seats = _upright(shape, count, end_seats)
    turn = math.radians(rotation)
    cosine, sine = math.cos(turn), math.sin(turn)

    def turned(x: float, y: float) -> tuple[float, float]:
        return x * cosine - y * sine, x * sine + y * cosine

    placed = tuple(Seat(*turned(seat.x, seat.y), *turned(seat.out_x, seat.out_y)) for seat in seats)
    outline = Outline(form, half_width, half_height, placed, rotation)
    return outline._replace(title_width=outline.line_width() - TITLE_MARGIN)


def _upright(shape: str, count: int, end_seats: bool) -> tuple[str, float, float, list[Seat]]:
    if shape == "square":
        return _square(count)
    if shape == "long":
        return _long(count, 2 if end_seats and count > 2 else 0)
    if shape == "head":
        half_width = max(count * SEAT_PITCH / 2 + SHARED_CORNER, LEAST_HALF)
        return "box", half_width, HEAD_HALF_HEIGHT, list(_side(count, HEAD_HALF_HEIGHT, 0))
    return _oval(count) if shape == "oval" else _round(count)


def _round(count: int) -> tuple[str, float, float, list[Seat]]:
    ring = max(min(44.0 + 2.75 * count, 80.0), count * SEAT_PITCH / (2 * math.pi))
    turns = [2 * math.pi * number / count for number in range(count)]
    seats = [Seat(ring * math.sin(t), -ring * math.cos(t), math.sin(t), -math.cos(t)) for t in turns]
    return "circle", ring - CLOTH_GAP, ring - CLOTH_GAP, seats


def _square(count: int) -> tuple[str, float, float, list[Seat]]:
    """Spread the seats over the four sides; what is left over goes to the top, the bottom, then the right."""
    order = {0: 0, 2: 1, 1: 2, 3: 3}  # of the sides, clockwise from the top
    sizes = [count // 4 + (order[side] < count % 4) for side in range(4)]
    half = max(max(sizes) * SEAT_PITCH / 2 + SHARED_CORNER, LEAST_HALF)
    return "box", half, half, [seat for side in range(4) for seat in _side(sizes[side], half, side)]


def _long(count: int, ends: int) -> tuple[str, float, float, list[Seat]]:
    right = (count - ends + 1) // 2
    left = count - ends - right
    half_height = max(right * SEAT_PITCH / 2 + SHARED_CORNER, LEAST_HALF)
    seats = [
        *_side(right, LONG_HALF_WIDTH, 1),
        *_side(ends // 2, half_height, 2),
        *_side(left, LONG_HALF_WIDTH, 3),
        *_side(ends // 2, half_height, 0),
    ]
    return "box", LONG_HALF_WIDTH, half_height, seats


def _side(count: int, half: float, quarter_turns: int) -> Iterator[Seat]:
    """Return the seats along one side, clockwise: the top, turned clockwise by quarters."""
    cosine, sine = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarter_turns]
    for number in range(count):
        x, y = (number - (count - 1) / 2) * SEAT_PITCH, -(half + CLOTH_GAP)
        yield Seat(x * cosine - y * sine, x * sine + y * cosine, float(sine), float(-cosine))


def _oval(count: int) -> tuple[str, float, float, list[Seat]]:
    """Space the seats evenly along an ellipse."""
    steps = max(720, 18 * count)
    turns = [2 * math.pi * step / steps for step in range(steps + 1)]
    points = [(math.sin(turn), -OVAL_PROPORTION * math.cos(turn)) for turn in turns]
    lengths = [0.0]
    for one, other in itertools.pairwise(points):
        lengths.append(lengths[-1] + math.dist(one, other))
    across = max(48.0 + count, count * SEAT_PITCH * 1.02 / lengths[-1])
    seats, at = [], 0
    for number in range(count):
        while lengths[at] < lengths[-1] * number / count - 1e-9:
            at += 1
        x, y = points[at][0] * across, points[at][1] * across
        out_x, out_y = x, y / OVAL_PROPORTION**2
        far = math.hypot(out_x, out_y)
        seats.append(Seat(x, y, out_x / far, out_y / far))
    return "ellipse", across - CLOTH_GAP, across * OVAL_PROPORTION - CLOTH_GAP, seats
