"""/events/{event}/room: its size, what stands in it, its picture, and where the tables stand."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Depends, Request, Response
from pydantic import MISSING, Field

from app.accounts.current_user import ApiAccount
from app.errors import FieldError, Invalid
from app.events.context import ApiEditorContext, ApiViewerContext
from app.events.list_etags import MatchOfList, set_version
from app.files.images import EncodedImage, ImageError
from app.tables import placing, rooms
from app.tables.api.tables import TableList, TableOut
from app.tables.entries import MAX_TABLES
from app.tables.room_items import MAX_ITEMS, MAX_TEXT, RoomItem
from app.tables.rooms import RoomEntry, RoomView
from app.web.deps import Uploads
from app.web.images import IMAGE_ANSWERS, IMAGE_BODY, decode_image, image_answer, image_of_body
from app.web.json_api.conditional import Match, etag
from app.web.json_api.schemas import Answer, Body, Id, given
from app.web.one_hop import Router

router = Router(prefix="/api/v1/events/{event_id}/room", tags=["room"])

UNITS = "in floor units, 60 to the metre"
Kind = Literal["door", "dance_floor", "stage", "bar", "label", "wall"]
Length = Annotated[float, Field(description=f"Size {UNITS}")]
Place = Annotated[float, Field(description=f"Position of its centre {UNITS}")]


class ItemIn(Body):
    """Something in the room that is not a table. Without an id it is new."""

    id: str = Field(default="", max_length=40)
    kind: Kind
    x: Place
    y: Place
    width: Length
    height: Length
    rotation: float = Field(default=0.0, description="Degrees clockwise")
    text: str = Field(default="", max_length=MAX_TEXT)

    def item(self) -> RoomItem:
        """Return the item as the services take it."""
        return RoomItem(self.kind, self.x, self.y, self.width, self.height, self.rotation, self.text, self.id)


class RoomPatch(Body):
    """What to change about the room."""

    width: Length | MISSING | None = Field(default=MISSING, description=f"{UNITS}; null means as wide as needed")
    height: Length | MISSING | None = Field(default=MISSING, description=f"{UNITS}; null means as high as needed")
    items: Annotated[list[ItemIn], Field(max_length=MAX_ITEMS)] | MISSING = Field(
        default=MISSING, description="All items of the room; the ones you leave out are deleted"
    )
    background_width: float | MISSING | None = Field(
        default=MISSING, description="How many metres the background image shows from left to right"
    )
    background_opacity: float | MISSING = Field(default=MISSING, description="From 0, invisible, to 1")

    def entry(self) -> RoomEntry:
        """Return what was sent as the services take it; what was left out is unset."""
        items = given(self.items)
        return RoomEntry(
            given(self.width),
            given(self.height),
            [item.item() for item in items] if isinstance(items, list) else items,
            given(self.background_width),
            given(self.background_opacity),
        )


class ItemOut(Answer):
    """Something in the room that is not a table."""

    id: str
    kind: str
    x: float
    y: float
    width: float
    height: float
    rotation: float
    text: str


class BackgroundOut(Answer):
    """The background image; its top left corner is that of the room."""

    media_type: str
    pixel_width: int
    pixel_height: int
    width: float = Field(description=f"Size {UNITS}")
    height: float


class RoomOut(Answer):
    """A room."""

    width: float | None
    height: float | None
    items: list[ItemOut]
    background_width: float | None
    background_opacity: float
    background: BackgroundOut | None


class PlacingIn(Body):
    """A new place of a table; null x and y let the automatic layout choose."""

    id: Id
    x: Place | None
    y: Place | None
    rotation: float | None = Field(default=None, description="Degrees clockwise; left out, the table stays as it is")


class LayoutIn(Body):
    """New places of some of the tables."""

    tables: Annotated[list[PlacingIn], Field(max_length=MAX_TABLES)]


class ArrangeIn(Body):
    """How to lay out the tables."""

    proportion: Annotated[float, Field(ge=0.2, le=5)] = Field(
        default=placing.USUAL_PROPORTION, description="Width by height; only used for a room without a size"
    )


@router.get("")
def show_room(ctx: ApiViewerContext, response: Response) -> RoomOut:
    """Retrieve the room."""
    return _answer(rooms.read_room(ctx), response)


@router.patch("")
def change_room(ctx: ApiEditorContext, match: Match, body: RoomPatch, response: Response) -> RoomOut:
    """Update the room."""
    ctx.hold()
    match.check(rooms.read_room(ctx))
    return _answer(rooms.change_room(ctx, body.entry()), response)


@router.patch("/layout")
def change_layout(ctx: ApiEditorContext, match: MatchOfList, body: LayoutIn, response: Response) -> TableList:
    """Move and turn tables in one transaction. If-Match is the ETag of the list of tables."""
    match.hold(ctx, "tables")
    found = placing.move_tables(ctx, [placing.Placing(one.id, one.x, one.y, one.rotation) for one in body.tables])
    set_version(response, ctx.session, ctx.event_id, "tables")
    return TableList(tables=[TableOut.model_validate(table) for table in found], next=None)


@router.post("/arrange")
def arrange_tables(ctx: ApiEditorContext, response: Response, body: ArrangeIn | None = None) -> TableList:
    """Place all tables again by the automatic layout."""
    found = placing.arrange_tables(ctx, (body or ArrangeIn()).proportion)
    set_version(response, ctx.session, ctx.event_id, "tables")
    return TableList(tables=[TableOut.model_validate(table) for table in found], next=None)


async def read_image(request: Request, uploads: Uploads, account: ApiAccount) -> EncodedImage | ImageError:
    """Read and rewrite the image before the session of the request begins."""
    return await decode_image(await image_of_body(request), uploads, account)


@router.put("/background", openapi_extra={"requestBody": IMAGE_BODY})
def put_background(
    ctx: ApiEditorContext,
    match: Match,
    image: Annotated[EncodedImage | ImageError, Depends(read_image)],
    response: Response,
) -> RoomOut:
    """Set the background image, a PNG or JPEG. Metadata is removed. If-Match is the ETag of the room."""
    ctx.hold()
    match.check(rooms.read_room(ctx))
    if isinstance(image, ImageError):
        raise Invalid(FieldError("file", str(image)))
    return _answer(rooms.set_background(ctx, image), response)


@router.get("/background", response_class=Response, responses=IMAGE_ANSWERS)
def show_background(request: Request, ctx: ApiViewerContext) -> Response:
    """Retrieve the background image."""
    return image_answer(request, rooms.read_background(ctx))


@router.delete("/background", status_code=204)
def remove_background(ctx: ApiEditorContext, match: Match) -> None:
    """Delete the background image. If-Match is the ETag of the room."""
    ctx.hold()
    match.check(rooms.read_room(ctx))
    rooms.remove_background(ctx)


def _answer(room: RoomView, response: Response) -> RoomOut:
    response.headers["ETag"] = etag(room)
    return RoomOut.model_validate(room)
