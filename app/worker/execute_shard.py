"""execute_shard: take one shard of a run, search it, and keep what it found for the one who finishes the run."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Literal
from uuid import UUID

from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from app.problem.snapshot import unpack
from app.runs.failure_messages import GIVEN_UP, reason
from app.runs.interruptions import forgive_shard
from app.runs.leases import Ticket, read_problem
from app.runs.shards import ShardLease, end_shard, fail_run, hand_back_shard, renew_shard, take_shard
from app.solver import Stopped, search_shard
from app.worker.execute import Bench, Outcome, gives_up, put_off, solve_run
from app.worker.heartbeat import Keeper
from app.worker.low_priority import aside
from app.worker.progress_tracker import Tracker
from app.worker.report import report_run
from app.worker.retry import insist


def execute(bench: Bench, ticket: Ticket) -> Outcome | None:
    """Do what a ticket says: a whole run, or a shard and, when it was the last one, the end of its run."""
    if ticket.shard is not None:
        outcome = execute_shard(bench, ticket.run_id, ticket.shard)
        if outcome not in (None, "done"):
            return outcome
    return solve_run(bench, ticket.run_id)


def execute_shard(bench: Bench, run_id: UUID, number: int) -> Outcome | None:
    """Search one shard; "done" when it was the last, None when it is not to be had."""
    lease = insist(bench.sessions, lambda session: _take(bench, session, run_id, number))
    if lease is None or lease == "put back":
        return lease
    work = partial(_execute, bench, lease)
    return report_run(
        bench.sessions, run_id, "shard", work, shard=number, attempt=lease.attempt, method=lease.options.method
    )


def _take(bench: Bench, session: Session, run_id: UUID, number: int) -> ShardLease | Literal["put back"] | None:
    return "put back" if put_off(bench, session, run_id, number) else take_shard(session, run_id, number)


def _execute(bench: Bench, lease: ShardLease) -> Outcome:
    if gives_up(bench, lease.run_id, lease.attempt):
        return _fail(bench, lease, GIVEN_UP.format(times=lease.attempt - 1))
    try:
        outcome = _search(bench, lease)
        if outcome == "lost":
            insist(bench.sessions, lambda session: forgive_shard(session, lease))
        return outcome
    except OperationalError:
        # The database is away for longer than one insists. The lease runs out and the work is taken up again.
        raise
    except Exception as error:
        return _fail(bench, lease, reason(error, lease.run_id))


def _search(bench: Bench, lease: ShardLease) -> Outcome:
    tracker = Tracker()
    give_back = partial(_give_back, bench, lease)
    with Keeper(
        bench.sessions,
        tracker,
        renew=lambda session, progress: renew_shard(session, lease, progress),
        give_back=give_back,
        is_stopping=bench.is_stopping,
    ) as keeper:
        packed = insist(bench.sessions, lambda session: read_problem(session, lease.run_id))
        if packed is None:
            return "lost"
        search = partial(
            search_shard,
            unpack(packed).problem,
            number=lease.number,
            shards=lease.options.shards,
            method=lease.options.method,
            restarts=lease.options.restarts,
            time_limit=lease.options.time_limit,
            seed=lease.options.seed,
            on_progress=tracker,
            should_stop=keeper.should_stop,
        )
        found = None
        with suppress(Stopped):  # before there was any plan
            found = aside(search)
    if keeper.lost or keeper.cancelled:
        return "handed back" if bench.is_stopping() else "lost"
    if bench.is_stopping():
        return "handed back" if insist(bench.sessions, give_back) else "lost"
    if found is None:
        return "lost"
    packed_found = found.to_bytes()
    left = insist(bench.sessions, lambda session: _keep(session, lease, tracker, packed_found))
    if left is None:
        return "lost"
    return "part done" if left else "done"


def _keep(session: Session, lease: ShardLease, tracker: Tracker, found: bytes) -> int | None:
    """Write the last report and what was found together."""
    renew_shard(session, lease, tracker.report())
    return end_shard(session, lease, found)


def _give_back(bench: Bench, lease: ShardLease, session: Session) -> bool:
    """Give the shard back and tell the others, in one transaction."""
    given = hand_back_shard(session, lease)
    if given:
        bench.enqueue(session, lease.run_id, lease.number, lease.turn)
    return given


def _fail(bench: Bench, lease: ShardLease, error: str) -> Outcome:
    return "failed" if insist(bench.sessions, lambda session: fail_run(session, lease, error)) else "lost"
