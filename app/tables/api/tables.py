"""/events/{event}/tables."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from fastapi import Request, Response
from pydantic import MISSING, Field

from app.db.models import Table
from app.events.cached_lists import NOT_MODIFIED, answer_list
from app.events.context import ApiEditorContext, ApiViewerContext
from app.events.idempotency import OnlyOnce
from app.events.list_etags import MatchOfList, set_version
from app.tables import edit as tables
from app.tables.entries import MAX_SEATS, MAX_TABLES, TableEntry
from app.web import cursors
from app.web.json_api.conditional import After, Limit, Match, etag
from app.web.json_api.schemas import Answer, Body, Id, given
from app.web.one_hop import Router

router = Router(prefix="/api/v1/events/{event_id}/tables", tags=["tables"])

SEATS = f"Number of seats, 1 to {MAX_SEATS}"
MIN_SEATS = (
    "The fewest guests at the table. Defaults to 1, so that every table is used and spare seats spread evenly; "
    "0 means it may stay empty; the same number as `seats` fills it"
)
Name = Annotated[str, Field(min_length=1, description="Defaults to “Table 6” for the sixth table")]
Shape = Literal["round", "square", "long", "head", "oval"]
Place = Annotated[
    float, Field(description="Position of its centre on the floor, 60 units to the metre; null means anywhere")
]
Rotation = Annotated[float, Field(description="Degrees clockwise; kept from 0 to less than 360")]
EndSeats = Annotated[bool, Field(description="Whether a long table has a seat at each short end")]
ReservedFor = Annotated[Id, Field(description="The id of the group whose members alone sit there; null means anybody")]


class TablePatch(Body):
    """What to change about a table."""

    name: Name | MISSING = MISSING
    seats: int | MISSING = Field(default=MISSING, description=SEATS)
    min_seats: int | MISSING = Field(default=MISSING, description=MIN_SEATS)
    shape: Shape | MISSING = MISSING
    x: Place | MISSING | None = MISSING
    y: Place | MISSING | None = MISSING
    rotation: Rotation | MISSING = MISSING
    end_seats: EndSeats | MISSING = MISSING
    reserved_for: ReservedFor | MISSING | None = MISSING

    def entry(self, name: str = "", table_id: UUID | None = None) -> TableEntry:
        """Return what was sent as the services take it; what was left out is unset."""
        return TableEntry(
            name=name if self.name is MISSING else self.name,
            id=table_id,
            seats=given(self.seats),
            min_seats=given(self.min_seats),
            shape=given(self.shape),
            x=given(self.x),
            y=given(self.y),
            rotation=given(self.rotation),
            end_seats=given(self.end_seats),
            reserved_for=given(self.reserved_for),
        )


class TableIn(TablePatch):
    """A new table."""

    seats: int = Field(description=SEATS)


class TableOfList(TableIn):
    """A table in the full list. For an existing table, fields you leave out are kept."""

    id: Id | None = Field(default=None, description="The id of an existing table, needed to rename it")


class TableListIn(Body):
    """All tables of the event, in their order."""

    tables: Annotated[list[TableOfList], Field(max_length=MAX_TABLES)]


class TableOut(Answer):
    """A table."""

    id: UUID
    name: str
    seats: int
    min_seats: int
    shape: str
    x: float | None
    y: float | None
    rotation: float
    end_seats: bool
    reserved_for: UUID | None


class TableList(Answer):
    """A page of tables, in their order."""

    tables: list[TableOut]
    next: UUID | None


@router.get("", response_model=TableList, responses=NOT_MODIFIED)
def list_tables(request: Request, ctx: ApiViewerContext, limit: Limit = 100, after: After = None) -> Response:
    """List the tables."""

    def build() -> TableList:
        found = tables.list_tables(ctx, limit=limit, after=after)
        cursors.check_cursor(ctx.session, Table, ctx.event_id, after)
        last = found[-1].id if len(found) == limit else None
        return TableList(tables=[TableOut.model_validate(table) for table in found], next=last)

    return answer_list(request, ctx, "tables", build)


@router.post("", status_code=201, response_model=TableOut)
def add_table(ctx: ApiEditorContext, once: OnlyOnce, body: TableIn) -> Response:
    """Add a table."""
    table = tables.add_table(ctx, body.entry())
    location = f"/api/v1/events/{ctx.event_id}/tables/{table.id}"
    return once.answer(TableOut.model_validate(table), location=location, version=etag(table))


@router.put("")
def replace_tables(ctx: ApiEditorContext, match: MatchOfList, body: TableListIn, response: Response) -> TableList:
    """Replace all tables in one transaction. Tables whose id or name is listed are kept; the others are deleted."""
    match.hold(ctx, "tables")
    entries = [table.entry(table_id=table.id) for table in body.tables]
    found = tables.replace_tables(ctx, entries)
    set_version(response, ctx.session, ctx.event_id, "tables")
    return TableList(tables=[TableOut.model_validate(table) for table in found], next=None)


@router.get("/{table_id}")
def show_table(ctx: ApiViewerContext, table_id: UUID, response: Response) -> TableOut:
    """Retrieve a table."""
    table = tables.show_table(ctx, table_id)
    response.headers["ETag"] = etag(table)
    return TableOut.model_validate(table)


@router.patch("/{table_id}")
def change_table(
    ctx: ApiEditorContext,
    table_id: UUID,
    match: Match,
    body: TablePatch,
    response: Response,
) -> TableOut:
    """Update a table."""
    before = tables.show_table(ctx, table_id)
    match.check(before)
    table = tables.change_table(ctx, table_id, body.entry(before.name))
    response.headers["ETag"] = etag(table)
    return TableOut.model_validate(table)


@router.delete("/{table_id}", status_code=204)
def remove_table(ctx: ApiEditorContext, table_id: UUID, match: Match) -> None:
    """Delete a table."""
    match.check(tables.show_table(ctx, table_id))
    tables.remove_table(ctx, table_id)


@router.post("/{table_id}/duplicate", status_code=201, response_model=TableOut)
def duplicate_table(ctx: ApiEditorContext, once: OnlyOnce, table_id: UUID) -> Response:
    """Add a table like this one, with the next free name."""
    table = tables.duplicate_table(ctx, table_id)
    location = f"/api/v1/events/{ctx.event_id}/tables/{table.id}"
    return once.answer(TableOut.model_validate(table), location=location, version=etag(table))
