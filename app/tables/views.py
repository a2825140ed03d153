"""The room as its page shows it: a small drawing with tables and seats, without guests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.db.models import Table
from app.tables.layout import Box, is_head, place_all
from app.tables.placing import USUAL_PROPORTION, reach_with_names
from app.tables.room_items import RoomItem
from app.tables.rooms import BackgroundView, RoomView
from app.tables.shapes import Outline, outline_of
from app.web.html.text_metrics import fit_title


class FreeSeat(NamedTuple):
    """A seat without a guest, relative to the middle of its table."""

    number: int
    x: float
    y: float
    sitter: None = None
    label: None = None
    blocked: bool = False


class TablePreview(NamedTuple):
    """A table at its place."""

    table: Table
    x: float
    y: float
    outline: Outline
    title: tuple[str, ...]
    small_title: bool
    seats: tuple[FreeSeat, ...]


@dataclass(frozen=True)
class RoomPreview:
    """The drawing; its view box is left, top, width and height."""

    view_box: Box
    tables: Sequence[TablePreview]
    outline: Box | None
    items: Sequence[RoomItem]
    background: BackgroundView | None


def preview_room(room: RoomView, tables: Sequence[Table]) -> RoomPreview:
    """Draw the room with its tables where they stand, or would stand by themselves."""
    outlines = [outline_of(t.shape, t.seats, t.rotation, t.end_seats) for t in tables]
    reaches = [reach_with_names(outline) for outline in outlines]
    spots = [(t.x, t.y) if t.x is not None and t.y is not None else None for t in tables]
    heads = {place for place, table in enumerate(tables) if is_head(table.shape, reaches[place])}
    at = place_all(reaches, spots, heads, room.frame(USUAL_PROPORTION))
    boxes = [(x - r.left, y - r.up, x + r.right, y + r.down) for (x, y), r in zip(at, reaches, strict=True)]
    drawn = [_preview(table, outline, *spot) for table, outline, spot in zip(tables, outlines, at, strict=True)]
    return RoomPreview(room.view_box(boxes), drawn, room.outline, room.items, room.background)


def _preview(table: Table, outline: Outline, x: float, y: float) -> TablePreview:
    seats = tuple(FreeSeat(number, seat.x, seat.y) for number, seat in enumerate(outline.seats))
    return TablePreview(table, x, y, outline, *fit_title(table.name, outline.title_width), seats)
