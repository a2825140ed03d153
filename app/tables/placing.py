"""Where tables stand: moved and turned by hand, or all of them laid out again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from app.db.models import Table
from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.tables import queries
from app.tables.entries import MAX_PLACE, full_turn
from app.tables.free_space import find_free_spot
from app.tables.layout import Reach, arrange, is_head, place_all
from app.tables.room_items import RoomItem
from app.tables.rooms import read_room
from app.tables.shapes import SEAT_RADIUS, Outline, outline_of

NAME_WIDTH, NAME_HEIGHT = 84.0, 34.0  # room for a usual name beside, above or below a seat
SIDEWAYS = 0.35  # of the direction of a seat: from there on its name stands beside it
USUAL_PROPORTION = 1.5


@dataclass(frozen=True)
class Placing:
    """A new place of a table; without a rotation it stays as it is turned."""

    table_id: UUID
    x: float | None
    y: float | None
    rotation: float | None = None


def move_tables(ctx: EventContext, placings: Sequence[Placing]) -> Sequence[Table]:
    """Move and turn several tables in one go, and return all tables; either all of it is done or nothing."""
    ctx.edit(only="tables")
    tables = queries.tables_of(ctx.session, ctx.event_id)
    known = {table.id: table for table in tables}
    faults = [fault for place, one in enumerate(placings) for fault in _faults(one, known, f"tables/{place}/")]
    first = {one.table_id: place for place, one in reversed(list(enumerate(placings)))}
    faults += [
        FieldError(f"tables/{place}/id", "Duplicate table.")
        for place, one in enumerate(placings)
        if place > first[one.table_id]
    ]
    if faults:
        raise Invalid(faults[:100])
    for one in placings:
        table = known[one.table_id]
        table.x, table.y = one.x, one.y
        if one.rotation is not None:
            table.rotation = full_turn(one.rotation)
    ctx.session.flush()
    return tables


def _faults(one: Placing, known: dict[UUID, Table], where: str) -> list[FieldError]:
    if one.table_id not in known:
        return [FieldError(f"{where}id", "Table not found in this event.")]
    values = {"x": one.x, "y": one.y, "rotation": one.rotation}
    return [
        FieldError(f"{where}{name}", f"This must be between −{MAX_PLACE:,} and {MAX_PLACE:,}.")
        for name, value in values.items()
        if value is not None and not abs(value) <= MAX_PLACE
    ]


def arrange_tables(ctx: EventContext, proportion: float = USUAL_PROPORTION) -> Sequence[Table]:
    """Place all tables again by the automatic layout; the `proportion` counts in a room without a size."""
    ctx.edit(only="tables")
    tables = queries.tables_of(ctx.session, ctx.event_id)
    outlines = [outline_of(t.shape, t.seats, t.rotation, t.end_seats) for t in tables]
    reaches = tuple(reach_with_names(outline) for outline in outlines)
    heads = frozenset(place for place, table in enumerate(tables) if is_head(table.shape, reaches[place]))
    spots = arrange(reaches, heads, read_room(ctx).frame(proportion))
    for table, (x, y) in zip(tables, spots, strict=True):
        table.x, table.y = round(x, 1), round(y, 1)
    ctx.session.flush()
    return tables


def free_spot(ctx: EventContext, item: RoomItem, proportion: float = USUAL_PROPORTION) -> RoomItem:
    """Return a new item where nothing stands yet, as near to the middle of the room as can be."""
    room, tables = read_room(ctx), queries.tables_of(ctx.session, ctx.event_id)
    reaches = [reach_with_names(outline_of(t.shape, t.seats, t.rotation, t.end_seats)) for t in tables]
    spots = [(t.x, t.y) if t.x is not None and t.y is not None else None for t in tables]
    heads = {place for place, table in enumerate(tables) if is_head(table.shape, reaches[place])}
    at = place_all(reaches, spots, heads, room.frame(proportion))
    taken = [(x - r.left, y - r.up, x + r.right, y + r.down) for (x, y), r in zip(at, reaches, strict=True)]
    left, top, right, bottom = replace(item, x=0.0, y=0.0).drawn_box
    outline = room.outline
    x, y = find_free_spot(right - left, bottom - top, [*taken, *(one.drawn_box for one in room.items)], outline)
    return replace(item, x=round(x - (left + right) / 2, 1), y=round(y - (top + bottom) / 2, 1))


def reach_with_names(outline: Outline) -> Reach:
    """Return how far a table reaches with usual names at all of its seats."""
    across, down = outline.extent
    left = right = across
    up = below = down
    for seat in outline.seats:
        beside = NAME_WIDTH if abs(seat.out_x) >= SIDEWAYS else NAME_WIDTH / 2
        right = max(right, seat.x + SEAT_RADIUS + beside * (seat.out_x > -SIDEWAYS))
        left = max(left, -seat.x + SEAT_RADIUS + beside * (seat.out_x < SIDEWAYS))
        up = max(up, -seat.y + SEAT_RADIUS + NAME_HEIGHT * (seat.out_y < 0))
        below = max(below, seat.y + SEAT_RADIUS + NAME_HEIGHT * (seat.out_y > 0))
    return Reach(left, up, right, below)
