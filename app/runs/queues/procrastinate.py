"""The engine for PostgreSQL: runs go to the workers as procrastinate's jobs, on any number of machines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from app.db.models import Run
from app.runs.lanes import Lane, lane_of
from app.runs.queue import RunQueue

QUEUES: dict[Lane, str] = {"short": "runs", "long": "long_runs", "questions": "questions"}
"""The queue of each lane: every worker serves all of them at once, so that nothing short waits behind a long run."""
TASK = "execute"
DEFER = text(
    "SELECT procrastinate_defer_jobs_v1(ARRAY["
    "ROW(:queue, :task, :priority, NULL, NULL, CAST(:args AS jsonb), NULL)::procrastinate_job_to_defer_v1])"
)


class ProcrastinateQueue(RunQueue):
    """Defers a job for each shard of a run; PostgreSQL notifies the workers when the transaction is committed."""

    def submit(self, session: Session, run_id: UUID, turns: Sequence[int]) -> None:
        """Defer the jobs in the transaction that writes the run."""
        for number, turn in enumerate(turns):
            defer(session, run_id, number if len(turns) > 1 else None, turn)


def defer(session: Session, run_id: UUID, shard: int | None, turn: int) -> None:
    """Ask the workers to look at a run, or at one shard of it, when its turn comes."""
    run = session.execute(select(Run.purpose, Run.time_limit, Run.turn).where(Run.id == run_id)).one_or_none()
    if run is None:
        return
    # Procrastinate's client has connections of its own, and the job must come with the run or not at all.
    args = json.dumps({"run_id": str(run_id), "shard": shard})
    queue = QUEUES[lane_of(run.purpose, run.time_limit, run.turn)]
    session.execute(DEFER, {"queue": queue, "task": TASK, "priority": -turn, "args": args})


ORPHANS = text(
    """
    WITH waiting AS (
        SELECT id AS run_id, NULL::integer AS shard, turn FROM runs
         WHERE shards_left = 0 AND (status = 'queued' OR (status = 'running' AND
               (token IS NULL OR heartbeat_at < now() - make_interval(secs => :silent))))
        UNION ALL
        SELECT part.run_id, part.number, part.turn FROM run_shards AS part JOIN runs ON runs.id = part.run_id
         WHERE runs.status IN ('queued', 'running') AND (part.status = 'queued' OR
               (part.status = 'running' AND part.heartbeat_at < now() - make_interval(secs => :silent)))
    )
    SELECT run_id, shard, turn FROM waiting WHERE NOT EXISTS (
        SELECT FROM procrastinate_jobs AS job
         WHERE job.queue_name = ANY(:queues) AND job.args ->> 'run_id' = waiting.run_id::text
           AND (waiting.shard IS NULL OR (job.args ->> 'shard')::integer = waiting.shard)
           AND (job.status = 'todo' OR (job.status = 'doing' AND EXISTS (
               SELECT FROM procrastinate_events AS event
                WHERE event.job_id = job.id AND event.type = 'started'
                  AND event.at > now() - make_interval(secs => :silent))))
    )
    """
)
LEFTOVERS = text(
    """
    DELETE FROM procrastinate_jobs AS job WHERE job.status = 'doing' AND job.queue_name = ANY(:queues) AND NOT EXISTS (
        SELECT FROM runs WHERE runs.id::text = job.args ->> 'run_id'
           AND (runs.status IN ('queued', 'running') OR runs.finished_at > now() - make_interval(secs => :silent)))
    """
)


def adopt_orphans(session: Session, silent_seconds: float) -> int:
    """Give a job to every run that waits without one, and drop jobs of runs that are over; return how many it gave.

    A job is lost with a worker that died between taking it and taking the run, and after a change from another engine.
    """
    asked = {"silent": silent_seconds, "queues": list(QUEUES.values())}
    orphans = session.execute(ORPHANS, asked).all()
    for run_id, shard, turn in orphans:
        defer(session, run_id, shard, turn)
    session.execute(LEFTOVERS, asked)
    return len(orphans)
