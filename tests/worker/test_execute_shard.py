"""Sharded runs: shards are leased one by one, the last one finishes the run, and a dead worker costs its shard only."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import func, select

from app.accounts.actor import Actor
from app.db.models import Plan, Run, RunShard
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.events.edit import delete_event
from app.problem.packing import unpack
from app.runs.interruptions import requeue_running
from app.runs.lease_clock import STALE_AFTER
from app.runs.leases import Ticket, find_waiting, read_problem
from app.runs.progress import RunProgress
from app.runs.shards import end_shard, fail_run, hand_back_shard, renew_shard, take_shard
from app.runs.start import cancel_run
from app.solver import search_shard
from app.worker.execute_shard import execute
from app.worker.leased_work import WorkerContext
from tests.run_helpers import read_run, seated, stored_event, stored_run

SHARDED: dict[str, Any] = {"restarts": 12, "seed": 4, "time_limit": 600.0, "shards": 3}


def tables_of(sessions: Sessions, run_id: UUID) -> set[frozenset[UUID]]:
    return {frozenset(table) for table in seated(sessions, run_id)}


def finish(sessions: Sessions) -> list[str | None]:
    """Work like the one worker of a server until nothing waits."""
    outcomes: list[str | None] = []
    while True:
        with transaction(sessions, read_only=True) as session:
            ticket = find_waiting(session, "long")
        if ticket is None:
            return outcomes
        outcomes.append(execute(WorkerContext(sessions), ticket))


@pytest.mark.parametrize("method", ["full", "paper"])
def test_last_shard_finishes_the_run_with_one_plan(sessions: Sessions, owner: Actor, method: str) -> None:
    run_id = stored_run(sessions, owner, stored_event(sessions, owner), method=method, **SHARDED)
    assert finish(sessions) == ["part done", "part done", "done"]
    run = read_run(sessions, run_id)
    assert (run.status, run.error) == ("done", None)
    assert run.progress is not None
    assert (run.progress.stage, run.progress.restarts_done) == ("done", 12)
    with transaction(sessions, read_only=True) as session:
        assert session.scalar(select(func.count()).where(Plan.alternative_of.is_(None))) == 1
        assert set(session.scalars(select(RunShard.found))) == {None}


def test_plan_is_the_same_in_any_order_of_shards(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, guests=30, sizes=(5,) * 6)
    runs = [stored_run(sessions, owner, event_id, method="full", **SHARDED) for _ in range(2)]
    for run_id, order in zip(runs, ((0, 1, 2), (2, 0, 1)), strict=True):
        assert [execute(WorkerContext(sessions), Ticket(run_id, shard)) for shard in order][-1] == "done"
    assert tables_of(sessions, runs[0]) == tables_of(sessions, runs[1])


def test_dead_worker_costs_its_shard_only(sessions: Sessions, owner: Actor) -> None:
    run_id = stored_run(sessions, owner, stored_event(sessions, owner), **SHARDED)
    worker = WorkerContext(sessions)
    assert execute(worker, Ticket(run_id, 0)) == "part done"
    with transaction(sessions) as session:
        dead = take_shard(session, run_id, 1)
    assert dead is not None
    assert execute(worker, Ticket(run_id, 1)) == "busy"
    assert execute(worker, Ticket(run_id, 2)) == "part done"
    with transaction(sessions) as session:
        shard = session.get_one(RunShard, (run_id, 1))
        assert shard.heartbeat_at is not None
        shard.heartbeat_at -= STALE_AFTER * 2
    assert execute(worker, Ticket(run_id, 1)) == "done"
    with transaction(sessions) as session:
        assert end_shard(session, dead, b"late") is None
        attempts = session.scalars(select(RunShard.attempts).order_by(RunShard.number)).all()
    assert attempts == [1, 2, 1]


def test_worker_that_dies_while_finishing_is_replaced(sessions: Sessions, owner: Actor) -> None:
    run_id = stored_run(sessions, owner, stored_event(sessions, owner), **SHARDED)
    for shard in range(3):
        search_and_die(sessions, run_id, shard)
    assert finish(sessions) == ["done"]
    assert read_run(sessions, run_id).plan_id is not None


def search_and_die(sessions: Sessions, run_id: UUID, shard: int) -> None:
    """Store what a shard finds as a worker would that is killed right after."""
    with transaction(sessions) as session:
        part = session.get_one(RunShard, (run_id, shard))
        packed = read_problem(session, run_id)
        assert packed is not None
        found = search_shard(unpack(packed).problem, number=shard, shards=3, restarts=12, seed=4, time_limit=None)
        part.status, part.token, part.found = "done", None, found.to_bytes()
        session.get_one(Run, run_id).shards_left -= 1


def test_progress_of_shards_adds_up_and_the_best_counts(sessions: Sessions, owner: Actor) -> None:
    run_id = stored_run(sessions, owner, stored_event(sessions, owner), **SHARDED)
    for shard, (done, best) in enumerate(((1, 5.0), (2, 3.0))):
        with transaction(sessions) as session:
            lease = take_shard(session, run_id, shard)
            assert lease is not None
            report = RunProgress("search", done, 4, best, 1.0, 2.0, ((0.5 + shard, best),))
            assert renew_shard(session, lease, report) == ""
    run = read_run(sessions, run_id)
    assert run.status == "running"
    assert run.progress == RunProgress("search", 3, 12, 3.0, 1.0, 2.0, ((0.5, 5.0), (1.5, 3.0)))


def test_cancelled_sharded_run_is_over_at_once(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id, **SHARDED)
    with transaction(sessions) as session:
        lease = take_shard(session, run_id, 0)
    assert lease is not None
    with transaction(sessions) as session:
        assert cancel_run(open_event(session, owner, event_id), run_id).status == "cancelled"
    with transaction(sessions) as session:
        assert renew_shard(session, lease, None) is None
        assert end_shard(session, lease, b"") is None
    assert execute(WorkerContext(sessions), Ticket(run_id, 1)) is None
    assert finish(sessions) == []


def test_shard_that_kills_its_workers_fails_the_run(sessions: Sessions, owner: Actor) -> None:
    run_id = stored_run(sessions, owner, stored_event(sessions, owner), **SHARDED)
    with transaction(sessions) as session:
        session.get_one(RunShard, (run_id, 1)).attempts = 3
    assert execute(WorkerContext(sessions, max_attempts=3), Ticket(run_id, 1)) == "failed"
    run = read_run(sessions, run_id)
    assert (run.status, (run.error or "")[:35]) == ("failed", "The solver was interrupted 3 times ")
    assert execute(WorkerContext(sessions), Ticket(run_id, 0)) is None


def test_shard_is_handed_back_without_a_failed_attempt(sessions: Sessions, owner: Actor) -> None:
    run_id = stored_run(sessions, owner, stored_event(sessions, owner), **SHARDED)
    message: list[tuple[UUID, int | None]] = []
    worker = WorkerContext(sessions, 3, lambda: True, lambda _session, run, shard, _turn: message.append((run, shard)))
    assert execute(worker, Ticket(run_id, 1)) == "handed back"
    assert message == [(run_id, 1)]
    with transaction(sessions, read_only=True) as session:
        shard = session.get_one(RunShard, (run_id, 1))
        assert (shard.status, shard.attempts, shard.token) == ("queued", 0, None)


def test_shard_of_a_dead_server_is_taken_again_at_once(sessions: Sessions, owner: Actor) -> None:
    run_id = stored_run(sessions, owner, stored_event(sessions, owner), **SHARDED)
    with transaction(sessions) as session:
        lease = take_shard(session, run_id, 0)
        assert lease is not None
    with transaction(sessions) as session:
        requeue_running(session)
        assert find_waiting(session, "long") == (run_id, 0)
        assert hand_back_shard(session, lease) is False


def test_worker_that_has_lost_its_shard_cannot_fail_the_run(sessions: Sessions, owner: Actor) -> None:
    run_id = stored_run(sessions, owner, stored_event(sessions, owner), shards=2)
    with transaction(sessions) as session:
        lease = take_shard(session, run_id, 0)
        assert lease is not None
        assert hand_back_shard(session, lease)
    with transaction(sessions) as session:
        assert not fail_run(session, lease, "too late")
    assert read_run(sessions, run_id).status in ("queued", "running")
    with transaction(sessions) as session:
        held = take_shard(session, run_id, 0)
        assert held is not None
        assert fail_run(session, held, "in time")
    assert read_run(sessions, run_id).status == "failed"


def test_event_is_deleted_while_a_worker_writes_to_a_shard_of_it(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id, **SHARDED)
    with transaction(sessions) as session:
        lease = take_shard(session, run_id, 0)
    assert lease is not None
    with ThreadPoolExecutor(1) as other:
        with transaction(sessions) as session:
            session.execute(select(RunShard.number).where(RunShard.run_id == run_id).with_for_update())
            deletion = other.submit(_delete, sessions, owner, event_id)
            time.sleep(0.3)  # it waits for the shard now, and must not hold the run meanwhile
            assert renew_shard(session, lease, None) == ""
        deletion.result(timeout=30)
    with transaction(sessions, read_only=True) as session:
        assert session.get(Run, run_id) is None


def _delete(sessions: Sessions, owner: Actor, event_id: UUID) -> None:
    with transaction(sessions) as session:
        delete_event(open_event(session, owner, event_id))
