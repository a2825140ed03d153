"""The tables of an event: sizes in one line, or one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Form, Query, Request, Response

from app.db.models import Event, Table
from app.errors import FieldError, Invalid
from app.events import edit as events
from app.events.cached_pages import kept_without
from app.events.context import EditorContext, EventContext, ViewerContext
from app.guests.queries.groups import groups_of
from app.tables import edit as tables
from app.tables import sizes as table_sizes
from app.tables.entries import SHAPES
from app.tables.pages.metres import write_metres
from app.tables.pages.table_forms import PlacedTableForm, TablesForm, UndoForm
from app.tables.sizes import SizesChange
from app.tables.text import Balance, DrawnTable, balance, size_words
from app.web.deps import guard_form
from app.web.html.forms import check_version
from app.web.html.paging import PageNumber, Window, page_of, window, with_page
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}/tables", dependencies=[Depends(guard_form)])
MAX_UNDO = 50  # removed tables that fit into an address


@dataclass(frozen=True)
class TablesPage:
    """A page of the tables, how many seats all have, and the forms with what was entered."""

    event: Event
    tables: Window[DrawnTable]
    notice: str
    balance: Balance
    sizes: str
    may_edit: bool
    shapes: dict[str, str]
    removed: Sequence[Table] = field(default_factory=tuple)
    undo: SizesChange | None = None
    form: TablesForm = field(default_factory=TablesForm)
    faults: Sequence[FieldError] = field(default_factory=tuple)
    section: str = "tables"


@dataclass(frozen=True)
class TablePage:
    """One table, and the form to change it with what was entered."""

    event: Event
    table: Table
    form: PlacedTableForm
    shapes: dict[str, str]
    groups: list[tuple[str, str]]
    faults: Sequence[FieldError] = field(default_factory=tuple)
    section: str = "tables"


@router.get("")
@kept_without("ratings", "plans")
def list_tables(
    request: Request,
    ctx: ViewerContext,
    removed: Annotated[list[UUID] | None, Query()] = None,
    before: str | None = None,
    page: PageNumber = 1,
) -> Response:
    """Show the tables and the forms to set them."""
    gone = tables.removed_tables(ctx, (removed or [])[:MAX_UNDO])
    undo = SizesChange(before, tuple(table.id for table in gone)) if before is not None else None
    return _list_page(request, ctx, page=page, removed=gone, undo=undo)


@router.post("/sizes")
def set_sizes(request: Request, ctx: EditorContext, form: Annotated[TablesForm, Form()]) -> Response:
    """Set all sizes by one line; the list then offers to undo it."""
    sizes = form.sizes or ""
    try:
        change = table_sizes.set_sizes(ctx, sizes)
    except Invalid as error:
        entered = form.model_copy(update={"sizes": sizes})
        return _list_page(request, ctx, form=entered, faults=error.faults)
    left = form.model_copy(update={"sizes": None})
    if len(change.removed) > MAX_UNDO or len(change.before) > 1000:
        return _done(request, ctx, left, "tables")
    query = "".join(f"&removed={table_id}" for table_id in change.removed)
    address = f"tables?before={change.before.replace(' ', '+')}{query}"
    gone = tables.removed_tables(ctx, change.removed)
    return _done(request, ctx, left, address, removed=gone, undo=change)


@router.post("/undo")
def undo_sizes(request: Request, ctx: EditorContext, form: Annotated[UndoForm, Form()]) -> Response:
    """Bring back the tables and sizes of before."""
    left = form.model_copy(update={"sizes": _entered_sizes(ctx, form)})
    try:
        change = SizesChange(form.before, tuple(UUID(part) for part in form.removed.split()))
        with ctx.session.begin_nested():
            table_sizes.undo_sizes(ctx, change)
    except (Invalid, ValueError) as error:
        message = error.message if isinstance(error, Invalid) else "This change can no longer be undone."
        return _list_page(request, ctx, form=left, faults=[FieldError("", message)])
    return _done(request, ctx, left, "tables")


@router.post("")
def add_table(request: Request, ctx: EditorContext, form: Annotated[TablesForm, Form()]) -> Response:
    """Add one table."""
    left = TablesForm(sizes=_entered_sizes(ctx, form), page=form.page)
    try:
        table = tables.add_table(ctx, form.entry())
    except Invalid as error:
        return _list_page(request, ctx, form=form, faults=error.faults)
    return _done(request, ctx, left, _place_of(ctx, table.id))


@router.get("/{table_id}")
def show_table(request: Request, ctx: EditorContext, table_id: UUID) -> Response:
    """Show the form to change a table."""
    table = tables.show_table(ctx, table_id)
    form = PlacedTableForm(
        name=table.name,
        seats=str(table.seats),
        min_seats=str(table.min_seats),
        shape=table.shape,
        end_seats=table.end_seats,
        rotation=f"{table.rotation:g}",
        reserved_for=str(table.reserved_for or ""),
        x=write_metres(table.x),
        y=write_metres(table.y),
        version=table.version,
    )
    return _table_page(request, ctx, table, form)


@router.post("/{table_id}")
def change_table(
    request: Request,
    ctx: EditorContext,
    table_id: UUID,
    form: Annotated[PlacedTableForm, Form()],
) -> Response:
    """Change a table and go back to the list."""
    table = tables.show_table(ctx, table_id)
    try:
        check_version(form.version, table.version)
        tables.change_table(ctx, table_id, form.entry())
    except Invalid as error:
        present = form.model_copy(update={"version": table.version})
        return _table_page(request, ctx, table, present, error.faults)
    return redirect(event_address(ctx.event_id, _place_of(ctx, table_id)))


@router.post("/{table_id}/duplicate")
def duplicate_table(
    request: Request, ctx: EditorContext, table_id: UUID, form: Annotated[TablesForm, Form()]
) -> Response:
    """Add a table like this one."""
    left = form.model_copy(update={"sizes": _entered_sizes(ctx, form)})
    try:
        table = tables.duplicate_table(ctx, table_id)
    except Invalid as error:
        return _list_page(request, ctx, form=left, faults=[FieldError("", error.message)])
    return _done(request, ctx, left, _place_of(ctx, table.id))


@router.post("/{table_id}/remove")
def remove_table(request: Request, ctx: EditorContext, table_id: UUID, form: Annotated[TablesForm, Form()]) -> Response:
    """Remove a table; the list then offers to undo it."""
    left = form.model_copy(update={"sizes": _entered_sizes(ctx, form)})
    gone = tables.remove_table(ctx, table_id)
    return _done(request, ctx, left, f"tables{with_page(f'removed={table_id}', form.page)}", removed=[gone])


@router.post("/{table_id}/restore")
def restore_table(
    request: Request, ctx: EditorContext, table_id: UUID, form: Annotated[TablesForm, Form()]
) -> Response:
    """Bring a removed table back."""
    left = form.model_copy(update={"sizes": _entered_sizes(ctx, form)})
    try:
        tables.restore_table(ctx, table_id)
    except Invalid as error:
        return _list_page(request, ctx, form=left, faults=[FieldError("", error.message)])
    return _done(request, ctx, left, _place_of(ctx, table_id))


def _entered_sizes(ctx: EventContext, form: TablesForm) -> str | None:
    """Return the line of sizes if it says something else than what is stored."""
    stored = table_sizes.sizes_of(tables.list_tables(ctx))
    return form.sizes if form.sizes and form.sizes.split() != stored.split() else None


def _done(request: Request, ctx: EventContext, left: TablesForm, address: str, **shown: Any) -> Response:
    """Go on to the list, or show it at once where the fields still hold something that an address could not."""
    if not left.sizes and not left.names_a_table:
        return redirect(event_address(ctx.event_id, address))
    return _list_page(request, ctx, page=left.page, form=left, **shown)


def _place_of(ctx: EventContext, table_id: UUID) -> str:
    """Return the address of a table in the list, on its page."""
    ids = [table.id for table in tables.list_tables(ctx)]
    page = page_of(ids.index(table_id))
    return f"tables{with_page('', page)}#table-{table_id}"


def _list_page(request: Request, ctx: EventContext, *, page: int = 1, **more: Any) -> Response:
    event = ctx.event
    found = tables.list_tables(ctx)
    guests = events.count_contents(ctx.session, [ctx.event_id])[ctx.event_id].seated
    shown = window(found, page)
    content = TablesPage(
        event=event,
        tables=Window([DrawnTable(table) for table in shown.rows], shown.page, shown.pages, shown.total),
        notice=size_words(found),
        balance=balance(guests, found),
        sizes=table_sizes.sizes_of(found),
        may_edit=ctx.allows("editor"),
        shapes=SHAPES,
        **more,
    )
    return render(request, "tables/list.html", content, 422 if content.faults else 200)


def _table_page(
    request: Request, ctx: EventContext, table: Table, form: PlacedTableForm, faults: Sequence[FieldError] = ()
) -> Response:
    event = ctx.require("editor")
    groups = [(str(group.id), group.name) for group in groups_of(ctx.session, ctx.event_id)]
    page = TablePage(event, table, form, SHAPES, groups, faults)
    return render(request, "tables/edit.html", page, 422 if faults else 200)
