"""Preparing a run: everything that takes long, read from one moment of the event before anything is written.

Whoever writes waits for other writers, so nothing is read, checked or packed while the event is locked.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from app.db.once import reading_once
from app.errors import Conflict, EventChanged, Invalid, NotFound
from app.events.context import EventContext
from app.events.queries import revision_of
from app.problem.fingerprints import take_marks
from app.problem.packing import pack
from app.problem.queries.seats import current_plan_id, plan_of, use_at_once
from app.problem.rounds import pose_rounds
from app.problem.snapshot import Snapshot, copy_problem, names_in, take_snapshot
from app.rules.conflicts import refuse_contradictions
from app.runs import queries as run_queries
from app.runs.attendance import chances_of
from app.runs.fair_queue import price
from app.runs.limits import RunLimits
from app.runs.options import RunOptions, apply_options, find_start
from app.runs.rounds.earlier_meetings import find_meetings

Moment = tuple[int | None, UUID | None]
"""By what an event is known to be unchanged: the count of its changes, and the plan in use."""


@dataclass(frozen=True)
class PreparedRun:
    """A run that needs only to be written, if the event is still as it was at that moment."""

    moment: Moment
    options: RunOptions
    problem: bytes
    names: dict[str, str]
    marks: dict[str, Any]
    price: int


CHECK_SECONDS = 2.0
"""How long the rules of several rounds are checked in a request: there may be 60 rounds, each with other tables."""
LEAST_GAIN = 0.0005
"""The share of a plan's value that moving one guest has to gain."""


def prepare_run(ctx: EventContext, options: RunOptions, limits: RunLimits | None = None) -> PreparedRun:
    """Check the options and pack the problem as it is now; nothing is written."""
    with reading_once(ctx.session):
        return _prepare(ctx, options, limits)


def _prepare(ctx: EventContext, options: RunOptions, limits: RunLimits | None) -> PreparedRun:
    event = ctx.require("editor")
    moment = _moment(ctx.session, ctx.event_id)  # read first: later changes are noticed when the run is written
    options.check()
    if limits is not None:
        limits.check_early(options.time_limit)
    options = find_start(ctx.session, ctx.event_id, options)
    snapshot, marks = _take(ctx, options), take_marks(ctx.session, event)
    snapshot = apply_options(snapshot, options)
    chances = chances_of(ctx.session, event, snapshot.guest_ids, options)
    if chances:
        snapshot = replace(snapshot, chances=chances)
    if options.met_at is not None or options.met_tables:
        snapshot = replace(snapshot, met=find_meetings(ctx, options.met_at, options.met_tables, snapshot))
    _refuse_contradictions(ctx, snapshot, options)
    return PreparedRun(moment, options, pack(snapshot), names_in(snapshot), marks, price(snapshot.problem.guest_count))


def _take(ctx: EventContext, options: RunOptions) -> Snapshot:
    """Copy what is to be solved, with the tables of each of several rounds, or say what prevents it."""
    if options.rounds == 1:
        return take_snapshot(ctx.session, ctx.event, objective=options.objective, from_plan=options.from_plan)
    snapshot = copy_problem(ctx.session, ctx.event, objective=options.objective)
    return pose_rounds(ctx.session, ctx.event, snapshot, options.rounds, options.round_tables)


def _refuse_contradictions(ctx: EventContext, snapshot: Snapshot, options: RunOptions) -> None:
    """Refuse rules that cannot all hold, in each round that differs; what takes too long is left to the run."""
    if options.rounds == 1:
        refuse_contradictions(ctx.session, ctx.event_id, snapshot)
        return
    seen: set[int] = set()
    until = time.monotonic() + CHECK_SECONDS
    for number, part in enumerate(snapshot.rounds):
        if id(part) in seen:
            continue
        if time.monotonic() > until:
            return
        seen.add(id(part))
        one = snapshot.round(number)
        if options.split_households:
            one = replace(one, problem=replace(one.problem, parties=()))
        try:
            refuse_contradictions(ctx.session, ctx.event_id, one)
        except Invalid as error:
            if not options.round_tables:
                raise
            raise Invalid([replace(f, message=f"Round {number + 1}: {f.message}") for f in error.faults]) from None


def prepare_repair(ctx: EventContext, plan_id: UUID) -> PreparedRun:
    """Prepare a run that changes a plan as little as possible, with the options of the run that made it."""
    return prepare_run(ctx, replace(_options_of(ctx, plan_id), repair=True))


def prepare_rest(ctx: EventContext, plan_id: UUID) -> PreparedRun:
    """Prepare a run that starts from a plan and keeps what is locked there, with the options that made it.

    Nobody moves for a gain that pages would call no change.
    """
    options = _options_of(ctx, plan_id)
    plan = plan_of(ctx.session, ctx.event_id, plan_id)
    value = (plan.total if options.objective == "total" else plan.mse) if plan else None
    return prepare_run(ctx, replace(options, move_cost=abs(value or 0.0) * LEAST_GAIN))


def _options_of(ctx: EventContext, plan_id: UUID) -> RunOptions:
    event = ctx.require("editor")
    plan = plan_of(ctx.session, ctx.event_id, plan_id)
    if plan is None:
        raise NotFound("Plan not found in this event.")
    if plan.round:
        raise Conflict("A plan with several rounds is planned again as a whole. Choose “Plan again”.")
    made_by = run_queries.run_by_id(ctx.session, plan.run_id) if plan.run_id else None
    asked = made_by.options if made_by else RunOptions()
    fairness = asked.fairness if event.kind == "score" else "none"
    use = use_at_once(ctx.session, ctx.event_id)
    return RunOptions(objective=asked.objective, fairness=fairness, from_plan=plan_id, use_plan=use)


def refuse_changed(session: Session, event_id: UUID, moment: Moment) -> None:
    """Refuse to go on with an event, held by now, that is no longer as it was at that moment."""
    if _moment(session, event_id) != moment:
        raise EventChanged


def _moment(session: Session, event_id: UUID) -> Moment:
    return revision_of(session, event_id), current_plan_id(session, event_id)
