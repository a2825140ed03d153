"""The floor of a plan as a drawing: the room and its tables, in floor units, 60 to the metre. Pure geometry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from app.plans.drawing.boxes import Box
from app.plans.drawing.table import DrawnTable, FloorTable, draw_table
from app.tables.layout import Frame, arrange
from app.tables.shapes import METRE, Outline

SMALLEST_SCALE = 0.85  # names of 12 units never get smaller than 10 px
USUAL_PROPORTION = 1.5
MARGIN = 16.0


class RoomItem(NamedTuple):
    """Something in the room that is no table; x and y are its middle, lengths are in floor units."""

    key: str
    kind: str
    x: float
    y: float
    width: float
    height: float
    rotation: float = 0.0
    text: str = ""

    @property
    def is_upright(self) -> bool:
        """Whether its text runs upwards, because it is much higher than wide."""
        left, top, right, bottom = box_of(self)
        return bottom - top > 2 * (right - left)


class Background(NamedTuple):
    """A picture of the room's plan under everything else, its corner at that of the room."""

    address: str
    width: float
    height: float
    opacity: float = 0.5


class FloorRoom(NamedTuple):
    """The room to draw the tables in; without a size it is as large as they need."""

    width: float | None = None
    height: float | None = None
    items: tuple[RoomItem, ...] = ()
    background: Background | None = None


@dataclass(frozen=True)
class Floor:
    """The whole drawing; `outline` is the room, if its size is known."""

    left: float
    top: float
    width: float
    height: float
    tables: tuple[DrawnTable, ...]
    outline: Box | None = None
    items: tuple[RoomItem, ...] = ()
    background: Background | None = None

    @property
    def least_width(self) -> int:
        """The width in pixels below which names could not be read; a smaller screen scrolls."""
        return round(self.width * SMALLEST_SCALE)


def draw_floor(
    tables: Sequence[FloorTable], room: FloorRoom | None = None, proportion: float = USUAL_PROPORTION
) -> Floor:
    """Draw tables where they stand; those without a place stand in rows that suit the room or the `proportion`."""
    room = room or FloorRoom()
    drawn = [draw_table(table) for table in tables]
    loose = [number for number, table in enumerate(tables) if table.x is None or table.y is None]
    placed = [
        replace(one, x=table.x, y=table.y, is_placed=True)
        for one, table in zip(drawn, tables, strict=True)
        if table.x is not None and table.y is not None
    ]
    frame = _frame(room, proportion)
    spots = arrange(
        tuple(drawn[number].reach for number in loose),
        frozenset(place for place, number in enumerate(loose) if _is_head(tables[number], drawn[number])),
        frame,
    )
    left = min((one.box[0] for one in placed), default=0.0)
    below = max((one.box[3] for one in placed), default=0.0) if placed else 0.0
    at = {number: (left + x, below + y) for number, (x, y) in zip(loose, spots, strict=True)}
    fixed = iter(placed)
    whole = [replace(one, x=at[n][0], y=at[n][1]) if n in at else next(fixed) for n, one in enumerate(drawn)]
    return _framed(whole, room, proportion)


def _is_head(table: FloorTable, drawn: DrawnTable) -> bool:
    """Say whether a table belongs at the top of the room: a head table that faces it."""
    return table.shape == "head" and drawn.reach.width > drawn.reach.height


def _frame(room: FloorRoom, proportion: float) -> Frame:
    if room.width and room.height:
        return Frame(room.width / room.height, room.width, room.height)
    return Frame(proportion)


def _framed(tables: Sequence[DrawnTable], room: FloorRoom, proportion: float) -> Floor:
    outline = (0.0, 0.0, room.width, room.height) if room.width and room.height else None
    boxes = [table.box for table in tables] + [box_of(item) for item in room.items] + ([outline] if outline else [])
    if room.background:
        boxes.append((0.0, 0.0, room.background.width, room.background.height))
    left = min((box[0] for box in boxes), default=0.0) - MARGIN
    top = min((box[1] for box in boxes), default=0.0) - MARGIN
    width = max((box[2] for box in boxes), default=0.0) + MARGIN - left
    height = max((box[3] for box in boxes), default=0.0) + MARGIN - top
    # As much room on all sides as the proportions ask for, and a single table is not blown up to fill a window.
    wide = max(width, height * proportion, 10 * METRE)
    tall = max(height, wide / proportion)
    return Floor(
        left - (wide - width) / 2,
        top - (tall - height) / 2,
        wide,
        tall,
        tuple(tables),
        outline,
        room.items,
        room.background,
    )


def box_of(item: RoomItem) -> Box:
    """Return the room that a turned item takes."""
    across, down = Outline("box", item.width / 2, item.height / 2, (), item.rotation).extent
    return item.x - across, item.y - down, item.x + across, item.y + down
