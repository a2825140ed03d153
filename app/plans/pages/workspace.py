"""Reads what the workspace of a plan shows, and renders all of it or the parts that a change touched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from fastapi import Request, Response

from app.db import models
from app.errors import ConviveError, FieldError, Invalid
from app.events.cached_pages import PASSING
from app.events.context import EventContext
from app.events.progress import show_progress
from app.guests.queries.groups import groups_of
from app.guests.shared_values import shared_fields
from app.plans import read as plans
from app.plans.always_together import AlwaysTogether
from app.plans.character import find_characters
from app.plans.comparison import compare_plans
from app.plans.guest_details import read_details
from app.plans.moves import history
from app.plans.moves.changes import list_changes as list_plan_changes
from app.plans.moves.exceptions import list_exceptions
from app.plans.moves.options import Option, list_options
from app.plans.moves.promises import broken_rules, describe_host, describe_rule
from app.plans.plan_diff import movers_from_main
from app.plans.queries.rounds import main_of
from app.plans.read import PlanView
from app.plans.rounds import describe_route
from app.plans.satisfaction import level_of
from app.plans.seat_reasons import find_causes
from app.plans.seating import read_seating, read_surroundings
from app.plans.staleness import find_what_changed
from app.plans.views.colours import colour_guests
from app.plans.views.edit_feedback import EditFeedback
from app.plans.views.in_use import read_plan_in_use
from app.plans.views.page import Chosen, Extras, PlanPage, build_page
from app.plans.views.stale_banner import Staleness
from app.problem.cached_findings import find_once
from app.problem.fingerprints import list_changes
from app.problem.queries.seats import maker_of
from app.rules.conflicts import find_rule_conflict
from app.runs import start as runs
from app.tables.rooms import read_room
from app.web.deps import Db
from app.web.html.rendering import render, render_macro, render_part

MOST_OTHERS = 20
MOST_CHANGES = 50
MOST_REMEDIED = 6
"""How many guests get their remedies worked out; the others are one click away."""
SHOWS_PROGRESS = ("table", "problems")
"""The tabs that say how settled the plan is."""
FLOOR_LABEL = "Floor plan"
PARTS = {
    "#bar": "plans/_bar.html",
    "#notices": "plans/_notices.html",
    "#tray": "plans/_tray.html",
}
ROUND_PARTS = {"#rounds": "plans/_rounds.html"}
EDITOR_PARTS = {"#history": "plans/_history.html"}
PANEL, TABS = {"#panel": "plans/panel.html"}, {"#tabs": "plans/_tabs.html"}


def plan_page(
    request: Request,
    ctx: EventContext,
    plan_id: UUID,
    chosen: Chosen,
    *,
    error: ConviveError | None = None,
    feedback: EditFeedback | None = None,
    refused: Sequence[tuple[str, str]] = (),
    entered_name: str | None = None,
) -> Response:
    """Render the workspace; a change that was refused can be made anyway with the fields of `refused`."""
    view = plans.read_plan(ctx, plan_id)
    if chosen == Chosen() and feedback is None and not error and _is_new_from_another(ctx, view):
        chosen = Chosen("changes")
    extras = replace(
        read_extras(ctx, view, chosen),
        feedback=feedback or EditFeedback(),
        faults=_faults(error),
        refused=refused,
        entered_name=view.plan.name if entered_name is None else entered_name,
    )
    answer = render(request, "plans/show.html", build_page(ctx.event, view, chosen, extras), 422 if error else 200)
    if extras.stale.is_unchecked:  # the answer comes without a change of the event
        answer.headers["Cache-Control"] = PASSING
    return answer


def render_parts(
    request: Request, page: PlanPage, tables: Iterable[UUID] | None, *, has_menu: bool = False
) -> dict[str, str]:
    """Render what a change may have touched, by the places where it goes: these tables, or all of them.

    The list of tables keeps what is open in it, so only its changed tables are sent; `has_menu` if one is open.
    """
    wanted = None if tables is None else {str(table) for table in tables}
    is_list_kept = wanted is not None and page.tab == "table"
    parts = _render(request, page, TABS if is_list_kept else PANEL)
    for card in page.cards if is_list_kept else ():
        if wanted and card.id in wanted:
            is_open = card.id == page.open_table
            parts[f'[data-table-card="{card.id}"]'] = render_macro(
                "plans/_tables.html", "card", card, page.may_edit, is_open
            )
    if is_list_kept and has_menu and page.open_card:
        parts["#table-menu"] = render_part(request, "plans/_table_menu.html", page)
    for table in page.floor.tables if page.floor else ():
        if wanted is None or table.key in wanted:
            parts[f"#t-{table.key}"] = render_macro("plans/_floor.html", "table", table)
    return parts


def render_room(request: Request, page: PlanPage) -> dict[str, str]:
    """Render the whole drawing and what lists its tables."""
    parts = _render(request, page, PANEL)
    if page.floor is not None:
        parts[".floor-picture"] = render_macro("plans/_floor.html", "picture", page.floor, FLOOR_LABEL)
        parts["#legend"] = render_part(request, "plans/_legend.html", page)
    return parts


def _render(request: Request, page: PlanPage, more: Mapping[str, str]) -> dict[str, str]:
    templates = {**PARTS, **(ROUND_PARTS if page.rounds else {}), **(EDITOR_PARTS if page.may_edit else {}), **more}
    return {place: render_part(request, template, page) for place, template in templates.items()}


def places_of(page: PlanPage) -> dict[str, str]:
    """Return where the tables stand: those that nobody has placed may move a little when names near them change."""
    tables = page.floor.tables if page.floor else ()
    return {f"#t-{table.key}": f"translate({table.x:.1f} {table.y:.1f})" for table in tables}


def read_extras(ctx: EventContext, view: PlanView, chosen: Chosen) -> Extras:
    """Read what the workspace shows besides the plan; somebody who may not edit sees names and tables alone."""
    session, plan, selected = ctx.session, view.plan, chosen.guest
    others = plans.list_plans(ctx, limit=MOST_OTHERS)
    if not view.can_edit:
        return Extras(others=others, stale=read_staleness(ctx, view), room=read_room(ctx), in_use=read_plan_in_use(ctx))
    is_guest_shown = selected is not None and chosen.shown_tab == "guest"
    is_history_shown = chosen.shown_tab == "changes"
    is_list_shown = chosen.shown_tab == "table"
    before = plan_before(session, plan)
    details = find_once(session, ctx.event, "details", lambda: read_details(session, ctx.event_id), without=("plans",))
    fields = find_once(session, ctx.event, "fields", lambda: shared_fields(session, ctx.event_id), without=("plans",))
    return Extras(
        others=others,
        stale=read_staleness(ctx, view),
        room=read_room(ctx),
        causes=find_causes(session, view),
        characters=find_characters(ctx, plan) if view.alternatives else {},
        than_in_use=movers_from_main(session, view),
        plan_before=before,
        since=compare_plans(ctx, before, plan.id) if before and is_history_shown else None,
        details=details,
        fields=fields,
        colours=find_once(session, ctx.event, "colours", lambda: colour_guests(details, fields), without=("plans",)),
        options=list_options(ctx, plan.id, selected) if selected and is_guest_shown else (),
        rules=_rules(session, plan, selected) if selected and is_guest_shown else (),
        remedies=_remedies(ctx, view) if chosen.shown_tab == "problems" else {},
        joined=AlwaysTogether(read_surroundings(session, ctx.event_id)) if chosen.shown_tab == "problems" else None,
        exceptions=list_exceptions(session, plan),
        changes=list_plan_changes(ctx, plan.id, limit=MOST_CHANGES) if is_history_shown else (),
        groups=[(str(group.id), group.name) for group in groups_of(session, ctx.event_id)] if is_list_shown else (),
        can_undo=history.can_undo(session, plan),
        can_redo=history.can_redo(session, plan),
        entered_name=plan.name,
        links=plans.count_links(ctx, main_of(plan)),
        # Questions are about ratings, and rounds about meetings.
        progress=show_progress(ctx) if chosen.shown_tab in SHOWS_PROGRESS and not plan.round else None,
        in_use=read_plan_in_use(ctx),
        own_rounds=describe_route(session, plan, selected) if selected and is_guest_shown else "",
    )


def _rules(session: Db, plan: models.Plan, guest: UUID) -> list[str]:
    """Return in words what holds for a guest: rules that name them, and as a host the table that they keep."""
    seating = read_seating(session, plan)
    rules = [describe_rule(seating, rule) for rule in seating.rules_naming.get(guest, ())]
    return [*rules, describe_host(seating, guest)] if guest in seating.hosts else rules


def _remedies(ctx: EventContext, view: PlanView) -> dict[UUID, list[Option]]:
    """Return where those could go who have no seat or sit worst."""
    figures = view.figures
    bad = [
        guest.id
        for table in view.tables
        for guest in table.guests
        if figures and guest.figure and not guest.locked and level_of(guest.figure, figures) == 0
    ]
    concerned = [*(guest.id for guest in view.tray), *bad]
    return {guest: list_options(ctx, view.plan.id, guest) for guest in concerned[:MOST_REMEDIED]}


def plan_before(session: Db, plan: models.Plan) -> UUID | None:
    """Return the plan that the plan's run started from, if it is still there; several rounds change as a whole."""
    maker = maker_of(session, plan.run_id)
    return maker.plan_before if maker and not plan.round else None


def _is_new_from_another(ctx: EventContext, view: PlanView) -> bool:
    """Whether a plan was made from another and not edited yet: it opens with who moved."""
    return view.can_edit and bool(plan_before(ctx.session, view.plan)) and not history.can_undo(ctx.session, view.plan)


def read_staleness(ctx: EventContext, view: PlanView) -> Staleness:
    """Say how the event has changed since; what prevents a new plan is only looked up when one is due."""
    if not view.can_edit:
        return Staleness(unseated=view.unseated)
    changes = list_changes(ctx, view.plan.run_id)
    stale = Staleness(changes, unseated=view.unseated, broken_rules=broken_rules(ctx.session, view.plan))
    if not stale:
        return stale
    is_by_hand = not changes and history.can_undo(ctx.session, view.plan)
    what = find_what_changed(ctx, view.plan.run_id) if changes else stale.what
    conflict = find_rule_conflict(ctx)
    obstacles = runs.list_obstacles(ctx)
    message = conflict.message if conflict and conflict.is_certain else ""
    is_unchecked = conflict is not None and not conflict.is_certain
    return replace(
        stale, what=what, obstacles=obstacles, conflict=message, is_unchecked=is_unchecked, is_by_hand=is_by_hand
    )


def _faults(error: ConviveError | None) -> list[FieldError]:
    if error is None:
        return []
    return list(error.faults) if isinstance(error, Invalid) else [FieldError("", error.message)]
