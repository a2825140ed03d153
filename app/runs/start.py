"""Runs: start, watch, cancel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import ColumnElement, case, literal, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.clock import now
from app.db import models
from app.db.models.runs import LIVE
from app.db.types import UtcDateTime, new_id
from app.errors import Conflict, FieldError, NotFound
from app.events.context import EventContext
from app.guests.queries.groups import group_ratings_of
from app.guests.queries.guests import seated_guests_of, seated_names_of
from app.guests.queries.parties import parties_of
from app.problem.snapshot import find_obstacles, locked_guests
from app.ratings.known import count_rated_pairs
from app.runs import queries
from app.runs.fair_queue import price_of, take_turns
from app.runs.leases import Purpose, read_names
from app.runs.options import MOST_RESTARTS, OPTION_NAMES, RunOptions
from app.runs.prepare import PreparedRun, prepare_run, refuse_changed
from app.runs.queries import RunRow
from app.runs.queue import RunQueue
from app.tables.queries import tables_of
from app.web.tried import Tried

SIDE_PRICE = 1
"""The price of a run that makes no plan."""
Status = Literal["queued", "running", "done", "failed", "cancelled"]


@dataclass(frozen=True)
class Longer:
    """How a search goes on: for so many seconds, or for the `whole time` even if no better plan is likely.

    The limit of attempts is lifted either way.
    """

    seconds: float | None = None
    is_whole_time: bool = False


@dataclass(frozen=True)
class Outlook:
    """What a run would solve now, and what prevents it."""

    guests: int
    tables: int
    seats: int
    pairs_rated: int
    pairs: int
    obstacles: tuple[FieldError, ...]
    locked: int = 0
    groups_rated: int = 0
    households: int = 0
    needs_rounds: bool = False
    """Whether the tables have too high minimums to be used all at once, but may be in several rounds."""


def start_run(
    ctx: EventContext, queue: RunQueue, options: RunOptions | None = None, *, run_id: UUID | None = None
) -> RunRow:
    """Prepare a run and write it in one transaction.

    Other writers wait for all of it on SQLite: a server prepares the run before it begins to write.
    """
    known = _known_run(ctx, run_id)
    if known:
        return known
    prepared = Tried(prepare_run(ctx, options or RunOptions()))
    return start_prepared(ctx, queue, prepared, run_id=run_id)


def start_prepared(
    ctx: EventContext, queue: RunQueue, tried: Tried[PreparedRun], *, run_id: UUID | None = None
) -> RunRow:
    """Write a prepared run and hand it over, unless the event has changed since it was prepared.

    A form that is sent twice brings the same `run_id` and gets the run that the first one started.
    """
    ctx.hold()
    known = _known_run(ctx, run_id)
    if known:
        return known
    prepared = tried.get()
    refuse_changed(ctx.session, ctx.event_id, prepared.moment)
    run = models.Run(id=run_id or new_id(), event_id=ctx.event_id, user_id=ctx.actor.user_id, **vars(prepared.options))
    run.problem, run.marks = prepared.problem, prepared.marks
    enqueue(ctx.session, queue, run, prepared.price, prepared.names)
    return _of_event(queries.run_by_id(ctx.session, run.id), ctx.event_id)


def _known_run(ctx: EventContext, run_id: UUID | None) -> RunRow | None:
    """Return the run that the same form has started already, if it was sent before."""
    ctx.require("editor")
    known = queries.run_by_id(ctx.session, run_id) if run_id else None
    return _of_event(known, ctx.event_id) if known else None


def repeat_run(
    ctx: EventContext,
    run_id: UUID,
    queue: RunQueue,
    *,
    new_run_id: UUID | None = None,
    use_plan: bool | None = None,
    longer: Longer | None = None,
) -> RunRow:
    """Start a run with everything that an earlier one was asked, whatever the event holds now.

    `use_plan` may say otherwise than the earlier run whether the plan is used at once, and `longer` how it goes on
    where that one ended.
    """
    ctx.hold()
    known = _known_run(ctx, new_run_id)
    if known:
        return known
    before = ctx.session.get(models.Run, run_id)
    if before is None or before.event_id != ctx.event_id or before.purpose != "plan":
        raise NotFound("Run not found.")
    kept = {name: getattr(before, name) for name in (*OPTION_NAMES, "marks")}
    if use_plan is not None:
        kept["use_plan"] = use_plan
    if longer:
        made = queries.run_by_id(ctx.session, run_id)
        kept |= _go_on(made, longer) if made else {}
    run = models.Run(id=new_run_id or new_id(), event_id=ctx.event_id, user_id=ctx.actor.user_id, **kept)
    # The database copies up to 100 MB by itself: others wait while this process would read and send them.
    copied: Any = select(models.Run.problem).where(models.Run.id == run_id).scalar_subquery()
    run.problem = copied
    enqueue(ctx.session, queue, run, price_of(before.turn), read_names(ctx.session, run_id))
    return _of_event(queries.run_by_id(ctx.session, run.id), ctx.event_id)


def _go_on(run: RunRow, longer: Longer) -> dict[str, Any]:
    """Return the options that differ in a longer search: it begins with the plan of the earlier one where it can."""
    asked = run.options
    changed: dict[str, Any] = {"restarts": MOST_RESTARTS}
    if longer.seconds is not None:
        replace(RunOptions(), time_limit=longer.seconds).check()
        changed["time_limit"] = longer.seconds
    if longer.is_whole_time:
        changed["stop_early"] = False
    has_price = asked.repair or asked.move_cost > 0
    if run.plan_id and asked.method == "full" and asked.shards == 1 and not has_price:
        changed["from_plan"] = run.plan_id
    return changed


def side_run(purpose: Purpose, actor: Actor, event_id: UUID, problem: bytes) -> models.Run:
    """Return a new run that makes no plan; what a plan could be asked does not matter for it."""
    asked = vars(RunOptions(restarts=1, time_limit=0.0))
    return models.Run(id=new_id(), event_id=event_id, user_id=actor.user_id, purpose=purpose, problem=problem, **asked)


def enqueue(
    session: Session, queue: RunQueue, run: models.Run, own_price: int, names: dict[str, str] | None = None
) -> None:
    """Write the run, its shards and names and submit it, unless the same form, sent twice, has just done so."""
    turns = take_turns(session, run.user_id, own_price, run.shards)
    run.turn, run.shards_left = turns[-1], run.shards if run.shards > 1 else 0
    try:
        with session.begin_nested():
            session.add(run)
    except IntegrityError:
        return
    if names:
        session.add(models.RunNames(run_id=run.id, names=names))
    if run.shards > 1:
        session.add_all(models.RunShard(run_id=run.id, number=n, turn=turn) for n, turn in enumerate(turns))
        session.flush()
    queue.submit(session, run.id, turns)


def _of_event(run: RunRow | None, event_id: UUID) -> RunRow:
    if run is None or run.event_id != event_id:
        raise Conflict("This form was already sent or belongs to another event. Reload the page and try again.")
    return run


def list_obstacles(ctx: EventContext) -> list[FieldError]:
    """Say why no plan can be made now, if so; `where` is the page on which it can be fixed."""
    return find_obstacles(len(seated_names_of(ctx.session, ctx.event_id)), tables_of(ctx.session, ctx.event_id))


def look_ahead(ctx: EventContext) -> Outlook:
    """Say what a run would solve now."""
    event = ctx.require("editor")
    guests, tables = seated_guests_of(ctx.session, event), tables_of(ctx.session, ctx.event_id)
    rated, pairs = count_rated_pairs(ctx.session, event, guests, only_seated=True)
    obstacles = find_obstacles(len(guests), tables)
    seats, locked = sum(table.seats for table in tables), len(locked_guests(ctx.session, ctx.event_id))
    groups_rated = len(group_ratings_of(ctx.session, ctx.event_id))
    households = sum(len(party) > 1 for party in parties_of(ctx.session, ctx.event_id))
    return Outlook(
        *(len(guests), len(tables), seats, rated, pairs, tuple(obstacles), locked, groups_rated, households),
        needs_rounds=bool(obstacles and 0 < len(guests) <= seats),
    )


def list_runs(ctx: EventContext, *, limit: int = 100, after: UUID | None = None) -> list[RunRow]:
    """Return the event's runs, the newest first."""
    ctx.require("editor")
    return queries.runs_of(ctx.session, ctx.event_id, limit=limit, after=after)


def show_run(ctx: EventContext, run_id: UUID) -> RunRow:
    ctx.require("editor")
    return _found(ctx, queries.run_by_id(ctx.session, run_id))


def follow_run(ctx: EventContext, run_id: UUID) -> RunRow:
    """Return a run as its stream reads it again and again: without its `met_tables`."""
    ctx.require("editor")
    return _found(ctx, queries.runs_by_ids(ctx.session, [run_id]).get(run_id))


def _found(ctx: EventContext, run: RunRow | None) -> RunRow:
    if run is None or run.event_id != ctx.event_id:
        raise NotFound("Run not found.")
    return run


def cancel_run(ctx: EventContext, run_id: UUID) -> RunRow:
    """End a run that nobody holds at once, ask a running one to stop, leave one that is over as it is."""
    show_run(ctx, run_id)
    stop_runs(ctx.session, models.Run.id == run_id)
    return show_run(ctx, run_id)


def finish_run(ctx: EventContext, run_id: UUID) -> RunRow:
    """Ask a running run to end with the best plan so far; leave one that is over as it is."""
    run = show_run(ctx, run_id)
    if not run.is_over and not run.has_plan_so_far:
        raise Conflict("This run has no plan yet that it could end with. Try again in a moment, or cancel it.")
    running = (models.Run.id == run_id, models.Run.status == "running")
    ctx.session.execute(update(models.Run).where(*running).values(finish_requested=True))
    return show_run(ctx, run_id)


def stop_runs(session: Session, *which: ColumnElement[bool]) -> None:
    """End those of these runs that nobody holds, and ask the others to stop."""
    waiting = models.Run.token.is_(None)  # workers that hold a shard notice that the run is over
    session.execute(
        update(models.Run)
        .where(*which, models.Run.status.in_(LIVE))
        .values(
            cancel_requested=True,
            # One statement: between two of them a worker could take the run or hand it back.
            status=case((waiting, "cancelled"), else_=models.Run.status),
            finished_at=case((waiting, literal(now(), UtcDateTime)), else_=models.Run.finished_at),
        )
    )
