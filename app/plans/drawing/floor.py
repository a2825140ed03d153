"""The floor of a plan as a drawing: the room and its tables, in floor units, 60 to the metre. Pure geometry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.plans.drawing.boxes import Box
from app.plans.drawing.table import DrawnTable, FloorTable, draw_table
from app.tables.layout import Frame, arrange
from app.tables.room_items import RoomItem
from app.tables.rooms import BackgroundView, RoomView
from app.tables.shapes import METRE

SMALLEST_SCALE = 0.85  # names of 12 units never get smaller than 10 px
USUAL_PROPORTION = 1.5
MARGIN = 16.0
EMPTY_ROOM = RoomView()


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
    background: BackgroundView | None = None

    @property
    def least_width(self) -> int:
        """The width in pixels below which names could not be read; a smaller screen scrolls."""
        return round(self.width * SMALLEST_SCALE)


def draw_floor(
    tables: Sequence[FloorTable], room: RoomView = EMPTY_ROOM, proportion: float = USUAL_PROPORTION
) -> Floor:
    """Draw tables where they stand; those without a place stand in rows that suit the room or the `proportion`."""
    drawn = [draw_table(table) for table in tables]
    loose = [number for number, table in enumerate(tables) if table.x is None or table.y is None]
    placed = [
        replace(one, x=table.x, y=table.y, is_placed=True)
        for one, table in zip(drawn, tables, strict=True)
        if table.x is not None and table.y is not None
    ]
    frame = room.frame(proportion)
    left, below = 0.0, 0.0
    if placed:  # the others stand below all of these
        left = min(one.box[0] for one in placed)
        below = max(box[3] for box in [*(one.box for one in placed), *frame.blocked])
        frame = Frame(frame.proportion)
    spots = arrange(
        tuple(drawn[number].reach for number in loose),
        frozenset(place for place, number in enumerate(loose) if _is_head(tables[number], drawn[number])),
        frame,
    )
    at = {number: (left + x, below + y) for number, (x, y) in zip(loose, spots, strict=True)}
    fixed = iter(placed)
    whole = [replace(one, x=at[n][0], y=at[n][1]) if n in at else next(fixed) for n, one in enumerate(drawn)]
    return _framed(whole, room, proportion)


def _is_head(table: FloorTable, drawn: DrawnTable) -> bool:
    """Say whether a table belongs at the top of the room: a head table that faces it."""
    return table.shape == "head" and drawn.reach.width > drawn.reach.height


def _framed(tables: Sequence[DrawnTable], room: RoomView, proportion: float) -> Floor:
    outline = (0.0, 0.0, room.width, room.height) if room.width and room.height else None
    boxes = [table.box for table in tables] + [item.box for item in room.items] + ([outline] if outline else [])
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
