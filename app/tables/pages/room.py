"""The room of an event: its size, what stands in it, its picture. Lengths are typed in metres."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Form, Request, Response
from pydantic import BaseModel

from app.accounts.current_user import Account
from app.db.models import Event
from app.errors import FieldError, Invalid
from app.events.context import EditorContext, EventContext, ViewerContext
from app.files.images import EncodedImage, ImageError
from app.tables import placing, rooms
from app.tables.edit import list_tables
from app.tables.pages.metres import read_metres, write_metres
from app.tables.room_items import KINDS, SIZES, RoomItem
from app.tables.rooms import RoomEntry, RoomView
from app.tables.shapes import METRE
from app.tables.views import RoomPreview, preview_room
from app.web.deps import Uploads, guard_form
from app.web.html.forms import check_version
from app.web.html.rendering import event_address, redirect, render
from app.web.images import decode_image, image_answer, image_of_form
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}/room", dependencies=[Depends(guard_form)])
MOST_DRAWN = 100  # tables in the small drawing
DONE = {"saved": "Room saved.", "arranged": "Tables arranged again.", "picture": "Background image saved."}


class RoomForm(BaseModel):
    """The room as typed."""

    width: str = ""
    height: str = ""
    background_width: str = ""
    background_opacity: str = "50"
    version: int | None = None

    def entry(self) -> RoomEntry:
        """Return what was typed as the services take it."""
        opacity = read_metres(self.background_opacity, "background_opacity", "The strength")
        background = read_metres(self.background_width, "background_width", "The width of the image")
        return RoomEntry(
            _units(read_metres(self.width, "width", "The width")),
            _units(read_metres(self.height, "height", "The length")),
            background_width=background,
            background_opacity=0.5 if opacity is None else opacity / 100,
        )


class ItemForm(BaseModel):
    """An item as typed; what is left empty gets its usual size, and a free place in the room."""

    id: str = ""
    kind: str = "dance_floor"
    text: str = ""
    x: str = ""
    y: str = ""
    item_width: str = ""
    item_height: str = ""
    rotation: str = ""

    def item(self) -> RoomItem:
        """Return what was typed as the services take it."""
        width, height = SIZES.get(self.kind, (1.0, 1.0))
        read = read_metres(self.item_width, "item_width", "The width") or width
        tall = read_metres(self.item_height, "item_height", "The length") or height
        x = read_metres(self.x, "x", "The distance from the left")
        y = read_metres(self.y, "y", "The distance from the top")
        return RoomItem(
            self.kind,
            METRE * (read / 2 if x is None else x),
            METRE * (tall / 2 if y is None else y),
            METRE * read,
            METRE * tall,
            read_metres(self.rotation, "rotation", "The rotation") or 0.0,
            self.text,
            self.id,
        )


@dataclass(frozen=True)
class RoomPage:
    """The room, and its forms with what was entered."""

    event: Event
    room: RoomView
    form: RoomForm
    item: ItemForm
    items: Sequence[ItemForm]
    preview: RoomPreview | None
    kinds: dict[str, str]
    message: str = ""
    faults: Sequence[FieldError] = field(default_factory=tuple)
    section: str = "tables"


@router.get("")
def show_room(request: Request, ctx: EditorContext, done: str = "", item: str = "") -> Response:
    """Show the room and the forms to change it; with `item`, that one stands in its form."""
    return _page(request, ctx, message=DONE.get(done, ""), item=_item_form(rooms.read_room(ctx), item))


@router.post("")
def change_room(request: Request, ctx: EditorContext, form: Annotated[RoomForm, Form()]) -> Response:
    """Save the size and how the picture is shown."""

    def save() -> RoomView:
        check_version(form.version, rooms.read_room(ctx).version)
        return rooms.change_room(ctx, form.entry())

    return _save(request, ctx, save, form=form)


@router.post("/items")
def put_item(request: Request, ctx: EditorContext, form: Annotated[ItemForm, Form()]) -> Response:
    """Add an item, or change one."""
    return _save(request, ctx, lambda: rooms.put_item(ctx, _placed(ctx, form)), item=form)


def _placed(ctx: EventContext, form: ItemForm) -> RoomItem:
    """Return the item that was typed; a new one without a place gets a free one."""
    item = form.item()
    is_new = not form.id and not (form.x.strip() or form.y.strip())
    return placing.free_spot(ctx, item) if is_new and item.kind in KINDS else item


@router.post("/items/{item_id}/remove")
def remove_item(ctx: EditorContext, item_id: str) -> Response:
    """Remove an item."""
    rooms.remove_item(ctx, item_id)
    return redirect(event_address(ctx.event_id, "room?done=saved"))


@router.post("/arrange")
def arrange_tables(ctx: EditorContext) -> Response:
    """Place all tables again."""
    placing.arrange_tables(ctx)
    return redirect(event_address(ctx.event_id, "room?done=arranged"))


async def read_image(request: Request, uploads: Uploads, account: Account) -> EncodedImage | ImageError:
    """Read and rewrite the image before the session of the request begins."""
    return await decode_image(await image_of_form(request), uploads, account)


@router.get("/background")
def show_background(request: Request, ctx: ViewerContext) -> Response:
    """Send the picture."""
    return image_answer(request, rooms.read_background(ctx))


@router.post("/background")
def put_background(
    request: Request,
    ctx: EditorContext,
    image: Annotated[EncodedImage | ImageError, Depends(read_image)],
) -> Response:
    """Set the picture."""
    if isinstance(image, ImageError):
        return _page(request, ctx, faults=[FieldError("file", str(image))])
    rooms.set_background(ctx, image)
    return redirect(event_address(ctx.event_id, "room?done=picture"))


@router.post("/background/remove")
def remove_background(ctx: EditorContext) -> Response:
    """Remove the picture."""
    rooms.remove_background(ctx)
    return redirect(event_address(ctx.event_id, "room?done=saved"))


def _save(
    request: Request,
    ctx: EventContext,
    save: Callable[[], RoomView],
    *,
    form: RoomForm | None = None,
    item: ItemForm | None = None,
) -> Response:
    try:
        with ctx.session.begin_nested():
            save()
    except Invalid as error:
        faults = [FieldError(_field_of(fault.where), fault.message) for fault in error.faults]
        return _page(request, ctx, form=form, item=item, faults=faults)
    return redirect(event_address(ctx.event_id, "room?done=saved"))


def _field_of(where: str) -> str:
    name = where.rpartition("/")[2]
    return f"item_{name}" if where.startswith("items/") and name in ("width", "height") else name


def _page(
    request: Request,
    ctx: EventContext,
    *,
    form: RoomForm | None = None,
    item: ItemForm | None = None,
    message: str = "",
    faults: Sequence[FieldError] = (),
) -> Response:
    room = rooms.read_room(ctx)
    shown = (form or _form(room)).model_copy(update={"version": room.version})
    items = [_item_form(room, one.id) for one in room.items]
    tables = list_tables(ctx)
    preview = preview_room(room, tables) if len(tables) <= MOST_DRAWN and (tables or room.version) else None
    page = RoomPage(ctx.event, room, shown, item or ItemForm(), items, preview, KINDS, message, faults)
    return render(request, "tables/room.html", page, 422 if faults else 200)


def _form(room: RoomView) -> RoomForm:
    return RoomForm(
        width=write_metres(room.width),
        height=write_metres(room.height),
        background_width="" if room.background_width is None else f"{round(room.background_width, 2):g}",
        background_opacity=f"{room.background_opacity * 100:g}",
    )


def _item_form(room: RoomView, item_id: str) -> ItemForm:
    for item in room.items:
        if item.id == item_id:
            return ItemForm(
                id=item.id,
                kind=item.kind,
                text=item.text,
                x=write_metres(item.x),
                y=write_metres(item.y),
                item_width=write_metres(item.width),
                item_height=write_metres(item.height),
                rotation=f"{item.rotation:g}",
            )
    return ItemForm()


def _units(metres: float | None) -> float | None:
    return None if metres is None else metres * METRE
