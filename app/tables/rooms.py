"""The room of an event: its size, what stands in it, and the picture of its plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from app.db.models import Room, RoomBackground
from app.errors import FieldError, Invalid, NotFound
from app.events.context import EventContext
from app.files.images import EncodedImage
from app.tables import queries
from app.tables.layout import Box, Frame
from app.tables.room_items import MAX_SIZE, NO_TABLES, RoomItem, check_items, read_items, store_items
from app.tables.shapes import METRE
from app.web.unset import UNSET, Unset

T = TypeVar("T")
LEAST_SIZE = METRE
MARGIN = 16.0  # around a drawing of the room
USUAL_METRES = 20.0
"""What a picture shows from left to right, as long as nobody has said it and the room has no size."""
MAX_METRES = MAX_SIZE / METRE


@dataclass(frozen=True)
class BackgroundView:
    """What is known about the picture without its bytes; sizes are in floor units."""

    address: str
    media_type: str
    pixel_width: int
    pixel_height: int
    width: float
    height: float
    opacity: float


@dataclass(frozen=True)
class RoomView:
    """A room, sizes in floor units; version 0 as long as nothing is stored."""

    version: int = 0
    width: float | None = None
    height: float | None = None
    items: tuple[RoomItem, ...] = ()
    background_width: float | None = None
    background_opacity: float = 0.5
    background: BackgroundView | None = None

    @property
    def outline(self) -> Box | None:
        """The walls around the room, if its size is known."""
        return (0.0, 0.0, self.width, self.height) if self.width and self.height else None

    def view_box(self, tables: Sequence[Box]) -> Box:
        """Return left, top, width and height of a drawing that shows the room with all that stands in it."""
        boxes = [*tables, *(item.drawn_box for item in self.items), *([self.outline] if self.outline else [])]
        if self.background:
            boxes.append((0.0, 0.0, self.background.width, self.background.height))
        left = min((box[0] for box in boxes), default=0.0) - MARGIN
        top = min((box[1] for box in boxes), default=0.0) - MARGIN
        right, bottom = max((box[2] for box in boxes), default=0.0), max((box[3] for box in boxes), default=0.0)
        return left, top, right + MARGIN - left, bottom + MARGIN - top

    def frame(self, proportion: float) -> Frame:
        """Return the frame that tables are laid out in; the `proportion` counts where the room has no size."""
        blocked = tuple(item.box for item in self.items if item.kind in NO_TABLES)
        if self.width and self.height:
            return Frame(self.width / self.height, self.width, self.height, blocked)
        return Frame(proportion, blocked=blocked)


@dataclass(frozen=True)
class ItemPlace:
    """Where an item stands, how large it is and how it is turned; in floor units and degrees."""

    x: float
    y: float
    width: float
    height: float
    rotation: float = 0.0


@dataclass(frozen=True)
class RoomEntry:
    """What to change about a room; what is left out stays."""

    width: float | Unset | None = UNSET
    height: float | Unset | None = UNSET
    items: Sequence[RoomItem] | Unset = UNSET
    background_width: float | Unset | None = UNSET
    background_opacity: float | Unset = UNSET


def read_room(ctx: EventContext) -> RoomView:
    """Return the room; an event that has none stored has an empty one."""
    room = queries.room_of(ctx.session, ctx.event_id)
    if room is None:
        return RoomView()
    return RoomView(
        room.version,
        room.width,
        room.height,
        read_items(room.items),
        room.background_width,
        room.background_opacity,
        _background(room, queries.background_of(ctx.session, ctx.event_id)),
    )


def _background(room: Room, picture: RoomBackground | None) -> BackgroundView | None:
    if picture is None:
        return None
    width = room.background_width * METRE if room.background_width else room.width or USUAL_METRES * METRE
    height = width * picture.pixel_height / picture.pixel_width
    return BackgroundView(
        f"/events/{picture.event_id}/room/background?v={picture.digest}",
        picture.media_type,
        picture.pixel_width,
        picture.pixel_height,
        width,
        height,
        room.background_opacity,
    )


def change_room(ctx: EventContext, entry: RoomEntry) -> RoomView:
    """Change the room; what the entry leaves out stays."""
    faults = [*_size_faults("width", entry.width), *_size_faults("height", entry.height)]
    if isinstance(entry.background_width, float | int) and not 0.5 <= entry.background_width <= MAX_METRES:
        faults.append(
            FieldError("background_width", f"The picture must show between 0.5 and {MAX_METRES:,.0f} metres.")
        )
    if isinstance(entry.background_opacity, float | int) and not 0 <= entry.background_opacity <= 1:
        faults.append(FieldError("background_opacity", "The opacity must be between 0 and 1."))
    if faults:
        raise Invalid(faults)
    items = entry.items if isinstance(entry.items, Unset) else check_items(entry.items)
    ctx.edit(only="tables")
    room = _stored_room(ctx)
    room.width, room.height = _given(entry.width, room.width), _given(entry.height, room.height)
    room.background_width = _given(entry.background_width, room.background_width)
    room.background_opacity = _given(entry.background_opacity, room.background_opacity)
    if not isinstance(items, Unset):
        room.items = store_items(items)
    ctx.session.flush()
    return read_room(ctx)


def put_item(ctx: EventContext, item: RoomItem) -> RoomView:
    """Change the item that has this id, or add one without an id."""
    ctx.edit(only="tables")
    items = read_room(ctx).items
    if not item.id:
        return change_room(ctx, RoomEntry(items=[*items, item]))
    return _with_item(ctx, item.id, lambda _: [item])


def place_item(ctx: EventContext, item_id: str, place: ItemPlace) -> RoomItem:
    """Move, turn or resize an item; return it as it was before."""
    before: list[RoomItem] = []

    def change(item: RoomItem) -> list[RoomItem]:
        before.append(item)
        return [replace(item, **vars(place))]

    _with_item(ctx, item_id, change)
    return before[0]


def remove_item(ctx: EventContext, item_id: str) -> RoomView:
    """Remove an item."""
    return _with_item(ctx, item_id, lambda _: [])


def _with_item(ctx: EventContext, item_id: str, change: Callable[[RoomItem], list[RoomItem]]) -> RoomView:
    ctx.edit(only="tables")
    items = read_room(ctx).items
    if item_id not in [item.id for item in items]:
        raise NotFound("Item not found in this room.")
    changed = [new for item in items for new in (change(item) if item.id == item_id else [item])]
    return change_room(ctx, RoomEntry(items=changed))


def set_background(ctx: EventContext, image: EncodedImage) -> RoomView:
    """Put a picture under the tables, in place of an earlier one. It was decoded before the transaction began."""
    ctx.edit(only="tables")
    picture = queries.background_of(ctx.session, ctx.event_id) or RoomBackground(event_id=ctx.event_id)
    picture.media_type, picture.image, picture.digest = image.media_type, image.data, image.digest
    picture.pixel_width, picture.pixel_height = image.width, image.height
    ctx.session.add(picture)
    _count_version(ctx)
    return read_room(ctx)


def remove_background(ctx: EventContext) -> RoomView:
    """Remove the picture; without one nothing happens."""
    ctx.edit(only="tables")
    picture = queries.background_of(ctx.session, ctx.event_id)
    if picture is not None:
        ctx.session.delete(picture)
        _count_version(ctx)
    return read_room(ctx)


def read_background(ctx: EventContext) -> RoomBackground:
    """Return the picture with its bytes."""
    picture = queries.background_of(ctx.session, ctx.event_id)
    if picture is None:
        raise NotFound("This room has no background image.")
    return picture


def _count_version(ctx: EventContext) -> None:
    room = _stored_room(ctx)
    queries.touch(room)  # the picture is part of what the version stands for
    ctx.session.flush()


def _stored_room(ctx: EventContext) -> Room:
    room = queries.room_of(ctx.session, ctx.event_id)
    if room is None:
        room = Room(event_id=ctx.event_id, items=[], background_opacity=0.5)
        ctx.session.add(room)
    return room


def _size_faults(side: str, value: float | Unset | None) -> list[FieldError]:
    if not isinstance(value, float | int) or LEAST_SIZE <= value <= MAX_SIZE:
        return []
    return [FieldError(side, f"The room's {side} must be between 1 and {MAX_METRES:,.0f} metres.")]


def _given(value: T | Unset, otherwise: T) -> T:
    return otherwise if isinstance(value, Unset) else value
