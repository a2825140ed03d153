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
from app.plans import versions
from app.plans.manual_edits import MoveEntry, MoveKind
from app.plans.move_options import list_options
from app.plans.plan_diff import find_differences
from app.plans.read import PlanView
from app.plans.seat_reasons import find_causes
from app.plans.seating import broken_rules
from app.plans.staleness import find_what_changed
from app.plans.views.edit_feedback import EditFeedback, tell
from app.plans.views.page import Extras, build_page
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


@router.get("")
@kept
def show_plan(
    request: Request,
    ctx: Annotated[EventContext, needs("viewer")],
    plan_id: UUID,
    guest: str = "",
    page: str = "1",
    done: str = "",
) -> Response:
    """Show the plan; `guest` is selected, so that every seat shows what a move would do; `done` is confirmed."""
    held, number = read_id(guest), _read_page(page)
    return _plan_page(request, ctx, plan_id, held=held, page=number, done=done)


@router.post("/moves")
def make_move(
    request: Request,
    ctx: Annotated[EventContext, needs("editor")],
    plan_id: UUID,
    kind: Annotated[str, Form()] = "",
    guest: Annotated[str, Form()] = "",
    to: Annotated[str, Form()] = "",
    page: Annotated[str, Form()] = "1",
) -> Response:
    """Change the plan by hand, and show it again; a refused change says why."""
    held, number = read_id(guest), _read_page(page)
    try:
        entry = _read_move(kind, held, to)
        with ctx.session.begin_nested():
            moves.make_move(ctx, plan_id, entry)
    except (Conflict, Invalid) as error:
        return _plan_page(request, ctx, plan_id, held=held, page=number, error=error)
    query = f"?page={number}&done={entry.kind}" if number > 1 else f"?done={entry.kind}"
    return redirect(event_address(ctx.event_id, f"plans/{plan_id}{query}{f'#g-{held}' if held else ''}"))


@router.post("/name")
def rename_plan(
    request: Request,
    ctx: Annotated[EventContext, needs("editor")],
    plan_id: UUID,
    name: Annotated[str, Form()] = "",
    back: Annotated[str, Form()] = "",
) -> Response:
    """Give the plan a name, and go back to the page of the plan or of all versions."""
    try:
        versions.rename_plan(ctx, plan_id, name)
    except Invalid as error:
        return _plan_page(request, ctx, plan_id, error=error, entered_name=name)
    return redirect(event_address(ctx.event_id, "plans" if back else f"plans/{plan_id}"))


@router.post("/choose")
def choose_plan(
    ctx: Annotated[EventContext, needs("editor")], plan_id: UUID, back: Annotated[str, Form()] = ""
) -> Response:
    """Let this plan be the one in use."""
    versions.use_plan(ctx, plan_id)
    return redirect(event_address(ctx.event_id, "plans" if back else f"plans/{plan_id}"))


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
        return _plan_page(request, ctx, plan_id, error=Conflict(error.message))
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
        return _plan_page(request, ctx, plan_id, error=Conflict(error.message))
    return redirect(event_address(ctx.event_id, f"plan?new=1&rule={rule.id}"))


@router.post("/delete")
def delete_plan(ctx: Annotated[EventContext, needs("editor")], plan_id: UUID) -> Response:
    """Delete the plan and go to all versions, where that can be undone."""
    versions.delete_plan(ctx, plan_id)
    return redirect(event_address(ctx.event_id, f"plans?deleted={plan_id}"))


def _plan_page(
    request: Request,
    ctx: EventContext,
    plan_id: UUID,
    *,
    held: UUID | None = None,
    page: int = 1,
    error: Conflict | Invalid | None = None,
    entered_name: str | None = None,
    done: str = "",
) -> Response:
    event = ctx.event
    view = plans.read_plan(ctx, plan_id)
    is_locked = any(guest.locked for table in view.tables for guest in table.guests if guest.id == held)
    can_move = held is not None and view.can_edit and not is_locked
    extras = Extras(
        others=plans.list_plans(ctx, limit=MOST_OTHERS),
        stale=read_staleness(ctx, view),
        causes=find_causes(ctx.session, view) if view.can_edit else {},
        differences=find_differences(ctx.session, view),
        feedback=_feedback(ctx.session, view, done),
        held=held,
        options=list_options(ctx, plan_id, held) if held and can_move else (),
        can_undo=view.can_edit and moves.can_undo(ctx.session, view.plan),
        can_redo=view.can_edit and moves.can_redo(ctx.session, view.plan),
        faults=_faults(error),
        entered_name=view.plan.name if entered_name is None else entered_name,
        page=page,
    )
    answer = render(request, "plans/show.html", build_page(event, view, extras), 422 if error else 200)
    if extras.stale.is_unchecked:  # the answer comes without a change of the event
        answer.headers["Cache-Control"] = PASSING
    return answer


def _feedback(session: Db, view: PlanView, done: str) -> EditFeedback:
    kind = next((kind for kind in get_args(MoveKind) if kind == done), None)
    return tell(view, moves.last_done(session, view.plan, kind)) if kind and view.can_edit else EditFeedback()


def read_staleness(ctx: EventContext, view: PlanView) -> Staleness:
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
