"""The engine for PostgreSQL: jobs come with their runs, in the order of their turns, and none is lost or left over."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text

from app.accounts.actor import Actor
from app.admin.all_runs import retry_run
from app.clock import now
from app.db.models import Run
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.questions.answer import ask_for_questions
from app.runs.leases import end_run, take_lease
from app.runs.options import RunOptions
from app.runs.queue import NullQueue
from app.runs.queues.procrastinate import QUEUES, ProcrastinateQueue, adopt_orphans
from app.runs.shards import take_shard
from app.runs.start import start_run
from tests.run_helpers import stored_event, stored_run

pytestmark = [
    pytest.mark.parametrize("database", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True),
]
SILENT = 10.0
FETCH = text("SELECT args FROM procrastinate_fetch_job_v2(ARRAY[:queue]::varchar[], NULL)")
Job = tuple[UUID, int | None]


def submit(sessions: Sessions, actor: Actor, event_id: UUID, **options: Any) -> UUID:
    with transaction(sessions) as session:
        return start_run(open_event(session, actor, event_id), ProcrastinateQueue(), RunOptions(**options)).id


def fetched(sessions: Sessions, count: int) -> list[Job | None]:
    """Take so many jobs as workers would."""
    jobs: list[Job | None] = []
    for _ in range(count):
        with transaction(sessions) as session:
            args = session.scalar(FETCH, {"queue": QUEUES["short"]})
            jobs.append((UUID(args["run_id"]), args["shard"]) if args else None)
    return jobs


def adopt(sessions: Sessions) -> int:
    with transaction(sessions) as session:
        return adopt_orphans(session, SILENT)


def test_jobs_come_in_the_order_of_turns(sessions: Sessions, owner: Actor, stranger: Actor) -> None:
    busy, other = stored_event(sessions, owner), stored_event(sessions, stranger)
    many = [submit(sessions, owner, busy) for _ in range(3)]
    one = submit(sessions, stranger, other)
    assert fetched(sessions, 5) == [(many[0], None), (one, None), (many[1], None), (many[2], None), None]


def test_each_shard_has_a_job(sessions: Sessions, owner: Actor) -> None:
    run = submit(sessions, owner, stored_event(sessions, owner), shards=3)
    assert fetched(sessions, 4) == [(run, 0), (run, 1), (run, 2), None]


def test_question_that_is_tried_again_waits_behind_no_plan(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    with transaction(sessions) as session:
        run_id = ask_for_questions(open_event(session, owner, event_id), NullQueue())
        session.get_one(Run, run_id).status = "failed"
    with transaction(sessions) as session:
        retry_run(session, owner, run_id, ProcrastinateQueue())
    with transaction(sessions) as session:
        assert session.scalars(text("SELECT queue_name FROM procrastinate_jobs")).all() == [QUEUES["questions"]]


def test_run_that_is_not_committed_leaves_no_job(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    with transaction(sessions) as session:
        start_run(open_event(session, owner, event_id), ProcrastinateQueue())
        session.rollback()
    assert fetched(sessions, 1) == [None]


def test_run_that_waits_without_a_job_is_given_one_once(sessions: Sessions, owner: Actor) -> None:
    run = stored_run(sessions, owner, stored_event(sessions, owner))
    assert (adopt(sessions), adopt(sessions)) == (1, 0)
    assert fetched(sessions, 2) == [(run, None), None]
    assert adopt(sessions) == 0  # whoever took the job is about to take the run


def test_shard_of_a_silent_worker_is_given_a_job_and_the_others_are_not(sessions: Sessions, owner: Actor) -> None:
    run = stored_run(sessions, owner, stored_event(sessions, owner), shards=2)
    with transaction(sessions) as session:
        assert take_shard(session, run, 0) is not None
        assert take_shard(session, run, 1) is not None
    assert adopt(sessions) == 0
    with transaction(sessions) as session:
        session.execute(text("UPDATE run_shards SET heartbeat_at = now() - interval '1 hour' WHERE number = 1"))
    assert adopt(sessions) == 1
    assert fetched(sessions, 2) == [(run, 1), None]


def test_job_that_a_dead_worker_took_long_ago_counts_no_more(sessions: Sessions, owner: Actor) -> None:
    run = submit(sessions, owner, stored_event(sessions, owner))
    assert fetched(sessions, 1) == [(run, None)]
    with transaction(sessions) as session:
        session.execute(text("UPDATE procrastinate_events SET at = now() - interval '1 hour'"))
    assert adopt(sessions) == 1
    assert fetched(sessions, 1) == [(run, None)]


def test_job_of_a_run_that_is_over_for_a_while_is_dropped(sessions: Sessions, owner: Actor) -> None:
    run = submit(sessions, owner, stored_event(sessions, owner))
    assert fetched(sessions, 1) == [(run, None)]
    with transaction(sessions) as session:
        lease = take_lease(session, run)
        assert lease is not None
        assert end_run(session, lease, "done")
    count = text("SELECT count(*) FROM procrastinate_jobs")
    adopt(sessions)
    with transaction(sessions) as session:
        assert session.scalar(count) == 1  # its worker is about to say so
        session.get_one(Run, run).finished_at = now() - timedelta(hours=1)
    adopt(sessions)
    with transaction(sessions) as session:
        assert session.scalar(count) == 0
