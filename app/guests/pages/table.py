"""The guest table: its rows for the script, cells that are typed into it, and changes of the selected guests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Form, Header, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.errors import ConviveError, FieldError, Invalid
from app.events.cached_pages import kept_without
from app.events.context import EditorContext, EventContext, ViewerContext
from app.guests import bulk
from app.guests.bulk import Done
from app.guests.cells import MOST_CELLS, CellChange, CellConflict, change_cells
from app.guests.columns import columns_of
from app.guests.guest_view import describe
from app.guests.imports.undo import undo_import
from app.guests.numbered_names import name_numbered
from app.guests.queries.guests import chosen_guests
from app.guests.text import bulk_text
from app.guests.views.guest_list import SAME, GuestsForm, Message, done, list_page
from app.guests.views.guest_table import (
    Place,
    TableView,
    address_back,
    column_data,
    read_table,
    row_of,
    show_table,
)
from app.web.deps import LongFormRoute, guard_form
from app.web.html.rendering import event_address, redirect, render_part
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}/guests", dependencies=[Depends(guard_form)], route_class=LongFormRoute)
MOST_ROWS = 500
Accept = Annotated[str, Header()]


class BulkForm(GuestsForm):
    """The guests that are ticked, and what to do with them.

    `do` is `join`, `leave`, `household`, `apart`, `remove`, or a column and its value such as `reply=yes`.
    """

    guest: list[UUID] = Field(default_factory=list)
    do: str = ""
    to_group: str = ""
    to_party: str = ""


class TypedCell(BaseModel):
    """A cell as the script sends it."""

    model_config = ConfigDict(extra="forbid")
    guest: UUID
    column: str
    was: str | bool | list[str]
    value: str | bool | list[str]


class TypedCells(BaseModel):
    """All cells of one step."""

    model_config = ConfigDict(extra="forbid")
    cells: list[TypedCell] = Field(max_length=MOST_CELLS)


@dataclass(frozen=True)
class TablePart:
    """What is around the table, as a part of the page that is replaced."""

    view: TableView


@router.get("/rows")
@kept_without("ratings", "plans")
def list_rows(
    request: Request,
    ctx: ViewerContext,
    first: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    limit: Annotated[int, Query(ge=0, le=MOST_ROWS)] = 100,
    head: bool = False,
    ids: bool = False,
) -> Response:
    """Send some rows; with `head` also what is around them, with `ids` everyone who matches."""
    pairs = request.query_params.multi_items()
    table = read_table(request, ctx, pairs)
    place = Place.read(pairs)
    found = table.place_of(place.guest) if place.guest else None
    if found is not None:
        first = max(0, found - limit // 2)
    answer: dict[str, Any] = {
        "matching": len(table.guests),
        "first": first,
        "place": found,
        "rows": [row_of(guest, table.columns) for guest in table.guests[first : first + limit]],
    }
    if ids:
        answer["ids"] = [str(guest.id) for guest in table.guests]
    if head:
        answer |= _head(request, ctx, show_table(ctx, table, place))
    return JSONResponse(answer)


def _head(request: Request, ctx: EventContext, view: TableView) -> dict[str, Any]:
    may_edit = ctx.allows("editor")
    parts = {
        name: render_part(request, f"guests/_{name}.html", TablePart(view)) for name in ("counts", "chips", "facets")
    }
    return {
        "columns": [column_data(heading, may_edit=may_edit) for heading in view.headings],
        "state": view.query.encode(),
        "total": view.table.total,
        "parts": parts,
    }


@router.post("/cells")
def write_cells(ctx: EditorContext, batch: Annotated[str, Form()] = "") -> Response:
    """Write cells in one step, or say which of them somebody else changed meanwhile."""
    try:
        sent = _read_cells(batch)
        with ctx.session.begin_nested():  # refused cells change nothing
            conflicts = change_cells(ctx, sent)
    except Invalid as error:
        faults = [{"where": fault.where, "message": fault.message} for fault in error.faults[:100]]
        return JSONResponse({"detail": error.message, "faults": faults}, error.status)
    if conflicts:
        return JSONResponse({"conflicts": [_conflict(one) for one in conflicts]}, 409)
    columns = columns_of(ctx)
    changed = chosen_guests(ctx.session, ctx.event_id, {one.guest_id for one in sent})
    return JSONResponse({"rows": [row_of(guest, columns) for guest in describe(ctx, changed)]})


def _read_cells(text: str) -> list[CellChange]:
    try:
        sent = TypedCells.model_validate_json(text)
    except ValidationError:
        raise Invalid(FieldError("cells", "These are not cells of the guest table.")) from None
    return [CellChange(one.guest, one.column, one.was, one.value) for one in sent.cells]


def _conflict(one: CellConflict) -> dict[str, Any]:
    return {"guest": str(one.guest_id), "column": one.column, "now": one.now}


@router.post("/bulk")
def change_selected(
    request: Request, ctx: EditorContext, form: Annotated[BulkForm, Form()], accept: Accept = ""
) -> Response:
    """Change the selected guests in one step; the list then offers to undo it."""
    left = GuestsForm.model_validate(form.model_dump(include=set(GuestsForm.model_fields)))
    as_json = "application/json" in accept
    try:
        with ctx.session.begin_nested():
            made = _apply(ctx, form)
    except Invalid as error:
        if as_json:
            return JSONResponse({"detail": error.message}, error.status)
        return list_page(request, ctx, form=left, ticked=frozenset(form.guest), faults=error.faults)
    message = (
        Message(bulk_text(made), event_address(ctx.event_id, f"guests/undo/{made.undo}"))
        if made.undo
        else Message(SAME)
    )
    if as_json:
        return JSONResponse({"message": message.text, "undo": str(made.undo) if made.undo else None})
    address = address_back(ctx, form.back, undo=made.undo or "", same="" if made.undo else 1)
    return done(request, ctx, left, address, message=message)


def _apply(ctx: EventContext, form: BulkForm) -> Done:
    match form.do:
        case "join":
            return bulk.join_group(ctx, form.guest, form.to_group)
        case "leave":
            return bulk.leave_group(ctx, form.guest, form.to_group)
        case "household":
            return bulk.join_household(ctx, form.guest, form.to_party)
        case "apart":
            return bulk.leave_household(ctx, form.guest)
        case "remove":
            return bulk.remove_guests(ctx, form.guest)
    key, separator, value = form.do.partition("=")
    if not separator:
        raise Invalid(FieldError("guest", "Choose what to do with the selected guests."))
    return bulk.set_column(ctx, form.guest, key, value)


@router.post("/numbered")
def name_guests(ctx: EditorContext) -> Response:
    """Rename guests who had a number behind their name: by household or group."""
    made = name_numbered(ctx)
    return redirect(event_address(ctx.event_id, f"guests?undo={made.undo}" if made.undo else "guests?same=1"))


@router.post("/undo/{import_id}")
def undo_change(
    request: Request, ctx: EditorContext, import_id: UUID, form: Annotated[GuestsForm, Form()], accept: Accept = ""
) -> Response:
    """Take a change of several guests, or an import, back."""
    if "application/json" not in accept:
        undo_import(ctx, import_id)
        return done(request, ctx, form, address_back(ctx, form.back))
    try:
        undo_import(ctx, import_id)
    except ConviveError as error:
        return JSONResponse({"detail": error.message}, error.status)
    return JSONResponse({"message": "Undone."})
