"""Tables without the names around them: as large as they can be drawn at their places, so that seats can be read."""

from __future__ import annotations

from itertools import combinations
from math import hypot

from app.plans.drawing.boxes import Box
from app.plans.drawing.floor import Floor
from app.plans.drawing.table import DrawnTable
from app.tables.room_items import RoomItem
from app.tables.shapes import SEAT_RADIUS

LARGEST = 2.2
APART = 0.92
"""How much of the room between two neighbours their tables may take."""
EDGE = 4.0


def enlarge(floor: Floor) -> tuple[float, Box | None]:
    """Return how many times larger its tables can be drawn, and the part of the floor (left, top, width, height).

    A room with an outline has a real size, so its tables stay as they are, and so does the part.
    """
    if floor.outline or not floor.tables:
        return 1.0, None
    growth = max(1.0, min([LARGEST, *(APART * one for one in _limits(floor))]))
    boxes = [_around(table, growth) for table in floor.tables] + [_of_item(item) for item in floor.items]
    left, top = min(box[0] for box in boxes) - EDGE, min(box[1] for box in boxes) - EDGE
    right, bottom = max(box[2] for box in boxes) + EDGE, max(box[3] for box in boxes) + EDGE
    return growth, (left, top, right - left, bottom - top)


def _limits(floor: Floor) -> list[float]:
    """Return for each two neighbours, and each table beside an item, how much larger they can be."""
    found = [_between(one, other) for one, other in combinations(floor.tables, 2)]
    return found + [_beside(table, item) for table in floor.tables for item in floor.items]


def _between(one: DrawnTable, other: DrawnTable) -> float:
    (wide, high), (other_wide, other_high) = _reach(one), _reach(other)
    across, down = abs(one.x - other.x), abs(one.y - other.y)
    are_round = one.outline.form != "box" and other.outline.form != "box"
    far = hypot(across, down) / (max(wide, high) + max(other_wide, other_high)) if are_round else 0.0
    return max(across / (wide + other_wide), down / (high + other_high), far)


def _beside(table: DrawnTable, item: RoomItem) -> float:
    (wide, high), (left, top, right, bottom) = _reach(table), _of_item(item)
    across = max(left - table.x, table.x - right, 0.0)
    down = max(top - table.y, table.y - bottom, 0.0)
    return max(across / wide, down / high)


def _reach(table: DrawnTable) -> tuple[float, float]:
    """Return half of what the table takes with its seats, across and down."""
    across, down = table.outline.extent
    seats = [(abs(seat.x) + SEAT_RADIUS, abs(seat.y) + SEAT_RADIUS) for seat in table.seats]
    return max([across, *(x for x, _ in seats)]), max([down, *(y for _, y in seats)])


def _around(table: DrawnTable, growth: float) -> Box:
    wide, high = _reach(table)
    return table.x - growth * wide, table.y - growth * high, table.x + growth * wide, table.y + growth * high


def _of_item(item: RoomItem) -> Box:
    half = hypot(item.width, item.height) / 2 if item.rotation % 180 else 0.0
    wide, high = half or item.width / 2, half or item.height / 2
    return item.x - wide, item.y - high, item.x + wide, item.y + high
