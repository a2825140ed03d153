"""The pages of all versions of a plan: cards, small pictures, alternatives, and two plans side by side."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from uuid import UUID

from fastapi import Depends, Request, Response

from app.db.models import Plan
from app.errors import NotFound
from app.events.cached_pages import find_kept, keep, kept, make_tag
from app.events.context import EditorContext, EventContext, ViewerContext
from app.events.queries import revision_without
from app.plans import versions
from app.plans.character import find_characters
from app.plans.comparison import compare_plans
from app.plans.moves.exceptions import list_exceptions
from app.plans.names import plan_name
from app.plans.queries.versions import VersionRow, count_versions
from app.plans.read import current_plan_id, read_plan, require_plan
from app.plans.views.certainty import difference_words
from app.plans.views.comparison import build_comparison
from app.plans.views.picture import draw_picture
from app.plans.views.versions import (
    VERSIONS_PER_PAGE,
    AlternativesPage,
    VersionsPage,
    alternative_cards,
    deleted_card,
    family_names,
    version_card,
)
from app.problem.queries.seats import count_following_links
from app.web.deps import guard_form
from app.web.html.forms import read_id
from app.web.html.paging import PageNumber
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}/plans", dependencies=[Depends(guard_form)])
MOST_CHOICES = 100


@router.get("")
@kept
def list_versions(request: Request, ctx: ViewerContext, page: PageNumber = 1, deleted: str = "") -> Response:
    """Show all versions as cards; `deleted` was just deleted, which can be undone."""
    pages = max(1, -(-count_versions(ctx.session, ctx.event_id) // VERSIONS_PER_PAGE))
    number = min(page, pages)
    rows = versions.list_versions(ctx, limit=VERSIONS_PER_PAGE, skip=(number - 1) * VERSIONS_PER_PAGE)
    current = current_plan_id(ctx)
    may_edit = ctx.allows("editor")
    gone = [deleted_card(ctx.event, row) for row in versions.list_deleted(ctx)] if may_edit else []
    shown = VersionsPage(
        event=ctx.event,
        may_edit=may_edit,
        address=event_address(ctx.event_id, "plans"),
        cards=[version_card(ctx, row, current=current) for row in rows],
        current=current,
        page=number,
        pages=pages,
        deleted=gone,
        just_deleted=next((card for card in gone if card.id == read_id(deleted)), None),
        following_links=count_following_links(ctx.session, ctx.event_id) if may_edit else 0,
    )
    return render(request, "plans/versions.html", shown)


@router.get("/{plan_id}/picture.svg")
def show_picture(request: Request, ctx: ViewerContext, plan_id: UUID) -> Response:
    """Show the plan as a small picture; it stays the same until the plan, its guests or its tables change."""
    plan = require_plan(ctx, plan_id)
    revision = revision_without(ctx.event, ("ratings", "plans", "rules"))
    tag = make_tag("picture", plan.id, plan.version, revision, ctx.allows("editor"))
    if found := find_kept(request, tag):
        return found
    picture = draw_picture(read_plan(ctx, plan_id))
    return keep(request, tag, Response(picture, media_type="image/svg+xml"))


@router.get("/{plan_id}/alternatives")
@kept
def list_alternatives(request: Request, ctx: EditorContext, plan_id: UUID) -> Response:
    """Show the good plans of a run as cards, each with what is special about it."""
    family = versions.list_family(ctx, plan_id)
    main = next((plan for plan in family if plan.alternative_of is None), None)
    if main is None:
        raise NotFound("Plan not found in this event.")
    view = read_plan(ctx, main.id)
    differences = {one.id: difference_words(view, one) for one in view.alternatives}
    cards = alternative_cards(ctx, family, find_characters(ctx, main), differences, current=current_plan_id(ctx))
    address = event_address(ctx.event_id, "plans")
    page = AlternativesPage(ctx.event, True, address, plan_name(main), main.id, cards)
    return render(request, "plans/alternatives.html", page)


@router.get("/{plan_id}/compare")
@kept
def show_comparison(
    request: Request,
    ctx: ViewerContext,
    plan_id: UUID,
    other: str = "",
    page: PageNumber = 1,
) -> Response:
    """Show two plans side by side: this one, and the other as what came after it."""
    plan = require_plan(ctx, plan_id)
    current = current_plan_id(ctx)
    rows = versions.list_versions(ctx, limit=MOST_CHOICES)
    after = read_id(other) or _other_than(ctx, plan, rows)
    named = {row.plan.id: plan_name(row.plan) for row in rows}
    for key in (plan_id, after):
        if key not in named:
            named[key] = family_names(versions.list_family(ctx, key))[key]
    compared = compare_plans(ctx, plan_id, after)
    sides = (compared.before.plan, compared.after.plan) if ctx.allows("editor") else ()
    exceptions = {side.id: list_exceptions(ctx.session, side) for side in sides}
    shown = build_comparison(ctx.event, compared, list(named.items()), exceptions, current=current, page=page)
    return render(request, "plans/compare.html", shown)


def _other_than(ctx: EventContext, plan: Plan, rows: Sequence[VersionRow]) -> UUID:
    """Return what a plan is compared with if nobody says: the newest other version, or its first alternative."""
    beside = (one for one in versions.list_family(ctx, plan.id) if one.round == plan.round)
    others = chain((row.plan for row in rows), beside)
    return next((one.id for one in others if one.id != plan.id), plan.id)


@router.post("/{plan_id}/duplicate")
def duplicate_plan(ctx: EditorContext, plan_id: UUID) -> Response:
    """Copy the plan, and go to all versions."""
    versions.duplicate_plan(ctx, plan_id)
    return redirect(event_address(ctx.event_id, "plans"))


@router.post("/{plan_id}/restore")
def restore_plan(ctx: EditorContext, plan_id: UUID) -> Response:
    """Bring a deleted plan back, and go to all versions."""
    versions.restore_plan(ctx, plan_id)
    return redirect(event_address(ctx.event_id, "plans"))
