"""Versions of a plan from a file: stored with a run of their own, so that they can be edited like any other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID

import numpy as np
from sqlalchemy import insert

from app.clock import now
from app.db import models
from app.db.types import new_id
from app.events.context import EventContext
from app.plans.metrics import describe, measure
from app.problem.fingerprints import take_marks
from app.problem.packing import pack
from app.problem.snapshot import Snapshot, copy_problem, names_in
from app.runs.options import RunOptions
from app.solver import Result
from app.web.names import without_controls

Objective = Literal["average", "total"]


@dataclass(frozen=True)
class ImportedSeat:
    """A guest's place, counted from 0."""

    guest_id: UUID
    table_id: UUID
    seat: int
    locked: bool = False


@dataclass(frozen=True)
class ImportedPlan:
    """A version as a file has it; `main` is the place among the versions of the one beside which it stands."""

    seats: Sequence[ImportedSeat]
    number: int = 1
    name: str = ""
    main: int | None = None
    round: int = 0
    split_households: bool = False
    objective: Objective = "average"
    created_at: datetime | None = None
    used_at: datetime | None = None
    locked_tables: Sequence[UUID] = ()
    empty_seats: Sequence[tuple[UUID, int]] = ()


def add_plans(ctx: EventContext, plans: Sequence[ImportedPlan]) -> None:
    """Store the versions in their order, measured by the ratings that the event has now."""
    if not plans:
        return
    objectives: list[Objective] = sorted({plan.objective for plan in plans})
    solved = {one: add_run(ctx, RunOptions(objective=one, restarts=0, time_limit=0.0, seed=0)) for one in objectives}
    ids = [new_id() for _ in plans]
    past = until_now([at for plan in plans for at in (plan.created_at, plan.used_at) if at])
    # The version in use has its alternatives beside it: it must be there before they are.
    for place in sorted(range(len(plans)), key=lambda place: plans[place].main is not None):
        plan = plans[place]
        run_id, snapshot = solved[plan.objective]
        main = None if plan.main is None else ids[plan.main]
        stored = models.Plan(id=ids[place], event_id=ctx.event_id, run_id=run_id, alternative_of=main)
        stored.created_at = stored.updated_at = past[plan.created_at] if plan.created_at else now()
        stored.used_at = past[plan.used_at] if plan.used_at else None
        _write(ctx, stored, plan, snapshot)


def until_now(moments: Iterable[datetime]) -> dict[datetime, datetime]:
    """Return for each moment one that is not in the future, in the same order.

    The version used last is the one in use: one from next year would stay in use whatever the planner chooses.
    """
    found: dict[datetime, datetime] = {}
    latest = now()
    for moment in sorted(set(moments), reverse=True):
        if found:
            latest -= timedelta(microseconds=1)
        latest = found[moment] = min(moment, latest)
    return found


def add_run(ctx: EventContext, options: RunOptions) -> tuple[UUID, Snapshot]:
    """Store what the event's guests, tables and ratings pose as a run that is done: moves are measured by it."""
    snapshot = copy_problem(ctx.session, ctx.event, objective=options.objective)
    at = now()
    run = models.Run(
        event_id=ctx.event_id,
        user_id=ctx.actor.user_id,
        status="done",
        **vars(options),
        problem=pack(snapshot),
        marks=take_marks(ctx.session, ctx.event),
        queued_at=at,
        started_at=at,
        finished_at=at,
    )
    ctx.session.add(run)
    ctx.session.flush()
    ctx.session.add(models.RunNames(run_id=run.id, names=names_in(snapshot)))
    ctx.session.flush()
    return run.id, snapshot


def _write(ctx: EventContext, stored: models.Plan, plan: ImportedPlan, snapshot: Snapshot) -> None:
    seated = {seat.guest_id: seat.table_id for seat in plan.seats}
    measures = measure(snapshot, seated)
    stored.mse, stored.total = measures.mse, measures.total
    stored.figures = describe(snapshot, measures, _result(snapshot, seated, measures.mse, measures.total)).stored
    stored.number, stored.name, stored.is_copy = plan.number, _tidied(plan.name), True
    stored.locked_tables = [str(table) for table in plan.locked_tables]
    stored.blocked_seats = [[str(table), seat] for table, seat in plan.empty_seats]
    stored.round, stored.split_households = plan.round, plan.split_households
    stored.created_by = ctx.actor.user_id
    ctx.session.add(stored)
    ctx.session.flush()
    rows: list[dict[str, Any]] = [
        {
            "plan_id": stored.id,
            "guest_id": one.guest_id,
            "table_id": one.table_id,
            "seat": one.seat,
            "locked": one.locked,
        }
        for one in plan.seats
    ]
    if rows:
        ctx.session.execute(insert(models.Seat), rows)


def _tidied(name: str) -> str:
    return " ".join(without_controls(name).split())


def _result(snapshot: Snapshot, seated: Mapping[UUID, UUID], mse: float, total: float) -> Result:
    """Return the seating as if it were found: nothing was searched, so nothing is known about better ones."""
    table_at = {table: place for place, table in enumerate(snapshot.table_ids)}
    count = len(snapshot.guest_ids)
    return Result(
        assignment=np.array([table_at.get(seated[g], -1) if g in seated else -1 for g in snapshot.guest_ids], np.int64),
        seats=np.zeros(count, np.int64),
        mse=mse,
        total=total,
        method="full",
        objective=snapshot.problem.objective,
        seed=0,
        restarts=0,
        iterations=0,
        positions=np.zeros((count, 2)),
    )
