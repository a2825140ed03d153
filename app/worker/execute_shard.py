"""execute_shard: take one shard of a run, search it, and keep what it found for the one who finishes the run."""

from __future__ import annotations

from functools import partial
from typing import Literal
from uuid import UUID

from sqlalchemy.orm import Session

from app.problem.packing import unpack
from app.problem.snapshot import with_names
from app.runs.leases import Ticket, read_names
from app.runs.shards import ShardLease, end_shard, fail_run, hand_back_shard, renew_shard, take_shard
from app.solver import ShouldStop, search_shard
from app.worker.execute import solve_run
from app.worker.leased_work import HeldWork, Outcome, Save, WorkerContext
from app.worker.progress_tracker import Tracker
from app.worker.report import report_run
from app.worker.retry import retry


def execute(worker: WorkerContext, ticket: Ticket) -> Outcome | None:
    """Do what a ticket says: a whole run, or a shard and, when it was the last one, the end of its run."""
    if ticket.shard is not None:
        outcome = execute_shard(worker, ticket.run_id, ticket.shard)
        if outcome not in (None, "done"):
            return outcome
    return solve_run(worker, ticket.run_id)


def execute_shard(worker: WorkerContext, run_id: UUID, number: int) -> Outcome | None:
    """Search one shard; "done" when it was the last, None when it cannot be claimed."""
    lease = retry(worker.sessions, lambda session: _take(worker, session, run_id, number))
    if lease is None or lease == "put back":
        return lease
    held = HeldWork(
        worker,
        lease,
        work=partial(_search, worker, lease),
        renew=lambda session, progress: renew_shard(session, lease, progress),
        hand_back=lambda session: hand_back_shard(session, lease),
        fail=lambda session, error: fail_run(session, lease, error),
        cancel=lambda: "handed back" if worker.is_stopping() else "lost",  # the run itself has ended already
        shard=number,
    )
    asked = {"shard": number, "attempt": lease.attempt, "method": lease.options.method}
    return report_run(worker.sessions, run_id, "shard", held.execute, **asked)


def _take(
    worker: WorkerContext, session: Session, run_id: UUID, number: int
) -> ShardLease | Literal["put back"] | None:
    return "put back" if worker.put_off(session, run_id, number) else take_shard(session, run_id, number)


def _search(worker: WorkerContext, lease: ShardLease, packed: bytes, tracker: Tracker, should_stop: ShouldStop) -> Save:
    asked = lease.options
    names = retry(worker.sessions, lambda session: read_names(session, lease.run_id))
    found = search_shard(
        with_names(unpack(packed), names).problem,
        number=lease.number,
        shards=asked.shards,
        method=asked.method,
        restarts=asked.restarts,
        time_limit=asked.time_limit,
        seed=asked.seed,
        on_progress=tracker,
        should_stop=should_stop,
    ).to_bytes()
    return lambda session: _keep(session, lease, tracker, found)


def _keep(session: Session, lease: ShardLease, tracker: Tracker, found: bytes) -> Outcome | None:
    """Write the last report and what was found together."""
    renew_shard(session, lease, tracker.report())
    left = end_shard(session, lease, found)
    if left is None:
        return None
    return "part done" if left else "done"
