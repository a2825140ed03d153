"""The floor of a plan as a drawing: the room and its tables, in floor units, 60 to the metre. Pure geometry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.plans.drawing.boxes import Box
from app.plans.drawing.table import DrawnTable, FloorTable, draw_table
from app.tables.layout import is_head, place_all
from app.tables.room_items import RoomItem
from app.tables.rooms import BackgroundView, RoomView
from app.tables.shapes import METRE

SMALLEST_SCALE = 0.85  # names of 12 units never get smaller than 10 px
USUAL_PROPORTION = 1.5
WORKSPACE_PROPORTION = 1.7  # of the room beside the panel, in a window of usual size
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
    spots = [(t.x, t.y) if t.x is not None and t.y is not None else None for t in tables]
    heads = {n for n, one in enumerate(drawn) if is_head(tables[n].shape, one.reach)}
    at = place_all([one.reach for one in drawn], spots, heads, room.frame(proportion))
    whole = [
        replace(one, x=x, y=y, is_placed=spot is not None) for one, (x, y), spot in zip(drawn, at, spots, strict=True)
    ]
    return _framed(whole, room, proportion)


def _framed(tables: Sequence[DrawnTable], room: RoomView, proportion: float) -> Floor:
    left, top, width, height = room.view_box([table.box for table in tables])
    # As much room on all sides as the proportions ask for, and a single table is not blown up to fill a window.
    wide = max(width, height * proportion, 10 * METRE)
    tall = max(height, wide / proportion)
    return Floor(
        left - (wide - width) / 2,
        top - (tall - height) / 2,
        wide,
        tall,
        tuple(tables),
        room.outline,
        room.items,
        room.background,
    )
