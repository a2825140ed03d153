"""Many guests at once from the page of guests: a pasted list, and the reply of those ticked."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Form, Request, Response
from pydantic import Field

from app.errors import FieldError, Invalid
from app.events.context import Editor
from app.files.guest_lists.pasted_lines import has_columns, without_bullets
from app.files.sheet_limits import SheetError
from app.files.sheets import read_list
from app.guests import importing as guest_imports
from app.guests import many as guest_lists
from app.guests.pages.importing import preview_page
from app.guests.replies import set_replies as write_replies
from app.guests.views.guest_list import GuestsForm, done, list_page
from app.web.deps import LongFormRoute, guard_form
from app.web.html.rendering import event_address, redirect
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}/guests", dependencies=[Depends(guard_form)], route_class=LongFormRoute)


class RepliesForm(GuestsForm):
    """The guests that are ticked, and the reply to set for them."""

    guest: list[UUID] = Field(default_factory=list)
    set_reply: str = ""


@router.post("/paste")
def paste_guests(request: Request, ctx: Editor, form: Annotated[GuestsForm, Form()]) -> Response:
    """Add a guest for each line; lines with more than a name are shown first as a sheet."""
    left = form.model_copy(update={"lines": ""})
    if has_columns(form.lines):
        try:
            rows = read_list(without_bullets(form.lines))
        except SheetError as error:
            return list_page(request, ctx, form=form, faults=[FieldError("lines", str(error))])
        opened = guest_imports.open_import(ctx, rows)
        if left.is_empty:
            return redirect(event_address(ctx.event_id, f"guests/import/{opened.id}"))
        return preview_page(request, ctx, opened.id, kept=left)
    try:
        added = guest_lists.paste_guests(ctx, form.lines)
    except Invalid as error:
        return list_page(request, ctx, form=form, faults=error.faults)
    return done(request, ctx, left, f"guests?added={added}", added=added)


@router.post("/replies")
def set_replies(request: Request, ctx: Editor, form: Annotated[RepliesForm, Form()]) -> Response:
    """Set the reply of the guests that are ticked."""
    left = GuestsForm.model_validate(form.model_dump(include=set(GuestsForm.model_fields)))
    try:
        replied = write_replies(ctx, form.guest, form.set_reply)
    except Invalid as error:
        more: dict[str, Any] = {"form": left, "ticked": frozenset(form.guest), "faults": error.faults}
        return list_page(request, ctx, page=form.page, **more)
    query = f"guests?page={form.page}&replied={replied.count}" + (f"&undo={replied.undo}" if replied.undo else "")
    shown: dict[str, Any] = {"page": form.page, "replied": replied.count, "undo": replied.undo}
    return done(request, ctx, left, query, **shown)
