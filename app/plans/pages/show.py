"""The workspace of a plan, its panel alone, what every seat would do, and how the plan was found."""

from __future__ import annotations

from typing import Annotated, get_args
from uuid import UUID

from fastapi import Depends, Query, Request, Response

from app.events.cached_pages import kept
from app.events.context import EditorContext, EventContext, ViewerContext
from app.plans import read as plans
from app.plans.moves import history
from app.plans.moves.effects import list_effects, list_effects_with_household
from app.plans.moves.requests import MOST_MOVED, MoveKind
from app.plans.pages.workspace import plan_page, read_extras
from app.plans.queries.moves import newest_moves
from app.plans.views.edit_feedback import EditFeedback, describe_edit
from app.plans.views.found import build_found_page
from app.plans.views.page import Chosen, build_page
from app.plans.views.seat_effects import describe_effects
from app.web.deps import get_settings
from app.web.html.forms import read_id
from app.web.html.rendering import render
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}/plans/{plan_id}")


async def read_chosen(
    tab: str = "", guest: str = "", table: str = "", colour: str = "", page: str = "1", seat: str = ""
) -> Chosen:
    """Read what the address says about the workspace; anything that makes no sense is left out."""
    return Chosen(tab, read_id(guest), read_id(table), colour, read_page(page), read_seat(seat))


ChosenInAddress = Annotated[Chosen, Depends(read_chosen)]


@router.get("")
@kept
def show_plan(request: Request, ctx: ViewerContext, plan_id: UUID, chosen: ChosenInAddress, done: str = "") -> Response:
    """Show the plan; for a selected `guest` every seat shows what a move would do; `done` is confirmed."""
    return plan_page(request, ctx, plan_id, chosen, feedback=_feedback(ctx, plan_id, done))


@router.get("/panel")
@kept
def show_panel(request: Request, ctx: ViewerContext, plan_id: UUID, chosen: ChosenInAddress) -> Response:
    """Show the panel of the workspace alone."""
    view = plans.read_plan(ctx, plan_id)
    return render(request, "plans/panel.html", build_page(ctx.event, view, chosen, read_extras(ctx, view, chosen)))


@router.get("/effects")
def show_effects(
    ctx: EditorContext,
    plan_id: UUID,
    guest: Annotated[list[str] | None, Query(max_length=MOST_MOVED)] = None,
    alone: str = "",
) -> Response:
    """Send the workspace what every seat would do for the selected guests; a household comes along unless `alone`."""
    guests = [key for key in map(read_id, guest or ()) if key]
    if len(guests) == 1 and not alone:
        effects, household = list_effects_with_household(ctx, plan_id, guests[0])
    else:
        effects, household = list_effects(ctx, plan_id, guests), None
    content = describe_effects(guests, effects, household)
    return Response(content, media_type="application/json", headers={"Cache-Control": "no-store"})


@router.get("/found")
@kept
def show_how_found(request: Request, ctx: EditorContext, plan_id: UUID) -> Response:
    """Show how the plan was found, for the curious."""
    page = build_found_page(ctx.event, plans.read_plan(ctx, plan_id), get_settings(request).max_run_seconds)
    return render(request, "plans/found.html", page)


def read_page(text: str) -> int:
    """Read the number of a page of the list; anything else is the first."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 1


def read_seat(text: str) -> int | None:
    """Read the number of a seat."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else None


def _feedback(ctx: EventContext, plan_id: UUID, done: str) -> EditFeedback | None:
    kind = next((kind for kind in get_args(MoveKind) if kind == done), None)
    if kind is None or not ctx.allows("editor"):
        return None
    view = plans.read_plan(ctx, plan_id)
    return describe_edit(view, history.last_done(newest_moves(ctx.session, plan_id, limit=1), kind))
