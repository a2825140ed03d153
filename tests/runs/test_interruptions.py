"""Interrupted runs: only workers that are gone for good count as attempts, and the run goes to the back."""

from __future__ import annotations

from uuid import UUID

import pytest

from app.accounts.actor import Actor
from app.db.models import Run
from app.db.session import Sessions, transaction
from app.runs.fair_queue import price
from app.runs.interruptions import TIMES_AS_MANY, forgive, requeue_running
from app.runs.lanes import LANES, lane_of
from app.runs.lease_clock import STALE_AFTER
from app.runs.leases import Lease, find_waiting, take_lease
from app.worker.execute import execute_run, solve_run
from app.worker.leased_work import WorkerContext
from tests.run_helpers import ENDLESS, LARGE, executing, read_run, stored_event, stored_run

DEFAULT_ATTEMPTS = 3


def take(sessions: Sessions, run_id: UUID) -> Lease:
    with transaction(sessions) as session:
        lease = take_lease(session, run_id)
    assert lease is not None
    return lease


def silence(sessions: Sessions, run_id: UUID) -> None:
    """Make it look as if the worker had not been heard of for a while."""
    with transaction(sessions) as session:
        run = session.get_one(Run, run_id)
        assert run.heartbeat_at is not None
        run.heartbeat_at -= STALE_AFTER * 2


def interrupt(sessions: Sessions, run_id: UUID) -> Lease:
    lease = take(sessions, run_id)
    silence(sessions, run_id)
    return lease


def attempts_of(sessions: Sessions, run_id: UUID) -> int:
    with transaction(sessions, read_only=True) as session:
        return session.get_one(Run, run_id).attempts


def test_paused_worker_that_comes_back_takes_its_attempt_off(sessions: Sessions, owner: Actor) -> None:
    run_id = stored_run(sessions, owner, stored_event(sessions, owner, **LARGE), **ENDLESS)
    with executing(sessions, run_id) as outcomes:
        with transaction(sessions) as session:
            requeue_running(session)  # as if another worker had found it silent
        other = take(sessions, run_id)
        assert other.attempt == 2
    assert outcomes == ["lost"]
    assert attempts_of(sessions, run_id) == 1


def test_run_of_workers_that_are_paused_again_and_again_is_done(sessions: Sessions, owner: Actor) -> None:
    run_id = stored_run(sessions, owner, stored_event(sessions, owner), restarts=5)
    for _ in range(2 * DEFAULT_ATTEMPTS):
        lease = interrupt(sessions, run_id)
        with transaction(sessions) as session:
            forgive(session, lease)
    assert execute_run(sessions, run_id) == "done"


def test_run_that_alone_kills_its_workers_fails(sessions: Sessions, owner: Actor) -> None:
    run_id = stored_run(sessions, owner, stored_event(sessions, owner))
    for _ in range(DEFAULT_ATTEMPTS):
        interrupt(sessions, run_id)
    assert execute_run(sessions, run_id) == "failed"
    assert (read_run(sessions, run_id).error or "").startswith("The solver was interrupted 3 times and gave up.")


def test_run_is_not_blamed_while_other_runs_are_interrupted_too(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    unlucky, other = stored_run(sessions, owner, event_id, restarts=5), stored_run(sessions, owner, event_id)
    for _ in range(DEFAULT_ATTEMPTS):
        interrupt(sessions, unlucky)
    interrupt(sessions, other)
    take(sessions, other)
    assert execute_run(sessions, unlucky) == "done"


def test_run_is_blamed_in_the_end_whatever_else_is_interrupted(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    poison, other = stored_run(sessions, owner, event_id), stored_run(sessions, owner, event_id)
    for _ in range(TIMES_AS_MANY * DEFAULT_ATTEMPTS):
        interrupt(sessions, poison)
    interrupt(sessions, other)
    take(sessions, other)
    assert execute_run(sessions, poison) == "failed"


def test_interrupted_run_waits_behind_the_others_of_its_account(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    first, second = (stored_run(sessions, owner, event_id, restarts=5) for _ in range(2))
    interrupt(sessions, first)
    message: list[tuple[UUID, int]] = []
    worker = WorkerContext(sessions, enqueue=lambda session, run_id, shard, turn: message.append((run_id, turn)))
    assert solve_run(worker, first) == "put back"
    assert [run_id for run_id, _ in message] == [first]
    with transaction(sessions, read_only=True) as session:
        assert find_waiting(session) == (second, None)
    assert [solve_run(worker, run_id) for run_id in (second, first)] == ["done", "done"]


def test_interrupted_run_is_taken_at_once_where_nothing_else_waits(sessions: Sessions, owner: Actor) -> None:
    run_id = stored_run(sessions, owner, stored_event(sessions, owner), restarts=5)
    interrupt(sessions, run_id)
    assert execute_run(sessions, run_id) == "done"


def test_run_of_a_dead_embedded_worker_waits_behind_the_others(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    first, second = (stored_run(sessions, owner, event_id) for _ in range(2))
    take(sessions, first)
    with transaction(sessions) as session:
        assert requeue_running(session) == 1
        assert find_waiting(session) == (second, None)


def test_long_run_leaves_the_lane_of_short_ones_free(sessions: Sessions, owner: Actor, stranger: Actor) -> None:
    hour = stored_run(sessions, owner, stored_event(sessions, owner), time_limit=3600.0)
    short = stored_run(sessions, stranger, stored_event(sessions, stranger))
    with transaction(sessions, read_only=True) as session:
        assert [find_waiting(session, lane) for lane in LANES] == [(short, None), (hour, None), None]


@pytest.mark.parametrize(
    ("time_limit", "guests", "lane"),
    [(5.0, 100, "short"), (60.0, 2000, "short"), (61.0, 20, "long"), (5.0, 20_000, "long")],
)
def test_lane_is_chosen_by_time_and_size(time_limit: float, guests: int, lane: str) -> None:
    assert lane_of("plan", time_limit, 160 + price(guests)) == lane
