"""Interrupted runs: whose fault it was, and where the run goes then.

A lease that lapsed says only that its worker was silent: it may have been paused, or cut off from the database. A
worker that comes back takes its attempt off the count again, so that only workers that are gone for good count. A run
that is interrupted while nothing else is has probably killed its workers itself; while others are interrupted too, the
machine or the database is at fault, and the run gets more attempts.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, and_, or_, select, update
from sqlalchemy.orm import Session

from app.db.models import Run, RunShard
from app.db.models.runs import LIVE
from app.runs.fair_queue import price_of, take_turns
from app.runs.lease_clock import Leased, is_abandoned
from app.runs.leases import Lease
from app.runs.shards import ShardLease, requeue_shards

TIMES_AS_MANY = 5
"""So many times the usual attempts are allowed while other runs are interrupted as well."""


def forgive(session: Session, lease: Lease | ShardLease) -> None:
    """Take back the attempt of a worker that is alive but lost its lease."""
    leased, own = _row_of(lease.run_id, lease.number if isinstance(lease, ShardLease) else None)
    live = and_(own, leased.status.in_(LIVE), leased.attempts > 0)
    session.execute(update(leased).where(live).values(attempts=leased.attempts - 1))


def _row_of(run_id: UUID, shard: int | None) -> tuple[Leased, ColumnElement[bool]]:
    if shard is None:
        return Run, Run.id == run_id
    return RunShard, and_(RunShard.run_id == run_id, RunShard.number == shard)


def is_given_up(session: Session, run_id: UUID, attempt: int, max_attempts: int) -> bool:
    """Return whether a run has been interrupted so often that it is to blame."""
    if attempt <= max_attempts:
        return False
    if attempt > TIMES_AS_MANY * max_attempts:
        return True
    started = session.scalar(select(Run.started_at).where(Run.id == run_id))
    return not _were_others_interrupted(session, run_id, started)


def put_back(session: Session, run_id: UUID, shard: int | None = None) -> int | None:
    """Let a run or shard whose worker went silent wait behind its account's other runs, if any wait; return its turn.

    Nothing is done where its worker is heard of, or where nothing else waits: then it is simply taken again.
    """
    leased, own = _row_of(run_id, shard)
    silent = and_(own, is_abandoned(session, leased))
    found = select(Run.user_id, Run.turn).where(Run.id == run_id, silent)
    if shard is not None:
        found = found.join(RunShard, RunShard.run_id == Run.id)
    run = session.execute(found).one_or_none()
    if run is None or not _is_another_waiting(session, run_id):
        return None
    turn = take_turns(session, run.user_id, price_of(run.turn), 1)[0]
    values = {"status": "queued", "token": None, "turn": turn} | ({"progress": None} if shard is None else {})
    return session.scalar(update(leased).where(silent).values(**values).returning(leased.turn))


def requeue_running(session: Session) -> int:
    """Let runs that a dead worker left be taken again, after the others; only for the one worker that can be alone."""
    requeue_shards(session)
    held = and_(Run.status == "running", Run.token.is_not(None))
    left = session.execute(select(Run.id, Run.user_id, Run.turn).where(held).order_by(Run.turn)).all()
    for run_id, user_id, turn in left:
        back = take_turns(session, user_id, price_of(turn), 1)[0] if _is_another_waiting(session, run_id) else turn
        session.execute(update(Run).where(Run.id == run_id).values(status="queued", token=None, turn=back))
    return len(left)


def _is_another_waiting(session: Session, run_id: UUID) -> bool:
    waiting = select(Run.id).where(Run.status == "queued", Run.id != run_id)
    return session.scalar(waiting.limit(1)) is not None


def _were_others_interrupted(session: Session, run_id: UUID, since: datetime | None) -> bool:
    """Return whether the worker of any other run has gone for good since this one was started."""
    runs = select(Run.id).where(Run.id != run_id, Run.attempts > 1)
    shards = select(RunShard.run_id).where(RunShard.run_id != run_id, RunShard.attempts > 1)
    if since is not None:
        runs, shards = runs.where(Run.heartbeat_at >= since), shards.where(RunShard.heartbeat_at >= since)
    return bool(session.scalar(select(or_(runs.exists(), shards.exists()))))
