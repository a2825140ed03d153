"""Starting a run, watching it and cancelling it."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, get_args
from uuid import UUID

from fastapi import Depends, Form, Request, Response

from app.accounts.current_user import Account, BrowserCredential, CurrentUser, signed_in
from app.db.models import Event
from app.db.types import new_id
from app.errors import FieldError, Invalid
from app.events.context import EditorContext, EventContext, ViewerContext
from app.events.progress import Progress, show_progress
from app.events.streams import EventStreamType, event, follow
from app.problem.queries.seats import count_following_links, current_plan_id, plan_of, use_at_once
from app.rules.conflicts import RuleConflict, find_rule_conflict
from app.rules.views import confirm_rule
from app.runs import prepare as prepared_runs
from app.runs import rule_checks
from app.runs import start as runs
from app.runs.limits import RunLimits
from app.runs.live_plan import LivePlan, read_live_plan
from app.runs.prepare import PreparedRun
from app.runs.queries import RunRow
from app.runs.queue import AppQueue
from app.runs.rounds import met_tables
from app.runs.rounds.earlier_meetings import list_earlier_events
from app.runs.rounds.met_tables import UnknownNames, find_unknown
from app.runs.rounds.planned_before import is_without_plan
from app.runs.rounds.tables import TableRounds, list_table_rounds
from app.runs.rounds.typed_rounds import RoundsRefused, add_rounds
from app.runs.rule_checks import PreparedCheck
from app.runs.start import Longer, Outlook
from app.runs.start_form import TypedOptions, find_open_parts, options_at_first, read_form, read_options
from app.runs.streams import run_seen_by
from app.runs.text import RunWords, describe_run
from app.solver import Goal
from app.web.deps import AppSettings, Db, LongFormRoute, get_settings, guard_form
from app.web.html.forms import read_id
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Before, InThread, Router
from app.web.tried import Tried, tried

router = Router(prefix="/events/{event_id}", dependencies=[Depends(guard_form)], route_class=LongFormRoute)
EARLIER_RUNS = 20


@dataclass(frozen=True)
class StartPage:
    """What would be solved, what prevents it, the form, and earlier runs.

    `submission`, `repair` and `repeats` are what the new run, the change of the newest plan or the repeat of an earlier
    run will be called: pressing twice starts one.
    """

    event: Event
    outlook: Outlook
    options: TypedOptions
    submission: UUID
    earlier: Sequence[RunRow]
    progress: Progress | None
    faults: Sequence[FieldError] = field(default_factory=tuple)
    conflict: RuleConflict | None = None
    is_refused: bool = False
    notice: str = ""
    can_split: bool = False
    newest: UUID | None = None
    links: int = 0
    repair: UUID = field(default_factory=new_id)
    repeats: Sequence[UUID] = ()
    earlier_events: Sequence[tuple[str, str]] = ()
    table_rounds: Sequence[TableRounds] = ()
    open_parts: Collection[str] = ()
    unknown: UnknownNames | None = None
    """Names of who met before that can be skipped, once the form was refused."""
    section: str = "plan"


@dataclass(frozen=True)
class NoPlanPage:
    """What somebody sees who may look at plans but not make them, while there is none."""

    event: Event
    section: str = "plan"


@dataclass(frozen=True)
class RunPage:
    """A run on its way, or why it made no plan."""

    event: Event
    run: RunRow
    words: RunWords
    links: int = 0
    """How many open links show the plan in use, and go on to do so until the new one is used."""
    progress: Progress | None = None
    live: LivePlan | None = None
    section: str = "plan"


def run_limits(session: Db, actor: CurrentUser, settings: AppSettings) -> RunLimits:
    """Return what this account may start."""
    return RunLimits(session, actor, settings.max_waiting_runs, settings.max_run_seconds)


WebRunLimits = Annotated[RunLimits, InThread(run_limits)]


@router.get("/plan")
def show_plan(
    request: Request,
    ctx: ViewerContext,
    new: str = "",
    rule: UUID | None = None,
    again: str = "",
    goal: str = "",
) -> Response:
    """Go to the newest plan, or show how to start one; whoever goes back while a run is on its way gets to it.

    `again` is the run whose options the form begins with, `goal` that of rounds.
    """
    plan_id = current_plan_id(ctx.session, ctx.event_id)
    if plan_id and not new:
        return redirect(event_address(ctx.event_id, f"plans/{plan_id}"))
    if not ctx.allows("editor"):
        return render(request, "runs/none.html", NoPlanPage(ctx.event))
    latest = next(iter(runs.list_runs(ctx, limit=1)), None)
    if latest and not latest.is_over and not rule:
        return redirect(run_address(latest))
    asked = read_id(again)
    if not asked and latest and is_without_plan(latest):
        asked = latest.id
    before = runs.show_run(ctx, asked) if asked else None
    return _start_page(request, ctx, notice=confirm_rule(ctx, rule) if rule else "", again=before, goal=goal)


def prepare_run(
    ctx: EditorContext, limits: WebRunLimits, typed: Annotated[TypedOptions, Depends(read_form)]
) -> Tried[PreparedRun]:
    """Read and pack what is to be solved, before the request begins to write."""
    use = use_at_once(ctx.session, ctx.event_id)

    def prepare() -> PreparedRun:
        options = add_rounds(ctx, typed, read_options(typed))
        return prepared_runs.prepare_run(ctx, replace(options, use_plan=use), limits)

    return tried(prepare)


@router.post("/runs")
def start_run(
    request: Request,
    ctx: EditorContext,
    queue: AppQueue,
    limits: WebRunLimits,
    typed: Annotated[TypedOptions, Depends(read_form)],
    prepared: Annotated[Tried[PreparedRun], Before(prepare_run)],
    submission: Annotated[str, Form()] = "",
) -> Response:
    """Start a run and go to it; the same form sent twice leads to the same run."""
    try:
        limits.check(read_options(typed).time_limit, run_id=read_id(submission))
        run = runs.start_prepared(ctx, queue, prepared, run_id=read_id(submission))
    except Invalid as error:
        return _start_page(request, ctx, typed, error)
    return redirect(run_address(run))


@router.get("/runs/{run_id}")
def show_run(request: Request, ctx: EditorContext, run_id: UUID) -> Response:
    """Show how far a run is, or go on to the plan it made: to choose how many guests move, after a repair."""
    run = runs.show_run(ctx, run_id)
    if run.plan_id:
        tail = "/repair" if run.options.repair else ""
        return redirect(event_address(ctx.event_id, f"plans/{run.plan_id}{tail}"))
    live = read_live_plan(ctx, run)
    counts_ratings = run.options.rounds == 1 or run.options.goal == "wanted"
    settled = show_progress(ctx) if counts_ratings else None
    page = RunPage(ctx.event, run, describe_run(run), _links_to_keep(ctx), settled, live)
    return render(request, "runs/show.html", page)


@router.post("/runs/{run_id}/repeat")
def repeat_run(
    ctx: EditorContext,
    queue: AppQueue,
    limits: WebRunLimits,
    run_id: UUID,
    submission: Annotated[str, Form()] = "",
    whole_time: Annotated[str, Form()] = "",
    seconds: Annotated[float | None, Form()] = None,
) -> Response:
    """Solve again what an earlier run solved, as the event was then: the same, or longer."""
    limits.check(seconds or runs.show_run(ctx, run_id).options.time_limit, run_id=read_id(submission))
    use = use_at_once(ctx.session, ctx.event_id)
    longer = Longer(seconds, bool(whole_time)) if whole_time or seconds is not None else None
    run = runs.repeat_run(ctx, run_id, queue, new_run_id=read_id(submission), use_plan=use, longer=longer)
    return redirect(run_address(run))


@router.post("/runs/{run_id}/cancel")
def cancel_run(ctx: EditorContext, run_id: UUID) -> Response:
    return redirect(run_address(runs.cancel_run(ctx, run_id)))


@router.post("/runs/{run_id}/finish")
def finish_run(ctx: EditorContext, run_id: UUID) -> Response:
    return redirect(run_address(runs.finish_run(ctx, run_id)))


@router.get("/runs/{run_id}/events", response_class=EventStreamType)
async def follow_run(
    request: Request, run: Annotated[RunRow, Depends(run_seen_by(signed_in))], who: BrowserCredential, account: Account
) -> Response:
    """Send what the page of the run says, as it changes."""
    return follow(request.app.state.run_feed, account, who, run, _write_event)


def _write_event(run: RunRow) -> bytes:
    return event("end" if run.is_over else "progress", json.dumps(describe_run(run).as_json()))


def run_address(run: RunRow) -> str:
    return event_address(run.event_id, f"runs/{run.id}")


def _start_page(
    request: Request,
    ctx: EventContext,
    typed: TypedOptions | None = None,
    error: Invalid | None = None,
    notice: str = "",
    again: RunRow | None = None,
    goal: str = "",
) -> Response:
    faults = error.faults if error else []
    outlook = runs.look_ahead(ctx)
    # The outlook lists what prevents a plan, with a link to fix it.
    own_faults = [_in_form(fault) for fault in faults if fault not in outlook.obstacles and fault.where != "rules"]
    earlier = runs.list_runs(ctx, limit=EARLIER_RUNS)
    options = typed or options_at_first(ctx, again) | ({"goal": goal} if goal in get_args(Goal) else {})
    page = StartPage(
        event=ctx.event,
        outlook=outlook,
        options=options,
        submission=new_id(),
        earlier=earlier,
        faults=own_faults,
        conflict=_conflict(ctx, faults),
        is_refused=bool(faults),
        notice=notice,
        can_split=not get_settings(request).is_sqlite,  # there one worker would solve the parts one after the other
        newest=_plan_to_repair(ctx),
        links=_links_to_keep(ctx),
        repeats=[new_id() for _ in earlier],
        earlier_events=list_earlier_events(ctx),
        table_rounds=list_table_rounds(ctx),
        open_parts=find_open_parts(options, own_faults),
        unknown=_unknown_names(ctx, typed, own_faults, error),
        progress=show_progress(ctx),
    )
    return render(request, "runs/start.html", page, 422 if faults else 200)


def _in_form(fault: FieldError) -> FieldError:
    """Point at the tables of all rounds, which the form has in one place, instead of at those of one round."""
    field = fault.where.partition("/")[0]
    return replace(fault, where=field) if field == "round_tables" else fault


def _unknown_names(
    ctx: EventContext, typed: TypedOptions | None, faults: Sequence[FieldError], error: Invalid | None
) -> UnknownNames | None:
    """Return the names that can be skipped: once it was said which are unknown, and not before."""
    if not typed or not (typed.get(met_tables.SKIP_FIELD) or any(fault.where == met_tables.FIELD for fault in faults)):
        return None
    return error.unknown if isinstance(error, RoundsRefused) else find_unknown(ctx, typed)


def _plan_to_repair(ctx: EventContext) -> UUID | None:
    """Return the plan in use, unless it has several rounds: these are planned again as a whole."""
    plan_id = current_plan_id(ctx.session, ctx.event_id)
    plan = plan_of(ctx.session, ctx.event_id, plan_id) if plan_id else None
    return plan.id if plan is not None and not plan.round else None


def _links_to_keep(ctx: EventContext) -> int:
    """Return how many open links show a plan that a new one does not replace by itself."""
    return count_following_links(ctx.session, ctx.event_id) if current_plan_id(ctx.session, ctx.event_id) else 0


def _conflict(ctx: EventContext, faults: Sequence[FieldError]) -> RuleConflict | None:
    """Say which rules cannot all hold: in the words of the run that was refused for them, if one was."""
    refused = next((fault.message for fault in faults if fault.where == "rules"), "")
    found = find_rule_conflict(ctx, without_rules=bool(refused))
    if not refused:
        return found
    return replace(found, message=refused) if found and found.is_certain else RuleConflict(refused)


def prepare_check(ctx: EditorContext) -> PreparedCheck:
    """Copy the rules and all they are about before the request begins to write."""
    return rule_checks.prepare_check(ctx)


@router.post("/rules/check")
def start_check(
    ctx: EditorContext, queue: AppQueue, prepared: Annotated[PreparedCheck, Before(prepare_check)]
) -> Response:
    """Let a worker check rules that would take too long for a page."""
    rule_checks.start_check(ctx, queue, prepared)
    return redirect(event_address(ctx.event_id, "rules"))
