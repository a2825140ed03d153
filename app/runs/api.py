"""/events/{event_id}/runs."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Annotated, Self
from uuid import UUID

from fastapi import Depends, Request, Response
from pydantic import Field

from app.accounts.current_user import ApiAccount, ApiCredential, ApiUser, with_api_key
from app.accounts.scopes import FOLLOWS_RUNS, SOLVES, may_write
from app.db.models import Run
from app.events.context import ApiEditorContext
from app.events.idempotency import OnlyOnce
from app.events.streams import EventStreamType, event, follow
from app.runs import prepare as prepared_runs
from app.runs import start as runs
from app.runs.limits import RunLimits
from app.runs.options import MOST_AT_TABLE, MOST_MET, RunOptions
from app.runs.prepare import PreparedRun
from app.runs.progress import RunProgress
from app.runs.queries import RunRow
from app.runs.queue import AppQueue
from app.runs.streams import run_seen_by
from app.solver import MOST_IN_ROUNDS, MOST_ROUNDS, Fairness, Goal, Method, Objective
from app.web import cursors
from app.web.deps import AppSettings, Db
from app.web.json_api.conditional import After, Limit
from app.web.json_api.schemas import Answer, Body, Id
from app.web.one_hop import Before, InThread, Router
from app.web.tried import Tried, tried

router = Router(prefix="/api/v1/events/{event_id}/runs", tags=["runs"])

SEED = "The same seed, restarts and shards give the same plan if the run ends before the time limit"
SHARDS = "From 1 to 64: splits the work across workers, each with the full time limit"
FAIRNESS = "How strongly to make sure that everyone knows someone at their table; scores only"
FROM_PLAN = (
    "The plan to start from (“plan the rest”): the run keeps its locked guests, locked tables and seats kept empty, "
    "and makes a new version. Defaults to the plan in use if one is needed"
)
MOVE_COST = "The cost of each guest who sits at a different table than in that plan, in units of the objective"
REPAIR = (
    "Find the best plan for each number of moved guests: the fewest moves as the plan, the others as its alternatives"
)

USE_PLAN = (
    "Use the plan as soon as it is found. If false, it waits as a version until `POST …/plans/{plan_id}/use`, unless "
    "it is the first plan of the event; see `in_use` and `open_links` of the plan. Always false for keys without the "
    "scope `write`"
)
ROUNDS = (
    "From 1 to 60. With 2 or more, people change tables between rounds and meet as many others as possible; the plan "
    "is the first round and lists all of them under `rounds`. For up to 2,000 guests"
)
GOAL = (
    "Whom people are to meet in several rounds: as many as possible (`new`), new people and nobody again and again "
    "(`spread`), or by their scores those who should meet (`wanted`)"
)
HOSTS = "Guests who keep their table in all rounds; one at each table if possible"
MET_AT = "An event that you can see: whoever shares a table in its plan in use, by name, has met before"
MET_TABLES = (
    "Guests who sat together before: a list of guest ids for each table, or for each pair. Up to 100 at a table and "
    "5,000 in all; a pair counts once for each list that has both. Lists and streams of runs leave it out"
)
ROUND_TABLES = (
    "The tables that each round uses, in the order of the rounds: a list of table ids for each, an empty one for all "
    "tables. Leave it out to use all tables in every round. A round's plan has the tables that it does not use locked "
    "and empty"
)
SPLIT = "Whether households may be separated in several rounds, since mixing is the point there"


MAYBE = (
    "The chance in percent, 1 to 100, that guests who replied “maybe” come; below 100 the plan stays good if some of "
    "them stay away"
)
NO_REPLY = "The same for guests who have not replied, if the event seats them"
STOP_EARLY = "End before the time limit when so many attempts found the same best plan that a better one is unlikely"


def run_limits(session: Db, actor: ApiUser, settings: AppSettings) -> RunLimits:
    """Return what this account may start."""
    return RunLimits(session, actor, settings.max_waiting_runs, settings.max_run_seconds)


ApiRunLimits = Annotated[RunLimits, InThread(run_limits)]


class RunIn(Body):
    """Run options; all have defaults."""

    method: Method = RunOptions.method
    objective: Objective = RunOptions.objective
    restarts: int = Field(
        default=RunOptions.restarts, description="Attempts, from 1 to 1,000,000: the run ends after so many"
    )
    time_limit: float = Field(default=RunOptions.time_limit, description="Seconds, from 0.1 to 3,600")
    seed: int = Field(default=RunOptions.seed, description=SEED)
    shards: int = Field(default=RunOptions.shards, description=SHARDS)
    fairness: Fairness = Field(default=RunOptions.fairness, description=FAIRNESS)
    from_plan: Id | None = Field(default=RunOptions.from_plan, description=FROM_PLAN)
    move_cost: float = Field(default=RunOptions.move_cost, description=MOVE_COST)
    repair: bool = Field(default=RunOptions.repair, description=REPAIR)
    use_plan: bool = Field(default=True, description=USE_PLAN)
    rounds: int = Field(default=RunOptions.rounds, description=ROUNDS)
    goal: Goal = Field(default=RunOptions.goal, description=GOAL)
    hosts: list[Id] = Field(default_factory=list, max_length=MOST_IN_ROUNDS, description=HOSTS)
    met_at: Id | None = Field(default=RunOptions.met_at, description=MET_AT)
    met_tables: list[Annotated[list[Id], Field(max_length=MOST_AT_TABLE)]] = Field(
        default_factory=list, max_length=MOST_MET, description=MET_TABLES
    )
    split_households: bool = Field(default=RunOptions.split_households, description=SPLIT)
    round_tables: list[Annotated[list[Id], Field(max_length=MOST_IN_ROUNDS)]] = Field(
        default_factory=list, max_length=MOST_ROUNDS, description=ROUND_TABLES
    )
    stop_early: bool = Field(default=RunOptions.stop_early, description=STOP_EARLY)
    maybe_percent: int = Field(default=RunOptions.maybe_percent, description=MAYBE)
    no_reply_percent: int = Field(default=RunOptions.no_reply_percent, description=NO_REPLY)


class RunSummary(Answer):
    """A run without `met_tables`, which can be long: retrieve a single run for them."""

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
    use_plan: bool
    rounds: int
    goal: str
    hosts: list[UUID]
    met_at: UUID | None
    split_households: bool
    round_tables: list[list[UUID]]
    stop_early: bool
    maybe_percent: int
    no_reply_percent: int
    progress: RunProgress | None
    error: str | None = Field(description="Why the run failed, and what to do next")
    cancel_requested: bool
    finish_requested: bool
    plan_id: UUID | None
    created_at: dt.datetime
    started_at: dt.datetime | None
    finished_at: dt.datetime | None

    @classmethod
    def of(cls, run: RunRow) -> Self:
        """Return a run with its options beside its state."""
        return cls.model_validate(vars(run.options) | vars(run))


class RunOut(RunSummary):
    """A run."""

    met_tables: list[list[UUID]]


class RunList(Answer):
    """A page of runs, newest first."""

    runs: list[RunSummary]
    next: UUID | None


@router.get("", **FOLLOWS_RUNS)
def list_runs(ctx: ApiEditorContext, limit: Limit = 100, after: After = None) -> RunList:
    """List the runs of an event, without their `met_tables`."""
    found = runs.list_runs(ctx, limit=limit, after=after)
    cursors.check_cursor(ctx.session, Run, ctx.event_id, after)
    full = len(found) == limit
    return RunList(runs=[RunSummary.of(run) for run in found], next=found[-1].id if full else None)


def prepare_run(ctx: ApiEditorContext, limits: ApiRunLimits, body: RunIn | None = None) -> Tried[PreparedRun]:
    """Read and pack what is to be solved, before the request begins to write."""
    options = RunOptions(**(body or RunIn()).model_dump())
    use = options.use_plan and may_write(ctx.actor)
    tables, met = tuple(map(tuple, options.round_tables)), tuple(map(tuple, options.met_tables))
    hosts = tuple(dict.fromkeys(options.hosts))
    options = replace(options, use_plan=use, hosts=hosts, round_tables=tables, met_tables=met)
    return tried(lambda: prepared_runs.prepare_run(ctx, options, limits))


@router.post("", status_code=202, response_model=RunOut, **SOLVES)
def start_run(
    ctx: ApiEditorContext,
    queue: AppQueue,
    once: OnlyOnce,
    limits: ApiRunLimits,
    prepared: Annotated[Tried[PreparedRun], Before(prepare_run)],
) -> Response:
    """Start a run with the event as it is now."""
    limits.check(prepared.get().options.time_limit)
    run = runs.start_prepared(ctx, queue, prepared)
    return once.answer(RunOut.of(run), location=f"/api/v1/events/{ctx.event_id}/runs/{run.id}", status=202)


@router.post("/{run_id}/repeat", status_code=202, response_model=RunOut, **SOLVES)
def repeat_run(ctx: ApiEditorContext, queue: AppQueue, once: OnlyOnce, limits: ApiRunLimits, run_id: UUID) -> Response:
    """Repeat an earlier run with the same data and options, even if the event has changed."""
    limits.check(runs.show_run(ctx, run_id).options.time_limit)
    run = runs.repeat_run(ctx, run_id, queue, use_plan=None if may_write(ctx.actor) else False)
    return once.answer(RunOut.of(run), location=f"/api/v1/events/{ctx.event_id}/runs/{run.id}", status=202)


@router.get("/{run_id}", **FOLLOWS_RUNS)
def show_run(ctx: ApiEditorContext, run_id: UUID) -> RunOut:
    """Retrieve a run: its progress, and its plan when done."""
    return RunOut.of(runs.show_run(ctx, run_id))


@router.delete("/{run_id}", status_code=202, **SOLVES)
def cancel_run(ctx: ApiEditorContext, run_id: UUID) -> RunOut:
    """Cancel a run: immediately if it is waiting, within a second if it is running. A finished run does not change."""
    return RunOut.of(runs.cancel_run(ctx, run_id))


@router.post("/{run_id}/finish", status_code=202, **SOLVES)
def finish_run(ctx: ApiEditorContext, run_id: UUID) -> RunOut:
    """End a running run with the best plan so far, within a second. A finished run does not change.

    While it has no plan yet the answer is 409; large events, of some thousand guests, have one only near the end.
    """
    return RunOut.of(runs.finish_run(ctx, run_id))


@router.get("/{run_id}/events", response_class=EventStreamType, **FOLLOWS_RUNS)
async def follow_run(
    request: Request,
    run: Annotated[RunRow, Depends(run_seen_by(with_api_key))],
    who: ApiCredential,
    account: ApiAccount,
) -> Response:
    """Stream a run's changes as events `progress`, then `end`, without its `met_tables`."""
    return follow(request.app.state.run_feed, account, who, run, _write_event)


def _write_event(run: RunRow) -> bytes:
    return event("end" if run.is_over else "progress", RunSummary.of(run).model_dump_json())
