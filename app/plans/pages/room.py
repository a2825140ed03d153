"""Changes of the room from the workspace: places and turns of tables, their name, size and shape, one more like it.

A script is answered with what undoes the change: where to send which fields.
"""

from __future__ import annotations

import json
from collections.abc import Container
from dataclasses import dataclass, field
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Form, Request, Response
from pydantic import BaseModel, TypeAdapter, ValidationError

from app.db.models import Table
from app.errors import Conflict, ConviveError, FieldError, Invalid
from app.events.context import EditorContext, EventContext
from app.events.queries import revision_of
from app.plans import read as plans
from app.plans.drawing.floor import WORKSPACE_PROPORTION
from app.plans.pages.submissions import is_new
from app.plans.pages.workspace import plan_page, read_extras, render_room
from app.plans.views.page import Chosen, build_page
from app.tables import edit as tables
from app.tables import placing, rooms
from app.tables.entries import TableEntry
from app.tables.pages.table_forms import read_group
from app.tables.placing import Placing
from app.tables.rooms import ItemPlace
from app.web.deps import guard_form
from app.web.html.rendering import event_address, redirect
from app.web.one_hop import Router
from app.web.unset import UNSET

router = Router(prefix="/events/{event_id}/plans/{plan_id}/tables", dependencies=[Depends(guard_form)])


SAVED = "Saved."
NOBODY = "nobody"  # an empty field means that nothing was said


@dataclass(frozen=True)
class Undo:
    """What undoes a change: the address below that of the tables, and the fields to send there."""

    path: str
    fields: dict[str, str] = field(default_factory=dict)


class PlaceForm(BaseModel):
    """Where a table stands, in floor units, and how it is turned; without a place it is placed automatically."""

    table: UUID
    x: float | None
    y: float | None
    rotation: float | None = None


PLACES, ITEM_PLACE = TypeAdapter(list[PlaceForm]), TypeAdapter(ItemPlace)


@router.post("/places")
def place_tables(
    request: Request,
    ctx: EditorContext,
    plan_id: UUID,
    places: Annotated[str, Form()] = "[]",
    is_undo: Annotated[bool, Form()] = False,
    submission: Annotated[str, Form()] = "",
) -> Response:
    """Move and turn tables."""
    plans.require_plan(ctx, plan_id, "editor")
    try:
        found = PLACES.validate_json(places)
    except ValidationError:
        raise Invalid(FieldError("places", "These places could not be read.")) from None
    if not is_new(ctx, submission):
        return _answer(request, ctx, plan_id, SAVED)
    before = _places(ctx, {one.table for one in found})
    placing.move_tables(ctx, [Placing(one.table, one.x, one.y, one.rotation) for one in found])
    return _answer(request, ctx, plan_id, "Undone." if is_undo else SAVED, undo=None if is_undo else before)


@router.post("/items")
def place_item(
    request: Request,
    ctx: EditorContext,
    plan_id: UUID,
    item: Annotated[str, Form()] = "",
    place: Annotated[str, Form()] = "{}",
    is_undo: Annotated[bool, Form()] = False,
    submission: Annotated[str, Form()] = "",
) -> Response:
    """Move, turn or resize what stands in the room besides tables."""
    plans.require_plan(ctx, plan_id, "editor")
    try:
        with ctx.session.begin_nested():  # a change that is refused can be sent again
            if not is_new(ctx, submission):
                return _answer(request, ctx, plan_id, SAVED)
            before = rooms.place_item(ctx, item, _read_place(place))
    except ConviveError as error:
        return _refuse(request, ctx, plan_id, None, error)
    was = {name: getattr(before, name) for name in ("x", "y", "width", "height", "rotation")}
    undo = None if is_undo else Undo("items", {"item": item, "place": json.dumps(was)})
    return _answer(request, ctx, plan_id, "Undone." if is_undo else SAVED, undo=undo)


def _read_place(place: str) -> ItemPlace:
    try:
        return ITEM_PLACE.validate_json(place)
    except ValidationError:
        raise Invalid(FieldError("place", "This place could not be read.")) from None


@router.post("/arrange")
def arrange_tables(
    request: Request,
    ctx: EditorContext,
    plan_id: UUID,
    submission: Annotated[str, Form()] = "",
) -> Response:
    """Place all tables again."""
    plans.require_plan(ctx, plan_id, "editor")
    if not is_new(ctx, submission):
        return _answer(request, ctx, plan_id, SAVED)
    before = _places(ctx)
    placing.arrange_tables(ctx, WORKSPACE_PROPORTION)
    return _answer(request, ctx, plan_id, "All tables were placed again.", undo=before)


@router.post("/{table_id}")
def change_table(
    request: Request,
    ctx: EditorContext,
    plan_id: UUID,
    table_id: UUID,
    name: Annotated[str, Form()] = "",
    seats: Annotated[str, Form()] = "",
    shape: Annotated[str, Form()] = "",
    reserved_for: Annotated[str, Form()] = "",
    is_undo: Annotated[bool, Form()] = False,
    submission: Annotated[str, Form()] = "",
) -> Response:
    """Rename a table, or change its seats, its shape or the group that it is reserved for."""
    plans.require_plan(ctx, plan_id, "editor")
    number = int(seats) if seats.isascii() and seats.isdigit() and len(seats) < 6 else UNSET
    undo = _fields(tables.show_table(ctx, table_id))
    try:
        with ctx.session.begin_nested():  # a change that is refused can be sent again
            if not is_new(ctx, submission):
                return _answer(request, ctx, plan_id, SAVED, table_id)
            group = read_group("" if reserved_for == NOBODY else reserved_for) if reserved_for else UNSET
            entry = TableEntry(name, seats=number, shape=shape or UNSET, reserved_for=group)
            tables.change_table(ctx, table_id, entry)
    except ConviveError as error:
        return _refuse(request, ctx, plan_id, table_id, error)
    message = "Undone." if is_undo else f"{name} was saved."
    return _answer(request, ctx, plan_id, message, table_id, None if is_undo else undo)


@router.post("/{table_id}/duplicate")
def duplicate_table(
    request: Request,
    ctx: EditorContext,
    plan_id: UUID,
    table_id: UUID,
    submission: Annotated[str, Form()] = "",
) -> Response:
    """Add a table like this one, once."""
    plans.require_plan(ctx, plan_id, "editor")
    if not is_new(ctx, submission):
        return _answer(request, ctx, plan_id, SAVED, table_id)
    table = tables.duplicate_table(ctx, table_id)
    return _answer(request, ctx, plan_id, f"{table.name} was added.", table.id, Undo(f"{table.id}/remove"))


@router.post("/{table_id}/remove")
def remove_table(
    request: Request,
    ctx: EditorContext,
    plan_id: UUID,
    table_id: UUID,
    submission: Annotated[str, Form()] = "",
) -> Response:
    """Remove a table where nobody sits in this plan, such as one that was just added."""
    view = plans.read_plan(ctx, plan_id)
    try:
        with ctx.session.begin_nested():  # a change that is refused can be sent again
            if not is_new(ctx, submission):
                return _answer(request, ctx, plan_id, SAVED)
            table = tables.show_table(ctx, table_id)
            if any(one.id == table_id and one.guests for one in view.tables):
                raise Conflict(f"Guests sit at {table.name}. Move them first.")
            tables.remove_table(ctx, table_id)
    except Conflict as error:
        return _refuse(request, ctx, plan_id, table_id, error)
    return _answer(request, ctx, plan_id, f"{table.name} was removed.")


def _places(ctx: EventContext, wanted: Container[UUID] | None = None) -> Undo:
    """Return what brings these tables, or all of them, back to where they are."""
    places = [
        {"table": str(table.id), "x": table.x, "y": table.y, "rotation": table.rotation}
        for table in tables.list_tables(ctx)
        if wanted is None or table.id in wanted
    ]
    return Undo("places", {"places": json.dumps(places)})


def _fields(table: Table) -> Undo:
    fields = {"name": table.name, "seats": str(table.seats), "shape": table.shape}
    return Undo(str(table.id), fields | {"reserved_for": str(table.reserved_for or NOBODY)})


def _answer(
    request: Request,
    ctx: EventContext,
    plan_id: UUID,
    message: str,
    table_id: UUID | None = None,
    undo: Undo | None = None,
) -> Response:
    """Send a script the room as it is now, and a browser to the plan."""
    if "application/json" not in request.headers.get("accept", ""):
        where = f"?tab=table&table={table_id}" if table_id else ""
        return redirect(event_address(ctx.event_id, f"plans/{plan_id}{where}"))
    view = plans.read_plan(ctx, plan_id)
    chosen = Chosen("table", table=table_id)
    page = build_page(ctx.event, view, chosen, read_extras(ctx, view, chosen))
    content = {
        "message": message,
        "version": view.plan.version,
        "revision": revision_of(ctx.session, ctx.event_id),
        "fragments": render_room(request, page),
        "undo": {"path": undo.path, "fields": undo.fields | {"is_undo": "true"}} if undo else None,
    }
    return Response(json.dumps(content), media_type="application/json", headers={"Cache-Control": "no-store"})


def _refuse(request: Request, ctx: EventContext, plan_id: UUID, table_id: UUID | None, error: ConviveError) -> Response:
    if "application/json" not in request.headers.get("accept", ""):
        return plan_page(request, ctx, plan_id, Chosen("table", table=table_id), error=error)
    faults = error.faults if isinstance(error, Invalid) else ()
    message = " ".join(one.message for one in faults) or error.message
    return Response(json.dumps({"message": message}), 422, media_type="application/json")
