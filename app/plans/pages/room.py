"""Changes of the room from the workspace: places and turns of tables, their name, size and shape, one more like it."""

from __future__ import annotations

import json
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Form, Request, Response
from pydantic import BaseModel, TypeAdapter, ValidationError

from app.errors import ConviveError, FieldError, Invalid
from app.events.context import EventContext, needs
from app.events.queries import revision_of
from app.plans import read as plans
from app.plans.pages.workspace import plan_page, read_extras, render_room
from app.plans.views.drawings import PROPORTION
from app.plans.views.page import Chosen, build_page
from app.tables import edit as tables
from app.tables import placing
from app.tables.entries import TableEntry
from app.tables.placing import Placing
from app.web.deps import guard_form
from app.web.html.rendering import event_address, redirect
from app.web.one_hop import Router
from app.web.unset import UNSET

router = Router(prefix="/events/{event_id}/plans/{plan_id}/tables", dependencies=[Depends(guard_form)])


class PlaceForm(BaseModel):
    """Where a table stands, in floor units, and how it is turned."""

    table: UUID
    x: float
    y: float
    rotation: float | None = None


PLACES = TypeAdapter(list[PlaceForm])


@router.post("/places")
def place_tables(
    request: Request,
    ctx: Annotated[EventContext, needs("editor")],
    plan_id: UUID,
    places: Annotated[str, Form()] = "[]",
) -> Response:
    """Move and turn tables."""
    plans.require_plan(ctx, plan_id, "editor")
    try:
        found = PLACES.validate_json(places)
    except ValidationError:
        raise Invalid(FieldError("places", "These places could not be read.")) from None
    placing.move_tables(ctx, [Placing(one.table, one.x, one.y, one.rotation) for one in found])
    return _answer(request, ctx, plan_id, "Saved.")


@router.post("/arrange")
def arrange_tables(request: Request, ctx: Annotated[EventContext, needs("editor")], plan_id: UUID) -> Response:
    """Place all tables anew."""
    plans.require_plan(ctx, plan_id, "editor")
    placing.arrange_tables(ctx, PROPORTION)
    return _answer(request, ctx, plan_id, "All tables were placed anew.")


@router.post("/{table_id}")
def change_table(
    request: Request,
    ctx: Annotated[EventContext, needs("editor")],
    plan_id: UUID,
    table_id: UUID,
    name: Annotated[str, Form()] = "",
    seats: Annotated[str, Form()] = "",
    shape: Annotated[str, Form()] = "",
) -> Response:
    """Rename a table, or change its seats or its shape."""
    plans.require_plan(ctx, plan_id, "editor")
    number = int(seats) if seats.isascii() and seats.isdigit() and len(seats) < 6 else UNSET
    try:
        with ctx.session.begin_nested():
            tables.change_table(ctx, table_id, TableEntry(name, seats=number, shape=shape or UNSET))
    except ConviveError as error:
        return _refuse(request, ctx, plan_id, table_id, error)
    return _answer(request, ctx, plan_id, f"{name} was saved.", table_id)


@router.post("/{table_id}/duplicate")
def duplicate_table(
    request: Request, ctx: Annotated[EventContext, needs("editor")], plan_id: UUID, table_id: UUID
) -> Response:
    """Add a table like this one."""
    plans.require_plan(ctx, plan_id, "editor")
    table = tables.duplicate_table(ctx, table_id)
    return _answer(request, ctx, plan_id, f"{table.name} was added.", table.id)


def _answer(request: Request, ctx: EventContext, plan_id: UUID, message: str, table_id: UUID | None = None) -> Response:
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
    }
    return Response(json.dumps(content), media_type="application/json", headers={"Cache-Control": "no-store"})


def _refuse(request: Request, ctx: EventContext, plan_id: UUID, table_id: UUID, error: ConviveError) -> Response:
    if "application/json" not in request.headers.get("accept", ""):
        return plan_page(request, ctx, plan_id, Chosen("table", table=table_id), error=error)
    faults = error.faults if isinstance(error, Invalid) else ()
    message = " ".join(one.message for one in faults) or error.message
    return Response(json.dumps({"message": message}), 422, media_type="application/json")
