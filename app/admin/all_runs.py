"""Operation: how the installation is doing, for whoever runs it, and second chances for runs that failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from sqlalchemy.orm import Session

from app.accounts.actor import Actor, require_operator
from app.admin import queries
from app.admin.queries import Finished, OperatorRun
from app.clock import now
from app.db import models
from app.db.conditions import hold_runs
from app.errors import Conflict, NotFound
from app.runs.fair_queue import price_of, take_turns
from app.runs.lease_clock import STALE_AFTER
from app.runs.queries import count_by_status
from app.runs.queue import RunQueue
from app.runs.shards import queue_again

MOST_ROWS = 100
LATELY = timedelta(hours=1)


@dataclass(frozen=True)
class Figures:
    """The figures of the page for the operator and of /metrics; no workers are counted on SQLite, which has one.

    `silent` runs are under way without a heartbeat; `finished_lately` holds those of the last hour by status.
    """

    by_status: dict[str, int]
    longest_wait_seconds: float
    workers: int | None
    silent: int
    finished_lately: dict[str, Finished]


@dataclass(frozen=True)
class Overview:
    """How the installation is doing."""

    figures: Figures
    going_on: Sequence[OperatorRun]
    failed: Sequence[OperatorRun]


def measure_runs(session: Session) -> Figures:
    """Return the figures; who may see them was checked."""
    oldest = queries.oldest_waiting(session)
    wait = max((now() - oldest).total_seconds(), 0.0) if oldest else 0.0
    return Figures(
        by_status=count_by_status(session),
        longest_wait_seconds=wait,
        workers=queries.count_workers(session, STALE_AFTER.total_seconds()),
        silent=queries.count_silent(session),
        finished_lately=queries.finished_since(session, LATELY),
    )


def show_overview(session: Session, actor: Actor) -> Overview:
    """Return the figures, what waits or runs from the oldest, and what failed from the newest."""
    require_operator(actor)
    going_on = queries.runs_in(session, ("running", "queued"), limit=MOST_ROWS, newest_first=False)
    failed = queries.runs_in(session, ("failed",), limit=MOST_ROWS, newest_first=True)
    return Overview(measure_runs(session), going_on, failed)


def retry_run(session: Session, actor: Actor, run_id: UUID, queue: RunQueue) -> None:
    """Let a failed run start over, with all its attempts before it."""
    require_operator(actor)
    hold_runs(session, models.Run.id == run_id)
    run = session.get(models.Run, run_id)
    if run is None:
        raise NotFound("Run not found.")
    if run.status != "failed":
        raise Conflict("Only a failed run can be retried. Reload the page to see this run's current state.")
    turns = take_turns(session, run.user_id, price_of(run.turn), run.shards)
    run.status, run.error, run.progress, run.attempts = "queued", None, None, 0
    run.queued_at, run.started_at, run.finished_at, run.heartbeat_at = now(), None, None, None
    run.cancel_requested, run.finish_requested, run.turn = False, False, turns[-1]
    run.shards_left = run.shards if run.shards > 1 else 0
    if run.shards > 1:
        queue_again(session, run_id, turns)
    session.flush()
    queue.submit(session, run_id, turns)
