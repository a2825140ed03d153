"""The page of one guest: the form to change them, and the rules about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Form, Query, Request, Response

from app.db.models import Event
from app.errors import FieldError, Invalid
from app.events.context import EditorContext, EventContext
from app.guests import edit as guests
from app.guests import party_and_group_names as labels
from app.guests.guest_view import GuestView
from app.guests.known_fields import KnownFields
from app.guests.party_and_group_names import Labels
from app.guests.views.guest_form import GuestInputs, WholeGuestForm, faults_of_form
from app.guests.views.guest_table import LONGEST_STATE, address_back
from app.rules.views import RuleView, views_of
from app.web.deps import LongFormRoute, guard_form
from app.web.html.forms import check_version
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}/guests", dependencies=[Depends(guard_form)], route_class=LongFormRoute)
Back = Annotated[str, Query(max_length=LONGEST_STATE)]


@dataclass(frozen=True)
class GuestPage:
    """One guest, and the form to change them with what was entered."""

    event: Event
    guest: GuestView
    labels: Labels
    rules: Sequence[RuleView]
    form: WholeGuestForm
    inputs: GuestInputs
    list_address: str
    may_erase: bool = False
    faults: Sequence[FieldError] = field(default_factory=tuple)
    section: str = "guests"


@router.get("/{guest_id}")
def show_guest(request: Request, ctx: EditorContext, guest_id: UUID, back: Back = "") -> Response:
    guest = guests.show_guest(ctx, guest_id)
    form = WholeGuestForm.of(guest, KnownFields.of(ctx.session, ctx.event_id), back=back)
    return _guest_page(request, ctx, guest, form)


@router.post("/{guest_id}")
def change_guest(
    request: Request, ctx: EditorContext, guest_id: UUID, form: Annotated[WholeGuestForm, Form()]
) -> Response:
    known = KnownFields.of(ctx.session, ctx.event_id)
    guest = guests.show_guest(ctx, guest_id)
    try:
        check_version(form.version, guest.version)
        with ctx.session.begin_nested():  # a refused form changes nothing
            guests.change_guest(ctx, guest_id, form.whole_entry(known))
    except Invalid as error:
        present = form.model_copy(update={"version": guest.version})
        return _guest_page(request, ctx, guest, present, faults_of_form(error.faults, known))
    return redirect(_list_address(ctx, guest_id, form))


def _guest_page(
    request: Request, ctx: EventContext, guest: GuestView, form: WholeGuestForm, faults: Sequence[FieldError] = ()
) -> Response:
    about = [view for view in views_of(ctx) if guest.id in view.guest_ids]
    inputs, back = GuestInputs(KnownFields.of(ctx.session, ctx.event_id)), _list_address(ctx, guest.id, form)
    page = GuestPage(ctx.event, guest, labels.in_use(ctx), about, form, inputs, back, ctx.allows("owner"), faults)
    return render(request, "guests/edit.html", page, 422 if faults else 200)


def _list_address(ctx: EventContext, guest_id: UUID, form: WholeGuestForm) -> str:
    """Return the list as it was left, at the guest."""
    return event_address(ctx.event_id, f"{address_back(ctx, form.back, guest=guest_id)}#guest-{guest_id}")
