"""The page of a plan: look at it, change it by hand, name it, delete it."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, get_args
from uuid import UUID

from fastapi import Depends, Form, Request, Response

from app.errors import Conflict, FieldError, Invalid
from app.events.context import EventContext, needs
from app.events.kept_pages import PASSING, kept
from app.plans import manual_edits as moves
from app.plans import read as plans
from app.plans.guest_details import read_details
from app.plans.manual_edits import MoveEntry, MoveKind
from app.plans.move_options import Option, list_options
from app.plans.plan_diff import find_differences
from app.plans.read import PlanView
from app.plans.satisfaction import level_of
from app.plans.seat_reasons import find_causes
from app.plans.seating import broken_rules, read_seating
from app.plans.staleness import find_what_changed
from app.plans.views.edit_feedback import EditFeedback, tell
from app.plans.views.found import build_found_page
from app.plans.views.page import Chosen, Extras, build_page
from app.plans.views.stale_banner import Staleness
from app.problem.fingerprints import list_changes
from app.rules import edit as rules
from app.rules.conflicts import find_rule_conflict
from app.rules.edit import RuleEntry
from app.runs import prepare as prepared_runs
from app.runs import start as runs
from app.runs.pages import WebRunLimits, run_address
from app.runs.prepare import PreparedRun
from app.runs.queue import AppQueue
from app.web.deps import Db, guard_form
from app.web.html.forms import read_id
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Before, Router
from app.web.tried import Tried, tried

router = Router(prefix="/events/{event_id}/plans/{plan_id}", dependencies=[Depends(guard_form)])
MOST_OTHERS = 20
MOST_REMEDIED = 6
"""How many guests get their remedies worked out; the others are one click away."""


@router.get("")
@kept
def show_plan(
    request: Request,
    ctx: Annotated[EventContext, needs("viewer")],
    plan_id: UUID,
    tab: str = "",
    guest: str = "",
    table: str = "",
    colour: str = "",
    page: str = "1",
    done: str = "",
) -> Response:
    """Show the plan; `guest` is selected, so that every seat shows what a move would do; `done` is confirmed."""
    chosen = Chosen(tab, read_id(guest), read_id(table), colour, _read_page(page))
    return _plan_page(request, ctx, plan_id, chosen, done=done)


@router.get("/panel")
@kept
def show_panel(
    request: Request,
    ctx: Annotated[EventContext, needs("viewer")],
    plan_id: UUID,
    tab: str = "",
    guest: str = "",
    table: str = "",
    page: str = "1",
) -> Response:
    """Show the panel of the workspace alone."""
    chosen = Chosen(tab, read_id(guest), read_id(table), page=_read_page(page))
    view = plans.read_plan(ctx, plan_id)
    return render(request, "plans/panel.html", build_page(ctx.event, view, chosen, _extras(ctx, view, chosen)))


@router.get("/found")
@kept
def show_how_found(request: Request, ctx: Annotated[EventContext, needs("editor")], plan_id: UUID) -> Response:
    """Show how the plan was found, for the curious."""
    return render(request, "plans/found.html", build_found_page(ctx.event, plans.read_plan(ctx, plan_id)))


@router.post("/moves")
def make_move(
    request: Request,
    ctx: Annotated[EventContext, needs("editor")],
    plan_id: UUID,
    kind: Annotated[str, Form()] = "",
    guest: Annotated[str, Form()] = "",
    to: Annotated[str, Form()] = "",
    tab: Annotated[str, Form()] = "",
    page: Annotated[str, Form()] = "1",
) -> Response:
    """Change the plan by hand, and show it again; a refused change says why."""
    chosen = Chosen(tab, read_id(guest), page=_read_page(page))
    try:
        entry = _read_move(kind, chosen.guest, to)
        with ctx.session.begin_nested():
            moves.make_move(ctx, plan_id, entry)
    except (Conflict, Invalid) as error:
        return _plan_page(request, ctx, plan_id, chosen, error=error)
    page_query = f"&page={chosen.page}" if chosen.page > 1 else ""
    where = f"&guest={chosen.guest}" if chosen.guest else ""
    place = f"#g-{chosen.guest}" if chosen.guest else ""
    query = f"?tab={chosen.tab or 'table'}{where}{page_query}&done={entry.kind}{place}"
    return redirect(event_address(ctx.event_id, f"plans/{plan_id}{query}"))


@router.post("/name")
def rename_plan(
    request: Request, ctx: Annotated[EventContext, needs("editor")], plan_id: UUID, name: Annotated[str, Form()] = ""
) -> Response:
    """Give the plan a name."""
    try:
        plans.rename_plan(ctx, plan_id, name)
    except Invalid as error:
        return _plan_page(request, ctx, plan_id, Chosen(), error=error, entered_name=name)
    return redirect(event_address(ctx.event_id, f"plans/{plan_id}"))


@router.post("/choose")
def choose_plan(ctx: Annotated[EventContext, needs("editor")], plan_id: UUID) -> Response:
    """Let this plan be the one in use instead of the one beside which it stands."""
    plans.choose_plan(ctx, plan_id)
    return redirect(event_address(ctx.event_id, f"plans/{plan_id}"))


def prepare_repair(ctx: Annotated[EventContext, needs("editor")], plan_id: UUID) -> Tried[PreparedRun]:
    """Read and pack what is to be solved, before the request begins to write."""
    return tried(lambda: prepared_runs.prepare_repair(ctx, plan_id))


@router.post("/repair")
def repair_plan(
    request: Request,
    ctx: Annotated[EventContext, needs("editor")],
    queue: AppQueue,
    limits: WebRunLimits,
    plan_id: UUID,
    prepared: Annotated[Tried[PreparedRun], Before(prepare_repair)],
    submission: Annotated[str, Form()] = "",
) -> Response:
    """Find how to change the plan as little as possible, and go to the run that does."""
    try:
        limits.check(run_id=read_id(submission))
        run = runs.start_prepared(ctx, queue, prepared, run_id=read_id(submission))
    except Invalid as error:
        return _plan_page(request, ctx, plan_id, Chosen(), error=Conflict(error.message))
    return redirect(run_address(run))


@router.post("/apart")
def keep_apart(
    request: Request,
    ctx: Annotated[EventContext, needs("editor")],
    plan_id: UUID,
    guest: Annotated[str, Form()] = "",
    other: Annotated[str, Form()] = "",
) -> Response:
    """Make the rule that two guests sit at different tables, and go to where a new plan is made."""
    plans.read_plan(ctx, plan_id)
    pair = tuple(key for key in (read_id(guest), read_id(other)) if key)
    try:
        rule = rules.ensure_rule(ctx, RuleEntry("apart", pair))
    except Invalid as error:
        return _plan_page(request, ctx, plan_id, Chosen(), error=Conflict(error.message))
    return redirect(event_address(ctx.event_id, f"plan?new=1&rule={rule.id}"))


@router.post("/delete")
def delete_plan(ctx: Annotated[EventContext, needs("editor")], plan_id: UUID) -> Response:
    """Delete the plan and go to the one before, or to where one is made."""
    plans.delete_plan(ctx, plan_id)
    return redirect(event_address(ctx.event_id, "plan"))


def _plan_page(
    request: Request,
    ctx: EventContext,
    plan_id: UUID,
    chosen: Chosen,
    *,
    error: Conflict | Invalid | None = None,
    entered_name: str | None = None,
    done: str = "",
) -> Response:
    view = plans.read_plan(ctx, plan_id)
    extras = replace(
        _extras(ctx, view, chosen),
        feedback=_feedback(ctx.session, view, done),
        faults=_faults(error),
        entered_name=view.plan.name if entered_name is None else entered_name,
    )
    answer = render(request, "plans/show.html", build_page(ctx.event, view, chosen, extras), 422 if error else 200)
    if extras.stale.is_unchecked:  # the answer comes without a change of the event
        answer.headers["Cache-Control"] = PASSING
    return answer


def _extras(ctx: EventContext, view: PlanView, chosen: Chosen) -> Extras:
    """Read what the workspace shows besides the plan; somebody who may not edit sees names and tables alone."""
    session, plan, selected = ctx.session, view.plan, chosen.guest
    others = plans.list_plans(ctx, limit=MOST_OTHERS)
    if not view.can_edit:
        return Extras(others=others, stale=_staleness(ctx, view))
    places = {guest.id: guest for table in view.tables for guest in table.guests}
    can_move = selected in places and not places[selected].locked and chosen.shown_tab == "guest"
    return Extras(
        others=others,
        stale=_staleness(ctx, view),
        causes=find_causes(session, view),
        differences=find_differences(session, view),
        details=read_details(session, ctx.event_id),
        options=list_options(ctx, plan.id, selected) if selected and can_move else (),
        rules=_rules(session, view, selected) if selected else (),
        remedies=_remedies(ctx, view) if chosen.shown_tab == "problems" else {},
        can_undo=moves.can_undo(session, plan),
        can_redo=moves.can_redo(session, plan),
    )


def _rules(session: Db, view: PlanView, guest: UUID) -> list[str]:
    seating = read_seating(session, view.plan)
    return [seating.in_words(rule) for rule in seating.rules_naming.get(guest, ())]


def _remedies(ctx: EventContext, view: PlanView) -> dict[UUID, list[Option]]:
    """Return where the guests who sit worst could go instead."""
    if view.figures is None:
        return {}
    bad = [
        guest.id
        for table in view.tables
        for guest in table.guests
        if guest.figure and not guest.locked and level_of(guest.figure, view.figures) == 0
    ]
    return {guest: list_options(ctx, view.plan.id, guest) for guest in bad[:MOST_REMEDIED]}


def _feedback(session: Db, view: PlanView, done: str) -> EditFeedback:
    kind = next((kind for kind in get_args(MoveKind) if kind == done), None)
    return tell(view, moves.last_done(session, view.plan, kind)) if kind and view.can_edit else EditFeedback()


def _staleness(ctx: EventContext, view: PlanView) -> Staleness:
    """Say how the event has gone on; what stands in the way of a new plan is only asked where one is due."""
    if not view.can_edit:
        return Staleness(unseated=view.unseated)
    changes = list_changes(ctx, view.plan.run_id)
    stale = Staleness(changes, unseated=view.unseated, broken_rules=broken_rules(ctx.session, view.plan))
    if not stale:
        return stale
    what = find_what_changed(ctx, view.plan.run_id) if changes else stale.what
    conflict = find_rule_conflict(ctx)
    obstacles = runs.list_obstacles(ctx)
    message = conflict.message if conflict and conflict.is_certain else ""
    is_unchecked = conflict is not None and not conflict.is_certain
    return replace(stale, what=what, obstacles=obstacles, conflict=message, is_unchecked=is_unchecked)


def _faults(error: Conflict | Invalid | None) -> list[FieldError]:
    if error is None:
        return []
    return list(error.faults) if isinstance(error, Invalid) else [FieldError("", error.message)]


def _read_move(kind: str, guest: UUID | None, to: str) -> MoveEntry:
    """Read what the form says: a place is a table or another guest, as `table:…` or `guest:…`."""
    if kind in ("lock", "unlock"):
        return MoveEntry(kind, guest)  # type: ignore[arg-type]  # one of the two that were just named
    if kind in ("undo", "redo"):
        return MoveEntry(kind)  # type: ignore[arg-type]  # one of the two that were just named
    what, _, key = to.partition(":")
    if what == "guest":
        return MoveEntry("swap", guest, other=read_id(key))
    if what == "table":
        return MoveEntry("move", guest, table=read_id(key))
    raise Invalid(FieldError("to", "Choose a seat."))


def _read_page(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 1
