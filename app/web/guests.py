"""The list of guests, and the page of one guest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Form, Query, Request, Response

from app.db.models import Event
from app.deps import Db, LongFormRoute, Who, guard_form
from app.errors import Fault, Invalid
from app.one_hop import Router
from app.services import access, guests, labels
from app.services.guests import GuestView, Order
from app.services.labels import Labels
from app.web.forms import check_version, top_fields
from app.web.guest_list import GuestForm, GuestsForm, done, list_page, words_of_import
from app.web.kept_pages import kept_without
from app.web.pages import event_address, render, see
from app.web.rule_views import RuleView, views_of

MADE = "A new event was made from the workbook. The events that you had are as they were."
router = Router(prefix="/events/{event_id}/guests", dependencies=[Depends(guard_form)], route_class=LongFormRoute)


@dataclass(frozen=True)
class GuestPage:
    """One guest, and the form to change them with what was entered."""

    event: Event
    guest: GuestView
    labels: Labels
    rules: Sequence[RuleView]
    form: GuestForm
    faults: Sequence[Fault] = field(default_factory=tuple)
    section: str = "guests"


@router.get("")
@kept_without("ratings", "plans")
def list_guests(
    request: Request,
    session: Db,
    actor: Who,
    event_id: UUID,
    q: str = "",
    page: Annotated[int, Query(ge=1, le=100_000)] = 1,
    order: Order = "entered",
    added: int = 0,
    replied: int | None = None,
    imported: UUID | None = None,
    told: Annotated[str, Query(pattern=r"^[0-9]{1,5}-[0-9]{1,5}-[0-9]{1,5}$")] = "",
    undo: UUID | None = None,
    removed: UUID | None = None,
    made: bool = False,
) -> Response:
    """Show the guests and the forms to add some; `made` tells that the event was just made from a workbook."""
    gone = guests.removed_guest(session, actor, event_id, removed) if removed else None
    words = words_of_import(told) if imported else MADE if made else ""
    done = {"added": added, "replied": replied, "removed": gone, "undo": imported or undo, "told": words}
    return list_page(request, session, actor, event_id, search=q, page=page, order=order, **done)


@router.post("")
def add_guest(
    request: Request, session: Db, actor: Who, event_id: UUID, form: Annotated[GuestsForm, Form()]
) -> Response:
    """Add one guest."""
    try:
        guests.add_guest(session, actor, event_id, form.entry())
    except Invalid as error:
        return list_page(request, session, actor, event_id, form=form, faults=top_fields(error.faults))
    left = GuestsForm(lines=form.lines)
    return done(request, session, actor, event_id, left, "guests?added=1", added=1)


@router.get("/{guest_id}")
def show_guest(request: Request, session: Db, actor: Who, event_id: UUID, guest_id: UUID, page: int = 1) -> Response:
    """Show the form to change a guest."""
    guest = guests.show_guest(session, actor, event_id, guest_id)
    form = GuestForm(
        name=guest.name,
        party=guest.party or "",
        groups=", ".join(guest.groups),
        note=guest.note or "",
        reply=guest.reply,
        child=guest.child,
        diet=guest.diet or "",
        version=guest.version,
        page=page,
    )
    return _guest_page(request, session, actor, event_id, guest, form)


@router.post("/{guest_id}")
def change_guest(
    request: Request, session: Db, actor: Who, event_id: UUID, guest_id: UUID, form: Annotated[GuestForm, Form()]
) -> Response:
    """Change a guest and go back to the list."""
    guest = guests.show_guest(session, actor, event_id, guest_id)
    try:
        check_version(form.version, guest.version)
        guests.change_guest(session, actor, event_id, guest_id, form.entry())
    except Invalid as error:
        present = form.model_copy(update={"version": guest.version})
        return _guest_page(request, session, actor, event_id, guest, present, top_fields(error.faults))
    return see(event_address(event_id, f"guests?page={form.page}#guest-{guest_id}"))


@router.post("/{guest_id}/remove")
def remove_guest(
    request: Request, session: Db, actor: Who, event_id: UUID, guest_id: UUID, form: Annotated[GuestsForm, Form()]
) -> Response:
    """Remove a guest; the list then offers to undo it."""
    gone = guests.remove_guest(session, actor, event_id, guest_id)
    query = f"guests?page={form.page}&removed={guest_id}"
    return done(request, session, actor, event_id, form, query, page=form.page, removed=gone)


@router.post("/{guest_id}/restore")
def restore_guest(
    request: Request, session: Db, actor: Who, event_id: UUID, guest_id: UUID, form: Annotated[GuestsForm, Form()]
) -> Response:
    """Bring a removed guest back."""
    try:
        guests.restore_guest(session, actor, event_id, guest_id)
    except Invalid as error:
        faults = [Fault("", fault.message) for fault in error.faults]
        return list_page(request, session, actor, event_id, form=form, faults=faults)
    return done(request, session, actor, event_id, form, f"guests#guest-{guest_id}")


def _guest_page(
    request: Request,
    session: Db,
    actor: Who,
    event_id: UUID,
    guest: GuestView,
    form: GuestForm,
    faults: Sequence[Fault] = (),
) -> Response:
    event = access.require_event(session, actor, event_id, "editor")
    about = [view for view in views_of(session, actor, event_id) if guest.id in view.guest_ids]
    page = GuestPage(event, guest, labels.in_use(session, actor, event_id), about, form, faults)
    return render(request, "guests/edit.html", page, 422 if faults else 200)
