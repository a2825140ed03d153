"""Checks of rules that take too long for a page: a run of their own, whose answer the page of rules shows."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any
from uuid import UUID

import numpy as np
from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.db.models import Run
from app.db.models.runs import OVER
from app.errors import EventChanged
from app.events.context import EventContext
from app.problem.packing import pack
from app.problem.snapshot import Snapshot, names_in
from app.rules.conflicts import MOST_WEIGHED, pose_rules, weighed
from app.rules.queries import RuleState, current_check, state_of_rules
from app.runs.queue import RunQueue
from app.runs.start import SIDE_PRICE, enqueue, side_run
from app.solver import Ratings


@dataclass(frozen=True)
class PreparedCheck:
    """A check that needs only to be written, if the rules are still in that state."""

    asked_at: RuleState
    problem: bytes
    names: dict[str, str]


def prepare_check(ctx: EventContext) -> PreparedCheck:
    """Copy what the check depends on; nothing is written."""
    event = ctx.require("editor")
    asked_at = state_of_rules(ctx.session, ctx.event_id)  # read first: what changes after that is noticed
    snapshot = _with_few_values(ctx.session, ctx.event_id, pose_rules(ctx.session, event))
    return PreparedCheck(asked_at, pack(snapshot), names_in(snapshot))


def start_check(ctx: EventContext, queue: RunQueue, prepared: PreparedCheck) -> None:
    """Ask a worker to check the rules, once for each state; one that waits about an earlier state goes."""
    ctx.hold()
    if state_of_rules(ctx.session, ctx.event_id) != prepared.asked_at:
        raise EventChanged
    if current_check(ctx.session, ctx.event_id):
        return
    ctx.session.execute(delete(Run).where(*_checks_of(ctx.event_id), Run.status == "queued"))
    run = side_run("check", ctx.actor, ctx.event_id, prepared.problem)
    run.marks = asdict(prepared.asked_at)
    enqueue(ctx.session, queue, run, SIDE_PRICE, prepared.names)


def forget_earlier(session: Session, event_id: UUID, run_id: UUID) -> None:
    """Delete the checks that were asked for before this one and are over; a later one may have ended sooner."""
    session.execute(delete(Run).where(*_checks_of(event_id), Run.id < run_id, Run.status.in_(OVER)))


def _checks_of(event_id: UUID) -> tuple[Any, ...]:
    return Run.event_id == event_id, Run.purpose == "check"


def _with_few_values(session: Session, event_id: UUID, snapshot: Snapshot) -> Snapshot:
    """Return the problem with the ratings by which rules are weighed; of many guests there are none to store."""
    problem, count = snapshot.problem, len(snapshot.guest_ids)
    if count <= MOST_WEIGHED:
        return replace(snapshot, problem=replace(problem, matrix=weighed(session, event_id, snapshot.guest_ids)))
    none = Ratings(np.zeros(count + 1, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
    return replace(snapshot, problem=replace(problem, matrix=np.zeros((0, 0)), ratings=none))
