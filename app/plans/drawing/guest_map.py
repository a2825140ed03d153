"""The 2-D map of the guests as a drawing: marks by table, and as many names as find room."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from app.bounded_cache import emptied_when_erased
from app.plans.drawing.boxes import Box, Boxes
from app.web.html.text_metrics import shorten, width

MAP_WIDTH, MAP_HEIGHT = 720.0, 460.0
LEAST_HEIGHT = 140.0
SIDE, EDGE = 96.0, 28.0  # room for names beside the outermost marks
MOST_NAMES = 120
MOST_MARKS = 300  # beyond that the guests of a table become one path of dots
LABEL_SIZE, LABEL_HEIGHT, MARK = 12.0, 13.0, 7.0
SAME_SPOT = 2.0  # nearer marks hide each other
APART = 14.0  # between marks that would hide each other
GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))
MOST_ASIDE = 60

Spot = tuple[float, float]
Firsts = dict[tuple[int, int], list[tuple[int, Spot]]]  # by cells as wide as marks that hide each other


class MapGuest(NamedTuple):
    """A guest to be drawn at a point of the embedding; `table` is the number of their table from 0."""

    name: str
    x: float
    y: float
    table: int


class MapMark(NamedTuple):
    """A guest on the map; without a label where there is no room for the name."""

    x: float
    y: float
    table: int
    name: str
    label: str = ""
    anchor: str = "start"
    label_width: float = 0.0


@dataclass(frozen=True)
class MapDots:
    """All guests of a table as one path."""

    table: int
    path: str


@dataclass(frozen=True)
class GuestMap:
    """The whole map, without empty room above and below. `aside` stand the guests who have no place on it."""

    marks: tuple[MapMark, ...] = ()
    dots: tuple[MapDots, ...] = ()
    aside: tuple[MapGuest, ...] = ()
    others_aside: int = 0
    width: float = MAP_WIDTH
    top: float = 0.0
    height: float = MAP_HEIGHT


def draw_map(guests: Sequence[MapGuest], aside: Sequence[MapGuest] = ()) -> GuestMap:
    """Draw the guests with the same scale in both directions, because distances are what the map is about.

    Those `aside` are listed beside it: nothing is known that would give them a place.
    """
    spots = _spots(guests)
    drawn = _draw(guests, spots)
    reach = max((abs(y - MAP_HEIGHT / 2) for y in _heights(drawn, spots)), default=0.0) + EDGE
    height = min(MAP_HEIGHT, max(LEAST_HEIGHT, 2 * reach))
    more = max(0, len(aside) - MOST_ASIDE)
    return replace(
        drawn, aside=tuple(aside[:MOST_ASIDE]), others_aside=more, top=(MAP_HEIGHT - height) / 2, height=height
    )


def _heights(drawn: GuestMap, spots: Sequence[Spot]) -> list[float]:
    return [mark.y for mark in drawn.marks] or [y for _, y in spots]


def _draw(guests: Sequence[MapGuest], spots: Sequence[Spot]) -> GuestMap:
    if len(guests) > MOST_MARKS:
        return GuestMap(dots=_dots(guests, spots))
    placed = _marks(tuple(guest.name for guest in guests), tuple(spots))
    return GuestMap(marks=tuple(mark._replace(table=guest.table) for mark, guest in zip(placed, guests, strict=True)))


@emptied_when_erased
@lru_cache(maxsize=64)
def _marks(names: tuple[str, ...], spots: tuple[Spot, ...]) -> tuple[MapMark, ...]:
    """Place marks and names, as yet without tables: a move changes nothing about where they are."""
    marks = [MapMark(x, y, 0, name) for name, (x, y) in zip(names, _apart(spots), strict=True)]
    return tuple(_with_labels(marks) if len(names) <= MOST_NAMES else marks)


def _spots(guests: Sequence[MapGuest]) -> list[Spot]:
    if not guests:
        return []
    left, right = min(g.x for g in guests), max(g.x for g in guests)
    low, high = min(g.y for g in guests), max(g.y for g in guests)
    scales = [(MAP_WIDTH - 2 * SIDE) / (right - left)] if right > left else []
    scales += [(MAP_HEIGHT - 2 * EDGE) / (high - low)] if high > low else []
    scale = min(scales, default=0.0)
    return [
        (
            round(MAP_WIDTH / 2 + (g.x - (left + right) / 2) * scale, 1),
            round(MAP_HEIGHT / 2 - (g.y - (low + high) / 2) * scale, 1),
        )
        for g in guests
    ]


def _apart(spots: Sequence[Spot]) -> list[Spot]:
    """Move marks that would hide each other apart, like the seeds of a sunflower around the first of them."""
    seeds: Counter[int] = Counter()
    firsts: Firsts = {}
    moved = []
    for number, spot in enumerate(spots):
        first, (x, y) = _first_near(number, spot, firsts)
        turn, reach = seeds[first] * GOLDEN_ANGLE, APART * math.sqrt(seeds[first])
        moved.append((round(x + reach * math.cos(turn), 1), round(y + reach * math.sin(turn), 1)))
        seeds[first] += 1
    return moved


def _first_near(number: int, spot: Spot, firsts: Firsts) -> tuple[int, Spot]:
    """Return the first mark that one at this spot would hide, with its number; where there is none, this is one."""
    column, row = int(spot[0] // SAME_SPOT), int(spot[1] // SAME_SPOT)
    cells = product((column - 1, column, column + 1), (row - 1, row, row + 1))
    found = [one for cell in cells for one in firsts.get(cell, ()) if math.dist(one[1], spot) < SAME_SPOT]
    if found:
        return min(found)
    firsts.setdefault((column, row), []).append((number, spot))
    return number, spot


def _dots(guests: Sequence[MapGuest], spots: Sequence[Spot]) -> tuple[MapDots, ...]:
    paths: dict[int, list[str]] = {}
    for guest, (x, y) in zip(guests, spots, strict=True):
        paths.setdefault(guest.table, []).append(f"M{x:g} {y:g}h0")
    return tuple(MapDots(table, "".join(path)) for table, path in sorted(paths.items()))


def _with_labels(marks: Sequence[MapMark]) -> list[MapMark]:
    """Give names a place right, left or above their mark, as long as nothing is covered."""
    owns: list[Box] = [(m.x - MARK, m.y - MARK, m.x + MARK, m.y + MARK) for m in marks]
    taken = Boxes(owns)
    labelled = []
    for mark, own in zip(marks, owns, strict=True):
        label = shorten(mark.name)
        wide = width(label, LABEL_SIZE)
        for anchor, box in _places(mark, wide):
            if _is_inside(box) and taken.is_free(box, own):
                taken.take(box)
                labelled.append(MapMark(mark.x, mark.y, mark.table, mark.name, label, anchor, wide))
                break
        else:
            labelled.append(mark)
    return labelled


def _places(mark: MapMark, wide: float) -> Iterator[tuple[str, Box]]:
    top, bottom = mark.y - LABEL_HEIGHT / 2, mark.y + LABEL_HEIGHT / 2
    yield "start", (mark.x + 10, top, mark.x + 10 + wide, bottom)
    yield "end", (mark.x - 10 - wide, top, mark.x - 10, bottom)
    above = mark.y - 11 - LABEL_HEIGHT + 3
    yield "middle", (mark.x - wide / 2, above, mark.x + wide / 2, above + LABEL_HEIGHT)


def _is_inside(box: Box) -> bool:
    return box[0] >= 0 and box[1] >= 0 and box[2] <= MAP_WIDTH and box[3] <= MAP_HEIGHT
