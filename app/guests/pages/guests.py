"""The list of guests: one added, removed or brought back, and a pasted list."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Depends, Form, Query, Request, Response

from app.errors import FieldError, Invalid
from app.events.cached_pages import kept_without
from app.events.context import EditorContext, EventContext, ViewerContext
from app.files.guest_lists.pasted_lines import has_more_than_names
from app.files.list_files import read_pasted
from app.files.sheet_limits import SheetError
from app.guests import edit as guests
from app.guests import whole_list as guest_lists
from app.guests.bulk import done_before
from app.guests.imports import importing as guest_imports
from app.guests.pages.importing import show_preview
from app.guests.text import bulk_text
from app.guests.views.guest_list import SAME, GuestsForm, Message, done, import_message, list_page, taken_message
from app.guests.views.guest_table import address_back
from app.sentences import count
from app.web.deps import LongFormRoute, guard_form
from app.web.html.forms import top_fields
from app.web.html.rendering import event_address, redirect
from app.web.one_hop import Router

MADE = "Event created. Your other events have not changed."
router = Router(prefix="/events/{event_id}/guests", dependencies=[Depends(guard_form)], route_class=LongFormRoute)


@router.get("")
@kept_without("ratings", "plans")
def list_guests(
    request: Request,
    ctx: ViewerContext,
    added: int = 0,
    imported: UUID | None = None,
    taken: UUID | None = None,
    notice: Annotated[str, Query(pattern=r"^[0-9]{1,5}-[0-9]{1,5}-[0-9]{1,9}$")] = "",
    undo: UUID | None = None,
    removed: UUID | None = None,
    restored: int = 0,
    made: bool = False,
    same: bool = False,
) -> Response:
    """Show the guests and the forms to add some.

    `made`: the event was just created from a file or another event. `same`: a change of several guests changed nothing.
    """
    message: Message | None = None
    if not ctx.allows("editor"):
        pass  # what was changed may be a diet, a note or the name of a removed guest
    elif imported:
        message = import_message(ctx, imported, notice)
    elif taken:
        message = taken_message(ctx, taken, notice)
    elif undo and (known := done_before(ctx, undo)):
        message = Message(bulk_text(known), event_address(ctx.event_id, f"guests/undo/{undo}"))
    elif removed and (gone := guests.removed_guest(ctx, removed)):
        message = removed_message(ctx, gone.id, gone.name)
    elif restored > 0:
        message = Message(f"{count(restored, 'guest')} restored.")
    elif added or made or same:
        message = Message(f"{count(added, 'guest')} added." if added else MADE if made else SAME)
    pairs = request.query_params.multi_items()
    return list_page(request, ctx, pairs=pairs, message=message, was_added=added == 1)


def removed_message(ctx: EventContext, guest_id: UUID, name: str) -> Message:
    """Say who was removed."""
    return Message(f"{name} removed.", event_address(ctx.event_id, f"guests/{guest_id}/restore"))


@router.post("")
def add_guest(request: Request, ctx: EditorContext, form: Annotated[GuestsForm, Form()]) -> Response:
    try:
        with ctx.session.begin_nested():  # a refused form changes nothing
            guests.add_guest(ctx, form.entry())
    except Invalid as error:
        return list_page(request, ctx, form=form, faults=top_fields(error.faults))
    left = GuestsForm(lines=form.lines, back=form.back)
    address = address_back(ctx, form.back, added=1)
    return done(request, ctx, left, address, message=Message("1 guest added."), was_added=True)


@router.post("/{guest_id}/remove")
def remove_guest(request: Request, ctx: EditorContext, guest_id: UUID, form: Annotated[GuestsForm, Form()]) -> Response:
    """Remove a guest; the list then offers to undo it."""
    gone = guests.remove_guest(ctx, guest_id)
    address = address_back(ctx, form.back, removed=guest_id)
    return done(request, ctx, form, address, message=removed_message(ctx, guest_id, gone.name))


@router.post("/{guest_id}/restore")
def restore_guest(
    request: Request, ctx: EditorContext, guest_id: UUID, form: Annotated[GuestsForm, Form()]
) -> Response:
    try:
        guests.restore_guest(ctx, guest_id)
    except Invalid as error:
        faults = [FieldError("", fault.message) for fault in error.faults]
        return list_page(request, ctx, form=form, faults=faults)
    return done(request, ctx, form, f"{address_back(ctx, form.back)}#guest-{guest_id}")


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
    address = address_back(ctx, form.back, added=added)
    return done(request, ctx, left, address, message=Message(f"{count(added, 'guest')} added."))
