"""The door as members of the event have it: check-in, links for helpers, the big screen and the poster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from fastapi import Depends, Request, Response

from app.db.models import Event
from app.events.context import EditorContext
from app.guests.public_names import Namesake
from app.plans.read import current_plan_id
from app.sharing.door.access import member_access
from app.sharing.door.check_in import list_guests
from app.sharing.door.expected import read_expected
from app.sharing.door.links import create_helper_link
from app.sharing.door.pages.requests import AskedFor, SentArrival, change_arrival
from app.sharing.door.views import check_in_page, check_in_values
from app.sharing.links import days_beyond
from app.sharing.shared_rounds import choose_round
from app.web.deps import AppSettings, guard_form, is_only_here
from app.web.html.rendering import event_address, redirect, render
from app.web.link_tokens import link_key
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}/door", dependencies=[Depends(guard_form)])


@dataclass(frozen=True)
class DoorPage:
    """What there is for the day itself."""

    event: Event
    plan_id: UUID | None
    total: int
    arrived: int
    is_only_here: bool
    namesakes: Sequence[Namesake]
    has_rounds: bool = False
    section: str = "share"


@router.get("")
def show_overview(request: Request, ctx: EditorContext) -> Response:
    """Show what there is for the day itself."""
    found = list_guests(member_access(ctx))
    plan_id = current_plan_id(ctx)
    page = DoorPage(
        ctx.event,
        plan_id,
        len(found.guests),
        found.arrived,
        is_only_here(request),
        read_expected(ctx.session, ctx.event).namesakes,
        bool(choose_round(ctx.session, plan_id, "")[1].numbers),
    )
    return render(request, "sharing/door/overview.html", page)


@router.post("/links")
def create_link(ctx: EditorContext, settings: AppSettings) -> Response:
    """Create a link for helpers and go on to its page."""
    days = days_beyond(ctx.event) or settings.link_days
    made = create_helper_link(ctx, days=days, key=link_key(settings))
    return redirect(event_address(ctx.event_id, f"links/{made.link.id}?created=1"))


@router.get("/check-in")
def show_check_in(request: Request, ctx: EditorContext, asked: AskedFor) -> Response:
    """Show who is expected and who has arrived."""
    address = event_address(ctx.event_id, "door/check-in")
    return check_in_page(request, member_access(ctx), address, asked)


@router.get("/check-in/arrivals")
def read_check_in(request: Request, ctx: EditorContext) -> Response:
    """Send the same to the page's script."""
    return check_in_values(request, member_access(ctx))


@router.post("/check-in/arrivals")
def change_check_in(request: Request, ctx: EditorContext, form: SentArrival) -> Response:
    """Check a guest in or undo it."""
    address = event_address(ctx.event_id, "door/check-in")
    return change_arrival(request, member_access(ctx), address, form)
