"""/events/{event_id}/runs."""

from __future__ import annotations

import datetime as dt
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request, Response
from pydantic import Field

from app.accounts.current_user import ApiWho, ApiWhoNow, with_api_key
from app.db.models import Run
from app.events.context import EventContext, api_needs, open_event
from app.events.idempotency import OnlyOnce
from app.runs import prepare as prepared_runs
from app.runs import start as runs
from app.runs.engine import AppEngine
from app.runs.limits import RunLimits
from app.runs.options import RunOptions
from app.runs.prepare import PreparedRun
from app.runs.queries import RunRow
from app.runs.streams import EventStreamType, event, follow
from app.solver.asked import Fairness
from app.solver.problem import Method, Objective
from app.web import cursors
from app.web.deps import AppSettings, Db
from app.web.json_api.conditional import After, Limit
from app.web.json_api.schemas import Answer, Body, Id
from app.web.one_hop import Before, InThread, Router, read_database
from app.web.tried import Tried, tried

router = Router(prefix="/api/v1/events/{event_id}/runs", tags=["runs"])

SEED = "The same seed, restarts and shards give the same plan, if they end before the time does"
SHARDS = "From 1 to 64: parts for several workers, each with the time limit"
FAIRNESS = "How much it counts that nobody sits without someone they like; scores only"
FROM_PLAN = "The plan to start from and to move guests away from; left out, the newest where one is needed"
MOVE_COST = "What each guest costs who sits at another table than in that plan, in units of the objective"
REPAIR = "Find the best plan for each number of guests moved: the fewest as the plan, the others as its alternatives"


def run_limits(session: Db, actor: ApiWho, settings: AppSettings) -> RunLimits:
    """Return what this account may start."""
    return RunLimits(session, actor, settings.max_waiting_runs, settings.max_run_seconds)


ApiRunLimits = Annotated[RunLimits, InThread(run_limits)]


class RunIn(Body):
    """What to ask of the solver; everything has a default."""

    method: Method = RunOptions.method
    objective: Objective = RunOptions.objective
    restarts: int = Field(default=RunOptions.restarts, description="From 1 to 1,000,000")
    time_limit: float = Field(default=RunOptions.time_limit, description="Seconds, from 0.1 to 3,600")
    seed: int = Field(default=RunOptions.seed, description=SEED)
    shards: int = Field(default=RunOptions.shards, description=SHARDS)
    fairness: Fairness = Field(default=RunOptions.fairness, description=FAIRNESS)
    from_plan: Id | None = Field(default=RunOptions.from_plan, description=FROM_PLAN)
    move_cost: float = Field(default=RunOptions.move_cost, description=MOVE_COST)
    repair: bool = Field(default=RunOptions.repair, description=REPAIR)


class ProgressOut(Answer):
    """How far a run is; `history` holds (seconds, best) whenever the best value changed."""

    stage: str
    restarts_done: int
    restarts: int
    best: float | None
    seconds: float
    seconds_left: float | None
    history: list[tuple[float, float]]


class RunOut(Answer):
    """A run."""

    id: UUID
    status: runs.Status
    method: str
    objective: str
    restarts: int
    time_limit: float
    seed: int
    shards: int
    fairness: str
    from_plan: UUID | None
    move_cost: float
    repair: bool
    progress: ProgressOut | None
    error: str | None = Field(description="Why it failed, and what to do")
    cancel_requested: bool
    plan_id: UUID | None
    created_at: dt.datetime
    started_at: dt.datetime | None
    finished_at: dt.datetime | None

    @classmethod
    def of(cls, run: RunRow) -> RunOut:
        """Return a run with its options beside its state."""
        return cls.model_validate(vars(run.options) | vars(run))


class RunList(Answer):
    """A page of runs, the newest first."""

    runs: list[RunOut]
    next: UUID | None


@router.get("")
def list_runs(ctx: Annotated[EventContext, api_needs("editor")], limit: Limit = 100, after: After = None) -> RunList:
    """List the runs of an event."""
    found = runs.list_runs(ctx, limit=limit, after=after)
    cursors.check_cursor(ctx.session, Run, ctx.event_id, after)
    full = len(found) == limit
    return RunList(runs=[RunOut.of(run) for run in found], next=found[-1].id if full else None)


def prepare_run(
    ctx: Annotated[EventContext, api_needs("editor")], limits: ApiRunLimits, body: RunIn | None = None
) -> Tried[PreparedRun]:
    """Read and pack what is to be solved, before the request begins to write."""
    options = RunOptions(**(body or RunIn()).model_dump())
    return tried(lambda: prepared_runs.prepare_run(ctx, options, limits))


@router.post("", status_code=202, response_model=RunOut)
def start_run(
    ctx: Annotated[EventContext, api_needs("editor")],
    engine: AppEngine,
    once: OnlyOnce,
    limits: ApiRunLimits,
    prepared: Annotated[Tried[PreparedRun], Before(prepare_run)],
) -> Response:
    """Start a run with the event as it is now."""
    limits.check(prepared.get().options.time_limit)
    run = runs.start_prepared(ctx, engine, prepared)
    return once.answer(RunOut.of(run), location=f"/api/v1/events/{ctx.event_id}/runs/{run.id}", status=202)


@router.post("/{run_id}/repeat", status_code=202, response_model=RunOut)
def repeat_run(
    ctx: Annotated[EventContext, api_needs("editor")],
    engine: AppEngine,
    once: OnlyOnce,
    limits: ApiRunLimits,
    run_id: UUID,
) -> Response:
    """Start a run that solves what an earlier one solved, with the same options, whatever the event holds now."""
    limits.check(runs.show_run(ctx, run_id).options.time_limit)
    run = runs.repeat_run(ctx, run_id, engine)
    return once.answer(RunOut.of(run), location=f"/api/v1/events/{ctx.event_id}/runs/{run.id}", status=202)


@router.get("/{run_id}")
def show_run(ctx: Annotated[EventContext, api_needs("editor")], run_id: UUID) -> RunOut:
    """Show how far a run is, and the plan it made."""
    return RunOut.of(runs.show_run(ctx, run_id))


@router.delete("/{run_id}", status_code=202)
def cancel_run(ctx: Annotated[EventContext, api_needs("editor")], run_id: UUID) -> RunOut:
    """Cancel a run: at once while it waits, within a second while it runs. One that is over stays as it is."""
    return RunOut.of(runs.cancel_run(ctx, run_id))


async def one_run(request: Request, event_id: UUID, run_id: UUID) -> RunRow:
    """Return the run that the address names, if it may be seen."""
    return await read_database(
        request, lambda session: runs.show_run(open_event(session, with_api_key(request, session), event_id), run_id)
    )


@router.get("/{run_id}/events", response_class=EventStreamType)
async def follow_run(request: Request, run: Annotated[RunRow, Depends(one_run)], who: ApiWhoNow) -> Response:
    """Send the run as it changes: events `progress`, and `end` when it is over."""
    return follow(request, who, run, _write_event)


def _write_event(run: RunRow) -> bytes:
    return event("end" if run.is_over else "progress", RunOut.of(run).model_dump_json())
