"""execute_run: from the lease to the plan, and everything that can come between."""

from __future__ import annotations

import threading
from itertools import pairwise
from uuid import UUID

import pytest
from sqlalchemy import func, select, update

from app.accounts.actor import Actor
from app.db.models import Event, Plan, Run
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.runs.interruptions import requeue_running
from app.runs.lease_clock import STALE_AFTER
from app.runs.leases import end_run, find_waiting, take_lease
from app.runs.progress import RunProgress
from app.runs.start import cancel_run
from app.worker.execute import execute_run
from tests.factories import make_guests
from tests.run_helpers import ENDLESS, LARGE, executing, read_run, seated, stored_event, stored_run
from tests.server import wait_for


def plan_count(sessions: Sessions) -> int:
    with transaction(sessions, read_only=True) as session:
        return session.scalar(select(func.count()).where(Plan.alternative_of.is_(None))) or 0


def forget(sessions: Sessions, run_id: UUID) -> None:
    """Make it look as if the worker had not been heard of for a while."""
    with transaction(sessions) as session:
        run = session.get_one(Run, run_id)
        assert run.heartbeat_at is not None
        run.heartbeat_at -= STALE_AFTER * 2


@pytest.mark.parametrize("method", ["full", "paper"])
def test_run_ends_done_with_one_plan_that_seats_pairs_together(sessions: Sessions, owner: Actor, method: str) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id, method=method, restarts=50)
    assert execute_run(sessions, run_id) == "done"
    run = read_run(sessions, run_id)
    assert (run.status, run.error, run.plan_id is not None) == ("done", None, True)
    assert sorted(len(table) for table in seated(sessions, run_id)) == [4, 4]
    assert run.progress is not None
    assert (run.progress.stage, run.progress.seconds_left) == ("done", 0)
    values = [value for _, value in run.progress.history]
    assert all(later <= earlier for earlier, later in pairwise(values))


def test_run_is_executed_once(sessions: Sessions, owner: Actor) -> None:
    run_id = stored_run(sessions, owner, stored_event(sessions, owner), restarts=5)
    assert execute_run(sessions, run_id) == "done"
    assert execute_run(sessions, run_id) is None
    assert plan_count(sessions) == 1


def test_oldest_waiting_run_comes_first_and_one_lease_is_given(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    first, second = stored_run(sessions, owner, event_id), stored_run(sessions, owner, event_id)
    with transaction(sessions) as session:
        assert find_waiting(session) == (first, None)
        assert take_lease(session, first) is not None
    with transaction(sessions) as session:
        assert take_lease(session, first) is None
        assert find_waiting(session) == (second, None)


def test_cancelled_run_stops_and_leaves_no_plan(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, **LARGE)
    run_id = stored_run(sessions, owner, event_id, **ENDLESS)
    with executing(sessions, run_id) as outcomes, transaction(sessions) as session:
        cancel_run(open_event(session, owner, event_id), run_id)
    assert outcomes == ["cancelled"]
    run = read_run(sessions, run_id)
    assert (run.status, run.plan_id, run.finished_at is not None) == ("cancelled", None, True)


def test_run_cancelled_in_its_last_moment_is_cancelled(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id)
    with transaction(sessions) as session:
        lease = take_lease(session, run_id)
    assert lease is not None
    with transaction(sessions) as session:
        cancel_run(open_event(session, owner, event_id), run_id)
    with transaction(sessions) as session:
        assert end_run(session, lease, "done") is False
        assert end_run(session, lease, "cancelled") is True


def test_worker_that_is_told_to_stop_hands_its_run_back(sessions: Sessions, owner: Actor) -> None:
    run_id = stored_run(sessions, owner, stored_event(sessions, owner, **LARGE), **ENDLESS)
    stopping = threading.Event()
    with executing(sessions, run_id, stopping.is_set) as outcomes:
        stopping.set()
    assert outcomes == ["handed back"]
    run = read_run(sessions, run_id)
    assert (run.status, run.progress, run.plan_id) == ("queued", None, None)
    with transaction(sessions) as session:
        lease = take_lease(session, run_id)
        assert lease is not None
        assert lease.attempt == 1


def test_worker_whose_lease_was_taken_discards_what_it_found(sessions: Sessions, owner: Actor) -> None:
    run_id = stored_run(sessions, owner, stored_event(sessions, owner, **LARGE), **ENDLESS)
    with executing(sessions, run_id) as outcomes:
        with transaction(sessions) as session:
            assert requeue_running(session) == 1
            other = take_lease(session, run_id)
        assert other is not None
    assert outcomes == ["lost"]
    assert plan_count(sessions) == 0
    with transaction(sessions) as session:
        assert end_run(session, other, "done") is True


def test_run_of_a_silent_worker_is_taken_over_but_not_before(sessions: Sessions, owner: Actor) -> None:
    run_id = stored_run(sessions, owner, stored_event(sessions, owner), restarts=5)
    with transaction(sessions) as session:
        silent = take_lease(session, run_id)
    assert silent is not None
    with transaction(sessions) as session:
        assert find_waiting(session) is None
    forget(sessions, run_id)
    with transaction(sessions) as session:
        assert find_waiting(session) == (run_id, None)
    assert execute_run(sessions, run_id) == "done"
    with transaction(sessions) as session:
        assert end_run(session, silent, "failed", error="late") is False
    assert read_run(sessions, run_id).status == "done"


def test_run_that_kills_its_workers_fails_with_the_reason(sessions: Sessions, owner: Actor) -> None:
    run_id = stored_run(sessions, owner, stored_event(sessions, owner))
    for _ in range(2):
        with transaction(sessions) as session:
            assert take_lease(session, run_id) is not None
        forget(sessions, run_id)
    assert execute_run(sessions, run_id, max_attempts=2) == "failed"
    run = read_run(sessions, run_id)
    assert run.status == "failed"
    assert (run.error or "").startswith("The solver was interrupted 2 times and gave up.")


def test_run_that_cannot_be_solved_says_why(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id)
    with transaction(sessions) as session:
        session.execute(update(Run).where(Run.id == run_id).values(problem=b"not a problem"))
    assert execute_run(sessions, run_id) == "failed"
    assert str(run_id) in (read_run(sessions, run_id).error or "")


def test_run_of_a_deleted_event_ends_without_a_trace(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, **LARGE)
    run_id = stored_run(sessions, owner, event_id, **ENDLESS)
    with executing(sessions, run_id) as outcomes, transaction(sessions) as session:
        session.delete(session.get_one(Event, event_id))
    assert outcomes == ["lost"]
    assert plan_count(sessions) == 0


def test_run_solves_the_event_as_it_was_at_its_start(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id, restarts=5)
    with transaction(sessions) as session:
        make_guests(session, session.get_one(Event, event_id), ["Latecomer"])
    assert execute_run(sessions, run_id) == "done"
    assert sum(len(table) for table in seated(sessions, run_id)) == 8


def test_same_seed_and_restarts_give_the_same_plan(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, guests=12, sizes=(3, 4, 5))
    first, second = (stored_run(sessions, owner, event_id, restarts=20, seed=4, time_limit=600.0) for _ in range(2))
    assert [execute_run(sessions, run_id) for run_id in (first, second)] == ["done", "done"]
    assert {frozenset(t) for t in seated(sessions, first)} == {frozenset(t) for t in seated(sessions, second)}


def progress_of(sessions: Sessions, run_id: UUID) -> RunProgress:
    progress = read_run(sessions, run_id).progress
    assert progress is not None
    return progress


def test_progress_is_written_while_it_runs(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, **LARGE)
    run_id = stored_run(sessions, owner, event_id, **ENDLESS)
    with executing(sessions, run_id):
        first = progress_of(sessions, run_id)
        wait_for(lambda: progress_of(sessions, run_id).restarts_done > first.restarts_done, "more restarts")
        report = progress_of(sessions, run_id)
        with transaction(sessions) as session:
            cancel_run(open_event(session, owner, event_id), run_id)
    assert report.restarts == ENDLESS["restarts"]
    assert report.seconds > 0
    assert report.best == report.history[-1][1]
