"""Sharing a plan: making and closing links, and the page that guests open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Form, Request, Response

from app.db.models import Event, Link
from app.errors import FieldError, Invalid
from app.events.context import EditorContext, EventContext
from app.events.kept_pages import find_kept, keep, make_tag
from app.plans import read as plans
from app.plans.names import plan_name
from app.sharing import links
from app.sharing.links import SharedPlan
from app.web.deps import AppSettings, Db, guard_form, is_only_here, own_address
from app.web.html.forms import read_id, read_number
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Router

router = Router(dependencies=[Depends(guard_form)])
SPANS = ((7, "after a week"), (30, "after a month"), (90, "after three months"), (365, "after a year"))
MOST_PLANS, MOST_LINKS = 250, 200


@dataclass(frozen=True)
class OpenLink:
    """A link in the list, with the name of its plan."""

    link: Link
    plan: str


@dataclass(frozen=True)
class SharePage:
    """The form for a new link with what was chosen, the new link itself once, and the open ones."""

    event: Event
    plans: Sequence[tuple[UUID, str]]
    plan: str
    spans: Sequence[tuple[int, str]]
    days: str
    links: Sequence[OpenLink]
    new_address: str = ""
    is_only_here: bool = False
    faults: Sequence[FieldError] = field(default_factory=tuple)
    section: str = "share"


@dataclass(frozen=True)
class PublicPage:
    """What guests see: names and tables, and nothing else."""

    shared: SharedPlan
    guest_count: int


@router.get("/events/{event_id}/share")
def show_share(request: Request, ctx: EditorContext, settings: AppSettings, plan: str = "") -> Response:
    """Show the links of the event and how to make one."""
    return _share_page(request, ctx, plan=plan, days=str(links.days_beyond(ctx.event) or settings.link_days))


@router.post("/events/{event_id}/share")
def create_link(
    request: Request, ctx: EditorContext, plan: Annotated[str, Form()] = "", days: Annotated[str, Form()] = ""
) -> Response:
    """Make a link and show its address, this once: it cannot be read back, so there is no page to go on to."""
    try:
        number = read_number(days, "days", "The number of days")
        made = links.create_link(ctx, _read_plan(plan), days=number)
    except Invalid as error:
        return _share_page(request, ctx, plan=plan, days=days, faults=error.faults)
    address = links.link_address(own_address(request), made.token)
    return _share_page(request, ctx, plan=plan, days=days, new_address=address)


@router.post("/events/{event_id}/links/{link_id}/revoke")
def revoke_link(ctx: EditorContext, link_id: UUID) -> Response:
    """Close a link. This cannot be undone."""
    links.revoke_link(ctx, link_id)
    return redirect(event_address(ctx.event_id, "share"))


@router.get("/s/{token}")
def open_link(request: Request, session: Db, token: str) -> Response:
    """Show guests where they sit; a link that was closed is refused before anything that is kept is looked at."""
    tag = make_tag("share", links.state_of_link(session, token))
    if found := find_kept(request, tag, is_public=True):
        return found
    shared = links.open_link(session, token)
    page = PublicPage(shared, sum(len(table.guests) for table in shared.tables))
    return keep(request, tag, render(request, "sharing/public.html", page), is_public=True)


def _read_plan(text: str) -> UUID:
    plan_id = read_id(text)
    if plan_id is None:
        raise Invalid(FieldError("plan", "Choose the plan to share."))
    return plan_id


def _share_page(
    request: Request,
    ctx: EventContext,
    plan: str,
    days: str,
    new_address: str = "",
    faults: Sequence[FieldError] = (),
) -> Response:
    open_links = links.list_links(ctx, limit=MOST_LINKS)
    found = plans.list_plans(ctx, limit=MOST_PLANS, alternatives=True)
    names = {one.id: plan_name(one) for one in found}
    # Other good plans stand here only once somebody has chosen to share them.
    offered = [one for one in found if one.alternative_of is None or str(one.id) == plan]
    page = SharePage(
        event=ctx.event,
        plans=[(one.id, plan_name(one)) for one in offered],
        plan=plan,
        spans=spans_with(days, links.days_beyond(ctx.event)),
        days=days,
        links=[
            OpenLink(link, names.get(link.plan_id, "Older plan") if link.plan_id else "Plan in use")
            for link in open_links
        ],
        new_address=new_address,
        is_only_here=is_only_here(new_address),
        faults=faults,
    )
    status = 422 if faults else (201 if new_address else 200)
    return render(request, "sharing/links.html", page, status)


def spans_with(days: str, beyond: int = 0) -> list[tuple[int, str]]:
    """Return how long a link may be open: first until a week after the event, with the server's own choice among them.

    A span that would end before the event says so.
    """
    own = int(days) if days.isascii() and days.isdigit() and len(days) < 5 else 0
    known = {own: f"after {own} days"} | dict(SPANS) if own else dict(SPANS)
    known.pop(beyond, None)
    until = beyond - links.DAYS_AFTER
    spans = [(n, f"{words} (before the event)" if n < until else words) for n, words in sorted(known.items())]
    return [(beyond, "a week after the event"), *spans] if beyond else spans
