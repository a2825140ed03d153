"""Where something new finds room on the floor: beside tables and items, and as near to the middle as can be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.tables.layout import Box, Spot
from app.tables.shapes import METRE

STEP = METRE / 2
MOST_STEPS = 80
"""How many places are tried in each direction."""
GAP = METRE / 4


def find_free_spot(width: float, height: float, taken: Sequence[Box], room: Box | None) -> Spot:
    """Return the middle of a free place for a thing of this size; right of everything if the floor is full."""
    if not taken and room is None:
        return width / 2, height / 2
    area = room or _around(taken)
    middle = (area[0] + area[2]) / 2, (area[1] + area[3]) / 2
    free = [spot for spot in _grid(area, width, height) if not _is_taken(_box(spot, width, height), taken)]
    if free:
        return min(free, key=lambda spot: (spot[0] - middle[0]) ** 2 + (spot[1] - middle[1]) ** 2)
    right = max([area[2], *(box[2] for box in taken)])
    return right + GAP + width / 2, middle[1]


def _around(boxes: Sequence[Box]) -> Box:
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )


def _grid(area: Box, width: float, height: float) -> Iterator[Spot]:
    """Yield the middles that keep the thing inside of the area."""
    for x in _steps(area[0] + width / 2, area[2] - width / 2):
        for y in _steps(area[1] + height / 2, area[3] - height / 2):
            yield x, y


def _steps(start: float, end: float) -> Iterator[float]:
    if end < start:
        return
    step = max(STEP, (end - start) / MOST_STEPS)
    number = int((end - start) / step)
    yield from (start + place * step for place in range(number + 1))


def _box(spot: Spot, width: float, height: float) -> Box:
    x, y = spot
    return x - width / 2 - GAP, y - height / 2 - GAP, x + width / 2 + GAP, y + height / 2 + GAP


def _is_taken(box: Box, taken: Sequence[Box]) -> bool:
    left, top, right, bottom = box
    return any(left < one[2] and one[0] < right and top < one[3] and one[1] < bottom for one in taken)
