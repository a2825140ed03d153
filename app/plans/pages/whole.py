"""What concerns a plan as a whole: its name, the one in use, repair, plan the rest, a rule from a problem, delete."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Depends, Form, Request, Response

from app.errors import Conflict, Invalid
from app.events.context import EditorContext
from app.plans import read as plans
from app.plans import versions
from app.plans.always_together import AlwaysTogether
from app.plans.pages.workspace import plan_page
from app.plans.seating import read_surroundings
from app.plans.views.page import Chosen
from app.problem.queries.rules import RuleRow
from app.rules import edit as rules
from app.rules.conflicts import find_rule_conflict
from app.rules.edit import RuleEntry
from app.runs import prepare as prepared_runs
from app.runs import start as runs
from app.runs.pages import WebRunLimits, run_address
from app.runs.prepare import PreparedRun
from app.runs.queue import AppQueue
from app.web.deps import guard_form
from app.web.html.forms import read_id
from app.web.html.rendering import event_address, redirect
from app.web.one_hop import Before, Router
from app.web.tried import Tried, tried

router = Router(prefix="/events/{event_id}/plans/{plan_id}", dependencies=[Depends(guard_form)])


@router.post("/name")
def rename_plan(
    request: Request,
    ctx: EditorContext,
    plan_id: UUID,
    name: Annotated[str, Form()] = "",
    back: Annotated[str, Form()] = "",
) -> Response:
    """Give the plan a name, and go back to the page of the plan or of all versions."""
    try:
        versions.rename_plan(ctx, plan_id, name)
    except Invalid as error:
        return plan_page(request, ctx, plan_id, Chosen(), error=error, entered_name=name)
    return redirect(event_address(ctx.event_id, "plans" if back else f"plans/{plan_id}"))


@router.post("/choose")
def choose_plan(ctx: EditorContext, plan_id: UUID, back: Annotated[str, Form()] = "") -> Response:
    """Let this plan be the one in use, and go back to the page of the plan or of all versions."""
    versions.use_plan(ctx, plan_id)
    return redirect(event_address(ctx.event_id, "plans" if back else f"plans/{plan_id}"))


def prepare_repair(ctx: EditorContext, plan_id: UUID) -> Tried[PreparedRun]:
    """Read and pack what is to be solved, before the request begins to write."""
    return tried(lambda: prepared_runs.prepare_repair(ctx, plan_id))


@router.post("/repair")
def repair_plan(
    request: Request,
    ctx: EditorContext,
    queue: AppQueue,
    limits: WebRunLimits,
    plan_id: UUID,
    prepared: Annotated[Tried[PreparedRun], Before(prepare_repair)],
    submission: Annotated[str, Form()] = "",
) -> Response:
    """Find how to change the plan as little as possible, and go to the run that does."""
    return _start(request, ctx, queue, limits, plan_id, prepared, read_id(submission))


def prepare_rest(ctx: EditorContext, plan_id: UUID) -> Tried[PreparedRun]:
    """Read and pack what is to be solved, before the request begins to write."""
    return tried(lambda: prepared_runs.prepare_rest(ctx, plan_id))


@router.post("/rest")
def plan_the_rest(
    request: Request,
    ctx: EditorContext,
    queue: AppQueue,
    limits: WebRunLimits,
    plan_id: UUID,
    prepared: Annotated[Tried[PreparedRun], Before(prepare_rest)],
    submission: Annotated[str, Form()] = "",
) -> Response:
    """Plan again from this plan, keeping what is locked, and go to the run that makes the new version."""
    return _start(request, ctx, queue, limits, plan_id, prepared, read_id(submission))


def _start(
    request: Request,
    ctx: EditorContext,
    queue: AppQueue,
    limits: WebRunLimits,
    plan_id: UUID,
    prepared: Tried[PreparedRun],
    run_id: UUID | None,
) -> Response:
    try:
        limits.check(run_id=run_id)
        run = runs.start_prepared(ctx, queue, prepared, run_id=run_id)
    except Invalid as error:
        return plan_page(request, ctx, plan_id, Chosen(), error=Conflict(error.message))
    return redirect(run_address(run))


@router.post("/apart")
def keep_apart(
    request: Request,
    ctx: EditorContext,
    plan_id: UUID,
    guest: Annotated[str, Form()] = "",
    other: Annotated[str, Form()] = "",
) -> Response:
    """Make the rule that two guests sit at different tables, and go to where a new plan is made.

    A rule that cannot hold is not saved: it would stop every run.
    """
    plans.read_plan(ctx, plan_id)
    pair = tuple(key for key in (read_id(guest), read_id(other)) if key)
    try:
        with ctx.session.begin_nested():
            rule = _ensure_apart(ctx, pair)
    except (Conflict, Invalid) as error:
        return plan_page(request, ctx, plan_id, Chosen("problems"), error=Conflict(error.message))
    return redirect(event_address(ctx.event_id, f"plan?new=1&rule={rule.id}"))


def _ensure_apart(ctx: EditorContext, pair: tuple[UUID, ...]) -> RuleRow:
    around = read_surroundings(ctx.session, ctx.event_id)
    if len(pair) == 2 and AlwaysTogether(around).are_joined(*pair):
        one, other = (around.names.get(guest, "A guest") for guest in pair)
        if AlwaysTogether(around).share_household(*pair):
            way = "Let one of them sit apart first: clear “Household” on their page."
        else:
            way = "Change the rules that seat them together first."
        raise Conflict(f"{one} and {other} are always seated together, so no plan could keep them apart. {way}")
    rule = rules.ensure_rule(ctx, RuleEntry("apart", pair))
    conflict = find_rule_conflict(ctx)
    if conflict and conflict.is_certain and rule.id in conflict.rules:
        raise Conflict(f"No rule was saved. {conflict.message}")
    return rule


@router.post("/delete")
def delete_plan(ctx: EditorContext, plan_id: UUID) -> Response:
    """Delete the plan and go to all versions, which offer to undo it."""
    versions.delete_plan(ctx, plan_id)
    return redirect(event_address(ctx.event_id, f"plans?deleted={plan_id}"))
