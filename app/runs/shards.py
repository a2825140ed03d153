"""Shards: parts of a run's restarts that workers take like runs. Only the holder of a shard's token can write to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, Select, and_, func, select, update
from sqlalchemy.orm import Session

from app.db.conditions import RunRequest, request_of_run
from app.db.models import Run, RunShard
from app.db.models.runs import LIVE
from app.runs.lease_clock import is_free, moment
from app.runs.options import OPTION_COLUMNS, RunOptions
from app.runs.progress import RunProgress, merge_reports


@dataclass(frozen=True)
class ShardLease:
    """A shard that this worker holds: whoever has the newest token may write."""

    run_id: UUID
    number: int
    token: UUID
    attempt: int
    turn: int
    options: RunOptions


def waiting_shards(session: Session) -> Select[UUID, int, int, datetime]:
    """Return the query for shards that wait, in the columns of waiting runs."""
    return (
        select(Run.id, RunShard.number, RunShard.turn, Run.queued_at)
        .join(Run, Run.id == RunShard.run_id)
        .where(Run.status.in_(LIVE), is_free(session, RunShard))
    )


def take_shard(session: Session, run_id: UUID, number: int) -> ShardLease | None:
    """Claim a shard for this worker, or return None when another one has it, or it or its run is over."""
    token = uuid4()
    taken = session.execute(
        update(RunShard)
        .where(RunShard.run_id == run_id, RunShard.number == number, is_free(session, RunShard), _run_goes_on())
        .values(status="running", token=token, attempts=RunShard.attempts + 1, heartbeat_at=moment(session))
        .returning(RunShard.attempts, RunShard.turn)
    ).one_or_none()
    if taken is None:
        return None
    # Always the shard before its run, so that two workers never wait for each other.
    asked = session.execute(
        update(Run)
        .where(Run.id == run_id, Run.status.in_(LIVE))
        .values(status="running", started_at=func.coalesce(Run.started_at, moment(session)))
        .returning(*(column.expression for column in OPTION_COLUMNS))
    ).one_or_none()
    attempt, turn = taken
    return ShardLease(run_id, number, token, attempt, turn, RunOptions(*asked)) if asked else None


def renew_shard(session: Session, lease: ShardLease, progress: RunProgress | None) -> RunRequest | None:
    """Write progress and heartbeat of the shard, and merged ones of its run; return as `renew_lease` does."""
    values: dict[str, Any] = {"heartbeat_at": moment(session)}
    if progress is not None:
        values["progress"] = progress.to_stored()
    if session.scalar(update(RunShard).where(_held(lease)).values(**values).returning(RunShard.number)) is None:
        return None
    running = update(Run).where(Run.id == lease.run_id, Run.status == "running")
    stored_reports = select(RunShard.progress).where(RunShard.run_id == lease.run_id).order_by(RunShard.number)
    reports = [RunProgress.from_stored(report) for report in session.scalars(stored_reports)]
    merged = merge_reports(reports, restarts=lease.options.restarts, objective=lease.options.objective)
    stored = merged.to_stored() if merged else None
    return session.execute(running.values(progress=stored).returning(request_of_run())).scalar_one_or_none()


def end_shard(session: Session, lease: ShardLease, found: bytes) -> int | None:
    """Keep what the shard found and return how many others are left; None when the lease is lost or the run is over."""
    shard = update(RunShard).where(_held(lease)).values(status="done", token=None, found=found)
    if session.scalar(shard.returning(RunShard.number)) is None:
        return None
    run = update(Run).where(Run.id == lease.run_id, Run.status == "running").values(shards_left=Run.shards_left - 1)
    return session.scalar(run.returning(Run.shards_left))


def hand_back_shard(session: Session, lease: ShardLease) -> bool:
    """Give up a shard that another worker can take; this does not count as a failed attempt."""
    values = {"status": "queued", "token": None, "attempts": RunShard.attempts - 1, "progress": None}
    query = update(RunShard).where(_held(lease)).values(**values)
    return session.scalar(query.returning(RunShard.number)) is not None


def fail_run(session: Session, lease: ShardLease, error: str) -> bool:
    """End the run because one of its shards cannot be solved; the workers of the others notice."""
    held = select(RunShard.number).where(_held(lease)).exists()
    query = update(Run).where(Run.id == lease.run_id, Run.status.in_(LIVE), Run.token.is_(None), held)
    values = {"status": "failed", "error": error, "finished_at": moment(session)}
    return session.scalar(query.values(**values).returning(Run.id)) is not None


def read_found(session: Session, run_id: UUID) -> list[bytes]:
    """Return what all shards of a run found, in their order."""
    query = select(RunShard.found).where(RunShard.run_id == run_id).order_by(RunShard.number)
    return [found for found in session.scalars(query) if found is not None]


def forget_found(session: Session, run_id: UUID) -> None:
    """Drop what the shards found: the plan holds it."""
    session.execute(update(RunShard).where(RunShard.run_id == run_id).values(found=None, progress=None))


def queue_again(session: Session, run_id: UUID, turns: Sequence[int]) -> None:
    """Let all shards of a run wait for their new turns, as if none had been tried."""
    fresh = {"status": "queued", "token": None, "attempts": 0, "found": None, "progress": None}
    for number, turn in enumerate(turns):
        shard = update(RunShard).where(RunShard.run_id == run_id, RunShard.number == number)
        session.execute(shard.values(turn=turn, **fresh))


def requeue_shards(session: Session) -> None:
    """Let shards that a dead worker left be taken again; only for the one worker that can be alone."""
    session.execute(update(RunShard).where(RunShard.status == "running").values(status="queued", token=None))


def _held(lease: ShardLease) -> ColumnElement[bool]:
    return and_(RunShard.run_id == lease.run_id, RunShard.number == lease.number, RunShard.token == lease.token)


def _run_goes_on() -> ColumnElement[bool]:
    return select(Run.id).where(Run.id == RunShard.run_id, Run.status.in_(LIVE)).exists()
