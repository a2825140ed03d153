"""The list of guests, and the page of one guest."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Depends, Form, Query, Request, Response

from app.errors import FieldError, Invalid
from app.events.context import Editor, Viewer
from app.events.kept_pages import kept_without
from app.guests import edit as guests
from app.guests.edit import Order
from app.guests.views.guest_list import GuestsForm, done, list_page, words_of_import
from app.web.deps import LongFormRoute, guard_form
from app.web.html.forms import top_fields
from app.web.html.paging import PageNumber
from app.web.one_hop import Router

MADE = "Event created from the workbook. Your other events have not changed."
router = Router(prefix="/events/{event_id}/guests", dependencies=[Depends(guard_form)], route_class=LongFormRoute)


@router.get("")
@kept_without("ratings", "plans")
def list_guests(
    request: Request,
    ctx: Viewer,
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
    """Show the guests and the forms to add some; `made` tells that the event was just made from a workbook."""
    gone = guests.removed_guest(ctx, removed) if removed else None
    words = words_of_import(notice) if imported else MADE if made else ""
    done = {"added": added, "replied": replied, "removed": gone, "undo": imported or undo, "notice": words}
    return list_page(request, ctx, search=q, page=page, order=order, **done)


@router.post("")
def add_guest(request: Request, ctx: Editor, form: Annotated[GuestsForm, Form()]) -> Response:
    """Add one guest."""
    try:
        with ctx.session.begin_nested():  # a refused form changes nothing
            guests.add_guest(ctx, form.entry())
    except Invalid as error:
        return list_page(request, ctx, form=form, faults=top_fields(error.faults))
    left = GuestsForm(lines=form.lines)
    return done(request, ctx, left, "guests?added=1", added=1)


@router.post("/{guest_id}/remove")
def remove_guest(request: Request, ctx: Editor, guest_id: UUID, form: Annotated[GuestsForm, Form()]) -> Response:
    """Remove a guest; the list then offers to undo it."""
    gone = guests.remove_guest(ctx, guest_id)
    query = f"guests?page={form.page}&removed={guest_id}"
    return done(request, ctx, form, query, page=form.page, removed=gone)


@router.post("/{guest_id}/restore")
def restore_guest(request: Request, ctx: Editor, guest_id: UUID, form: Annotated[GuestsForm, Form()]) -> Response:
    """Bring a removed guest back."""
    try:
        guests.restore_guest(ctx, guest_id)
    except Invalid as error:
        faults = [FieldError("", fault.message) for fault in error.faults]
        return list_page(request, ctx, form=form, faults=faults)
    return done(request, ctx, form, f"guests#guest-{guest_id}")
