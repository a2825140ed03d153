"""Sharing a plan: creating, copying, changing and closing links."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Form, Request, Response
from markupsafe import Markup
from pydantic import BaseModel

from app.db.models import Event, Link
from app.errors import Conflict, FieldError, Invalid
from app.events.context import EditorContext, EventContext
from app.guests.public_names import Namesake
from app.plans import read as plans
from app.plans.names import plan_name
from app.sharing import links, queries
from app.sharing.door.expected import read_expected
from app.sharing.links import AUDIENCE_NAMES, LinkChange
from app.web import link_tokens
from app.web.deps import AppSettings, get_settings, guard_form, is_only_here, own_address
from app.web.html.attachments import attachment
from app.web.html.forms import read_id, read_number
from app.web.html.qr_codes import qr_png, qr_svg
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Router
from app.web.unset import UNSET

router = Router(dependencies=[Depends(guard_form)])
SPANS = ((7, "after a week"), (30, "after a month"), (90, "after three months"), (365, "after a year"))
MOST_PLANS, MOST_LINKS = 250, 200
FOLLOW, DELETED = "Plan in use", "Plan deleted"
INTO_NEXT_DAY = timedelta(hours=12)
"""A link ends at 12:00 UTC of the day after its last one, when that is over in every time zone of the world."""
AUDIENCE_HINTS = {
    "guests": "Names and tables, with “Find your seat”. Nothing else.",
    "venue": "Tables and seats with diets, allergies, children and high chairs, and totals. No ratings, no notes.",
    "planner": "The plan with how well everyone sits and what needs attention. It names pairs who get along, and pairs "
    "who should be kept apart. Nothing can be changed.",
    "door": "Check-in on a phone: names, tables and who has arrived. Nothing else.",
}
AUDIENCE_CHOICES = [(key, words, AUDIENCE_HINTS[key]) for key, words in AUDIENCE_NAMES.items()]


class LinkForm(BaseModel):
    """A link as typed; an empty plan follows the one in use."""

    name: str = ""
    audience: str = "guests"
    plan: str = ""
    days: str = ""


class LinkChangeForm(BaseModel):
    """What is changed about a link; it ends after the day `until`."""

    name: str = ""
    plan: str = ""
    until: str = ""


@dataclass(frozen=True)
class ShownLink:
    """A link in the list: what it is called, for whom, which plan it shows, and its address where it can be derived."""

    link: Link
    name: str
    audience: str
    plan: str
    address: str | None


@dataclass(frozen=True)
class SharePage:
    """The form for a new link with what was entered, and the open links."""

    event: Event
    plans: Sequence[tuple[str, str]]
    audiences: Sequence[tuple[str, str, str]]
    spans: Sequence[tuple[int, str]]
    form: LinkForm
    links: Sequence[ShownLink]
    is_only_here: bool
    namesakes: Sequence[Namesake]
    faults: Sequence[FieldError] = field(default_factory=tuple)
    section: str = "share"


@dataclass(frozen=True)
class LinkPage:
    """One link: its address, its code, and the form to change it."""

    event: Event
    shown: ShownLink
    qr: Markup | None
    plans: Sequence[tuple[str, str]]
    form: LinkChangeForm
    is_only_here: bool
    is_new: bool = False
    faults: Sequence[FieldError] = field(default_factory=tuple)
    section: str = "share"


@router.get("/events/{event_id}/share")
def show_share(request: Request, ctx: EditorContext, settings: AppSettings, plan: str = "") -> Response:
    """Show the links of the event and how to make one; for a plan that is not in use, pinned to it."""
    pinned = "" if read_id(plan) == plans.current_plan_id(ctx) else plan
    days = str(links.days_beyond(ctx.event) or settings.link_days)
    return _share_page(request, ctx, LinkForm(plan=pinned, days=days))


@router.post("/events/{event_id}/share")
def create_link(
    request: Request, ctx: EditorContext, settings: AppSettings, form: Annotated[LinkForm, Form()]
) -> Response:
    """Make a link and go on to its page."""
    try:
        made = links.create_link(
            ctx,
            _read_plan(form.plan),
            audience=links.check_audience(form.audience),
            name=form.name,
            days=read_number(form.days, "days", "The number of days"),
            key=link_tokens.link_key(settings),
        )
    except Invalid as error:
        return _share_page(request, ctx, form, error.faults)
    return redirect(event_address(ctx.event_id, f"links/{made.link.id}?created=1"))


@router.get("/events/{event_id}/links/{link_id}")
def show_link(request: Request, ctx: EditorContext, link_id: UUID, *, created: bool = False) -> Response:
    """Show a link with its address and its code."""
    link = links.show_link(ctx, link_id)
    form = LinkChangeForm(name=link.name, plan=str(link.plan_id or ""), until=_last_day(link))
    return _link_page(request, ctx, link, form, is_new=created)


@router.post("/events/{event_id}/links/{link_id}")
def change_link(
    request: Request, ctx: EditorContext, link_id: UUID, form: Annotated[LinkChangeForm, Form()]
) -> Response:
    link = links.show_link(ctx, link_id)
    try:
        with ctx.session.begin_nested():  # a refused form changes nothing
            is_same_day = form.until.strip() == _last_day(link)
            end = UNSET if is_same_day else _read_end(form.until)
            is_same_plan = form.plan == str(link.plan_id or "")
            plan_id = UNSET if is_same_plan else _read_plan(form.plan)
            links.change_link(ctx, link_id, LinkChange(form.name, plan_id, end))
    except Invalid as error:
        faults = [FieldError("until", f.message) if f.where == "expires_at" else f for f in error.faults]
        return _link_page(request, ctx, link, form, faults)
    return redirect(event_address(ctx.event_id, f"share#link-{link_id}"))


@router.get("/events/{event_id}/links/{link_id}/qr.png")
def download_qr(request: Request, ctx: EditorContext, link_id: UUID) -> Response:
    """Send the code of a link as an image."""
    address = _address(request, links.show_link(ctx, link_id))
    if address is None:
        raise Conflict("The address of this link cannot be shown again. Create a new link.")
    return Response(
        qr_png(address), media_type="image/png", headers={"Content-Disposition": attachment("seating qr", "png", "qr")}
    )


@router.post("/events/{event_id}/links/{link_id}/revoke")
def revoke_link(ctx: EditorContext, link_id: UUID) -> Response:
    """Close a link. This cannot be undone."""
    links.revoke_link(ctx, link_id)
    return redirect(event_address(ctx.event_id, "share"))


def _read_plan(text: str) -> UUID | None:
    if not text:
        return None
    plan_id = read_id(text)
    if plan_id is None:
        raise Invalid(FieldError("plan", "Choose the plan to share."))
    return plan_id


def _read_end(text: str) -> datetime:
    """Return when a link with this last day ends."""
    try:
        return datetime.combine(date.fromisoformat(text.strip()), time(), UTC) + timedelta(days=1) + INTO_NEXT_DAY
    except (ValueError, OverflowError):
        raise Invalid(FieldError("until", "Enter the last day of the link.")) from None


def _last_day(link: Link) -> str:
    """Return the last day of a link, which may end at any time: what `_read_end` would make of it is no earlier."""
    return (link.expires_at - INTO_NEXT_DAY - datetime.resolution).date().isoformat() if link.expires_at else ""


def _address(request: Request, link: Link) -> str | None:
    return links.address_again(own_address(request), link_tokens.link_key(get_settings(request)), link)


def _shown(request: Request, link: Link, names: dict[UUID, str]) -> ShownLink:
    plan = names.get(link.plan_id, DELETED) if link.plan_id else FOLLOW
    audience = AUDIENCE_NAMES.get(link.audience, link.audience)
    return ShownLink(link, link.name or audience, audience, plan, _address(request, link))


def _plan_choices(
    ctx: EventContext, chosen: Collection[str], pinned_to: Collection[UUID]
) -> tuple[list[tuple[str, str]], dict[UUID, str]]:
    """Return what a link can show, and the names of the plans; alternatives only once somebody has chosen one.

    `pinned_to` are the plans of links, which have a name however old they are, unless they were deleted.
    """
    found = list(plans.list_plans(ctx, limit=MOST_PLANS, alternatives=True))
    older = set(pinned_to) - {one.id for one in found}
    found += queries.plans_by_ids(ctx.session, ctx.event_id, older)
    offered = [one for one in found if str(one.id) in chosen or (one.alternative_of is None and one.id not in older)]
    pinned = [(str(one.id), f"Always {plan_name(one)}") for one in offered]
    return [("", FOLLOW), *pinned], {one.id: plan_name(one) for one in found}


def _share_page(request: Request, ctx: EventContext, form: LinkForm, faults: Sequence[FieldError] = ()) -> Response:
    found = links.list_links(ctx, limit=MOST_LINKS)
    choices, names = _plan_choices(ctx, (form.plan,), {link.plan_id for link in found if link.plan_id})
    page = SharePage(
        event=ctx.event,
        plans=choices,
        audiences=AUDIENCE_CHOICES,
        spans=spans_with(form.days, links.days_beyond(ctx.event)),
        form=form,
        links=[_shown(request, link, names) for link in found],
        is_only_here=is_only_here(request),
        namesakes=read_expected(ctx.session, ctx.event).namesakes,
        faults=faults,
    )
    return render(request, "sharing/links.html", page, 422 if faults else 200)


def _link_page(
    request: Request,
    ctx: EventContext,
    link: Link,
    form: LinkChangeForm,
    faults: Sequence[FieldError] = (),
    *,
    is_new: bool = False,
) -> Response:
    # The link's own plan is always among the choices: to save a new name must not let it show another plan.
    choices, names = _plan_choices(ctx, (form.plan, str(link.plan_id)), {link.plan_id} if link.plan_id else ())
    if link.plan_id and link.plan_id not in names:
        choices.append((str(link.plan_id), DELETED))
    shown = _shown(request, link, names)
    # Made of the address alone, which has no character that means something in SVG.
    qr = Markup(qr_svg(shown.address)) if shown.address else None  # noqa: S704  squares only  # nosec B704
    page = LinkPage(ctx.event, shown, qr, choices, form, is_only_here(request), is_new, faults)
    return render(request, "sharing/link.html", page, 422 if faults else 200)


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
