"""The list of guests: one added, removed or brought back, a pasted list, and the reply of those ticked."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Depends, Form, Query, Request, Response
from pydantic import Field

from app.errors import FieldError, Invalid
from app.events.context import EditorContext, ViewerContext
from app.events.kept_pages import kept_without
from app.files.guest_lists.pasted_lines import has_more_than_names
from app.files.list_files import read_pasted
from app.files.sheet_limits import SheetError
from app.guests import edit as guests
from app.guests import importing as guest_imports
from app.guests import many as guest_lists
from app.guests.edit import Order
from app.guests.pages.importing import show_preview
from app.guests.views.guest_list import GuestsForm, done, import_text, list_page
from app.web.deps import LongFormRoute, guard_form
from app.web.html.forms import top_fields
from app.web.html.paging import PageNumber
from app.web.html.rendering import event_address, redirect
from app.web.one_hop import Router

MADE = "Event created from the file. Your other events have not changed."
router = Router(prefix="/events/{event_id}/guests", dependencies=[Depends(guard_form)], route_class=LongFormRoute)


class RepliesForm(GuestsForm):
    """The guests that are ticked, and the reply to set for them."""

    guest: list[UUID] = Field(default_factory=list)
    set_reply: str = ""


@router.get("")
@kept_without("ratings", "plans")
def list_guests(
    request: Request,
    ctx: ViewerContext,
    q: str = "",
    page: PageNumber = 1,
    order: Order = "entered",
    added: int = 0,
    replied: int | None = None,
    imported: UUID | None = None,
    notice: Annotated[str, Query(pattern=r"^[0-9]{1,5}-[0-9]{1,5}-[0-9]{1,5}$")] = "",
    undo: UUID | None = None,
    removed: UUID | None = None,
    made: bool = False,
) -> Response:
    """Show the guests and the forms to add some; `made` tells that the event was just made from a file."""
    gone = guests.removed_guest(ctx, removed) if removed else None
    text = import_text(notice) if imported else MADE if made else ""
    done = {"added": added, "replied": replied, "removed": gone, "undo": imported or undo, "notice": text}
    return list_page(request, ctx, search=q, page=page, order=order, **done)


@router.post("")
def add_guest(request: Request, ctx: EditorContext, form: Annotated[GuestsForm, Form()]) -> Response:
    try:
        with ctx.session.begin_nested():  # a refused form changes nothing
            guests.add_guest(ctx, form.entry())
    except Invalid as error:
        return list_page(request, ctx, form=form, faults=top_fields(error.faults))
    left = GuestsForm(lines=form.lines)
    return done(request, ctx, left, "guests?added=1", added=1)


@router.post("/{guest_id}/remove")
def remove_guest(request: Request, ctx: EditorContext, guest_id: UUID, form: Annotated[GuestsForm, Form()]) -> Response:
    """Remove a guest; the list then offers to undo it."""
    gone = guests.remove_guest(ctx, guest_id)
    query = f"guests?page={form.page}&removed={guest_id}"
    return done(request, ctx, form, query, page=form.page, removed=gone)


@router.post("/{guest_id}/restore")
def restore_guest(
    request: Request, ctx: EditorContext, guest_id: UUID, form: Annotated[GuestsForm, Form()]
) -> Response:
    try:
        guests.restore_guest(ctx, guest_id)
    except Invalid as error:
        faults = [FieldError("", fault.message) for fault in error.faults]
        return list_page(request, ctx, form=form, faults=faults)
    return done(request, ctx, form, f"guests#guest-{guest_id}")


@router.post("/paste")
def paste_guests(request: Request, ctx: EditorContext, form: Annotated[GuestsForm, Form()]) -> Response:
    """Add a guest for each line; lines with more than a name are shown first as a sheet."""
    left = form.model_copy(update={"lines": ""})
    if has_more_than_names(form.lines):
        try:
            sheets = read_pasted(form.lines)
        except SheetError as error:
            return list_page(request, ctx, form=form, faults=[FieldError("lines", str(error))])
        opened = guest_imports.open_import(ctx, sheets)
        if left.is_empty:
            return redirect(event_address(ctx.event_id, f"guests/import/{opened.id}"))
        return show_preview(request, ctx, opened.id, kept=left)
    try:
        added = guest_lists.paste_guests(ctx, form.lines)
    except Invalid as error:
        return list_page(request, ctx, form=form, faults=error.faults)
    return done(request, ctx, left, f"guests?added={added}", added=added)


@router.post("/replies")
def set_replies(request: Request, ctx: EditorContext, form: Annotated[RepliesForm, Form()]) -> Response:
    left = GuestsForm.model_validate(form.model_dump(include=set(GuestsForm.model_fields)))
    try:
        replied = guest_lists.set_replies(ctx, form.guest, form.set_reply)
    except Invalid as error:
        ticked = frozenset(form.guest)
        return list_page(request, ctx, page=form.page, form=left, ticked=ticked, faults=error.faults)
    query = f"guests?page={form.page}&replied={replied.count}" + (f"&undo={replied.undo}" if replied.undo else "")
    return done(request, ctx, left, query, page=form.page, replied=replied.count, undo=replied.undo)
