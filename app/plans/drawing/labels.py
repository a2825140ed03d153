"""Where names go around a table: upright, outside the seats, and never over another name or seat.

A name stands beside a seat at the side of its table, and above or below one at the top or the bottom. Where it would
cover something it moves further away from the table, and a line leads from the seat to it. Names are placed from the
sides to the top and the bottom, and along a row from its ends to its middle: a name then only covers the way of
seats that have theirs already.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from app.plans.drawing.boxes import Box
from app.plans.drawing.label_text import LabelText, texts_of
from app.tables.shapes import SEAT_RADIUS, Seat

NAME_GAP = 5.0  # between a seat and its name
APART, LINE_APART = 5.0, 1.0  # between two names beside each other, and above each other
SIDEWAYS = 0.35  # of the direction of a seat: from there on its name stands beside it
SLOPE = 0.05  # of the direction of a row: from there on it has a lower end
POLE = 4.0  # how far a name reaches back over the line that leads to it
LED = 7.0  # a name that is moved further gets a line
CROSSING = 60.0  # units further away that a name may be to avoid a line across another name
ONE_LINE, SMALL = 6.0, 40.0  # units further away that a name may be before it is written on one line, or smaller


class Label(NamedTuple):
    """A name: its lines, their anchor, the room that they take, and the line that leads to it, if there is one."""

    text: LabelText
    anchor: str
    box: Box
    leader: tuple[float, float, float, float] | None = None

    @property
    def x(self) -> float:
        """Where the text is anchored."""
        left, _, right, _ = self.box
        return {"start": left, "middle": (left + right) / 2, "end": right}[self.anchor]

    @property
    def baselines(self) -> list[float]:
        """The baseline of each line."""
        first = self.box[1] + 0.5 + 0.83 * self.text.size
        return [first + number * self.text.line_height for number in range(len(self.text.lines))]


class _Try(NamedTuple):
    """A place that a name could have: `near` is the edge towards the table, `lifted` how far it was moved away."""

    text: LabelText
    anchor: str
    left: float
    near: float
    lifted: float = 0.0

    @property
    def right(self) -> float:
        return self.left + self.text.width


def place_labels(seats: Sequence[Seat], names: Mapping[int, str]) -> dict[int, Label]:
    """Return the label of each seat that has a name, by the number of the seat."""
    labels: dict[int, Label] = {}
    for sign in (-1.0, 1.0):  # upwards, then downwards
        half = [number for number in names if (seats[number].out_y > 1e-9) == (sign > 0)]
        side = _Side(seats, half, sign, labels.values())
        for number in sorted(half, key=lambda number: _turn(seats[number], sign)):
            labels[number] = side.place(number, names[number])
    return labels


def _is_beside(seat: Seat) -> bool:
    return abs(seat.out_x) >= SIDEWAYS


def _turn(seat: Seat, sign: float) -> tuple[float, ...]:
    """Return when a seat has its turn: those at the sides first, the nearest to the middle before the others."""
    if _is_beside(seat):
        return 0, round(sign * seat.y, 3), -abs(seat.x)
    if abs(seat.out_x) < SLOPE:
        return 1, -round(abs(seat.x), 3), seat.x
    return 1, -round(math.copysign(1, seat.out_x) * seat.x, 3), seat.x


class _Side:
    """The upper or the lower half of a table. Heights are counted away from its middle, so that both are alike."""

    def __init__(self, seats: Sequence[Seat], named: Iterable[int], sign: float, placed: Iterable[Label]) -> None:
        self._seats, self._sign = seats, sign
        # A seat is as wide as its circle; that names keep off its corners too costs nothing.
        self._taken = [self._flipped(_around(seat)) for seat in seats]
        self._taken += [self._flipped(label.box) for label in placed]
        self._labels: list[Box] = []
        self._columns = [seats[number].x for number in named if not _is_beside(seats[number])]

    def place(self, number: int, name: str) -> Label:
        """Find the best free place for the name at a seat."""
        seat, texts = self._seats[number], texts_of(name)
        weighed: list[tuple[float, int, _Try]] = []
        for one in self._tries(seat, texts):
            near = self._nearest(number, one)
            cost = self._cost(seat, one, near) + _loss(one.text, texts[0])
            weighed.append((cost, len(weighed), one._replace(near=near, lifted=near - one.near)))
            if cost <= 0:  # most names have the place that they want
                break
        return self._take(seat, min(weighed)[2])

    def _tries(self, seat: Seat, texts: Sequence[LabelText]) -> Iterator[_Try]:
        height, reach = self._sign * seat.y, SEAT_RADIUS + NAME_GAP
        for text in texts:
            if _is_beside(seat):
                steep = abs(seat.out_y)
                x = seat.x + seat.out_x * (reach + 1)
                near = height + steep * (reach + 1) - (1 - steep) * text.height / 2
                is_right = seat.out_x > 0
                yield _Try(text, "start" if is_right else "end", x if is_right else x - text.width, near)
                continue
            near = height + reach
            if not self._covers_column(seat, text):
                yield _Try(text, "middle", seat.x - text.width / 2, near)
            across = seat.out_x if abs(seat.out_x) >= SLOPE else seat.x
            if across >= -0.5:
                yield _Try(text, "start", seat.x - POLE, near)
            if across <= 0.5:
                yield _Try(text, "end", seat.x + POLE - text.width, near)

    def _covers_column(self, seat: Seat, text: LabelText) -> bool:
        """Return whether a centred name would be in the way of a line to the name of another seat."""
        half = text.width / 2 + LINE_APART
        return any(0.1 < abs(x - seat.x) < half for x in self._columns)

    def _cost(self, seat: Seat, one: _Try, near: float) -> float:
        lifted = near - one.near
        if lifted <= LED or _is_beside(seat):
            return lifted
        way = (seat.x - 0.5, self._sign * seat.y, seat.x + 0.5, near)
        return lifted + CROSSING * any(_overlap(way, label) for label in self._labels)

    def _nearest(self, number: int, one: _Try) -> float:
        """Return how near to the table a name can be without covering anything; its own seat it never does."""
        near, height = one.near, one.text.height + LINE_APART
        left, right = one.left - APART, one.right + APART
        spans = [
            (top, bottom)
            for place, (start, top, end, bottom) in enumerate(self._taken)
            if start < right and left < end and bottom + LINE_APART > near and place != number
        ]
        for top, bottom in sorted(spans):
            if top < near + height and near < bottom + LINE_APART:
                near = bottom + LINE_APART
        return near

    def _take(self, seat: Seat, one: _Try) -> Label:
        box = (one.left, one.near, one.right, one.near + one.text.height)
        self._taken.append(box)
        self._labels.append(box)
        if one.lifted <= LED:
            return Label(one.text, one.anchor, self._flipped(box))
        if _is_beside(seat):
            end_x = one.left if one.anchor == "start" else one.right
        else:
            end_x = seat.x
            self._taken.append((seat.x - 1, self._sign * seat.y, seat.x + 1, one.near))
        end_y = self._sign * (one.near + (one.text.height / 2 if _is_beside(seat) else -1.0))
        far = math.hypot(end_x - seat.x, end_y - seat.y)
        share = (SEAT_RADIUS + 2) / far
        start = seat.x + (end_x - seat.x) * share, seat.y + (end_y - seat.y) * share
        return Label(one.text, one.anchor, self._flipped(box), (*start, end_x, end_y))

    def _flipped(self, box: Box) -> Box:
        left, top, right, bottom = box
        return (left, -bottom, right, -top) if self._sign < 0 else box


def _loss(text: LabelText, best: LabelText) -> float:
    return ONE_LINE * (len(text.lines) < len(best.lines)) + SMALL * (text.size < best.size)


def _around(seat: Seat) -> Box:
    return seat.x - SEAT_RADIUS, seat.y - SEAT_RADIUS, seat.x + SEAT_RADIUS, seat.y + SEAT_RADIUS


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
