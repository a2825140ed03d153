"""A run that somebody ends by hand makes the best plan so far its plan."""

from __future__ import annotations

import re
import threading
from html import unescape
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from app.accounts.actor import Actor
from app.db.models import Run
from app.db.session import Sessions, transaction
from app.errors import Conflict
from app.events.context import open_event
from app.problem.packing import unpack
from app.runs.leases import hand_back, read_problem, renew_lease, take_lease
from app.runs.progress import RunProgress
from app.runs.start import finish_run
from app.worker.execute import execute_run, try_paper
from app.worker.execute_shard import execute_shard
from app.worker.leased_work import WorkerContext
from tests.run_helpers import LARGE, executing, rate_at_random, read_run, stored_event, stored_run
from tests.server import wait_for

HOUR: dict[str, Any] = {"restarts": 1_000_000, "time_limit": 3600.0, "stop_early": False}


def long_event(sessions: Sessions, owner: Actor) -> UUID:
    """Make an event whose run ends by itself only when its time is up."""
    event_id = stored_event(sessions, owner, **LARGE)
    rate_at_random(sessions, owner, event_id)
    return event_id


def finish(sessions: Sessions, owner: Actor, event_id: UUID, run_id: UUID) -> None:
    with transaction(sessions) as session:
        finish_run(open_event(session, owner, event_id), run_id)


@pytest.mark.parametrize("options", [{}, {"method": "paper"}, {"rounds": 4}], ids=["full", "paper", "rounds"])
def test_run_ends_with_its_plan_and_says_that_it_was_ended(
    web: TestClient, sessions: Sessions, owner: Actor, options: dict[str, Any]
) -> None:
    event_id = long_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id, **HOUR | options)
    with executing(sessions, run_id) as outcomes:
        wait_for(lambda: read_run(sessions, run_id).has_plan_so_far, "the first plan")
        finish(sessions, owner, event_id, run_id)
    assert outcomes == ["done"]
    run = read_run(sessions, run_id)
    assert (run.status, run.finish_requested) == ("done", True)
    found = unescape(web.get(f"/events/{event_id}/plans/{run.plan_id}/found").text)
    assert re.search(r" attempts?: somebody ended the search|Somebody ended the search before", found)


def test_run_that_another_worker_takes_up_ends_with_the_first_plan(sessions: Sessions, owner: Actor) -> None:
    event_id = long_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id, **HOUR)
    with transaction(sessions) as session:
        lease = take_lease(session, run_id)
        assert lease is not None
    with pytest.raises(Conflict, match="no plan yet"):
        finish(sessions, owner, event_id, run_id)
    with transaction(sessions) as session:
        assert renew_lease(session, lease, RunProgress("search", 0, 4, 5.0, 1.0, 2.0, ((0.5, 5.0),))) == ""
    finish(sessions, owner, event_id, run_id)
    with transaction(sessions) as session:
        assert renew_lease(session, lease, None) == "finish"
    with transaction(sessions) as session:
        assert hand_back(session, lease)
    assert execute_run(sessions, run_id) == "done"
    assert read_run(sessions, run_id).plan_id is not None


def test_shards_end_with_what_they_have(sessions: Sessions, owner: Actor) -> None:
    event_id = long_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id, shards=2, **HOUR)
    outcomes, worker = list[Any](), WorkerContext(sessions)
    first = threading.Thread(target=lambda: outcomes.append(execute_shard(worker, run_id, 0)), daemon=True)
    first.start()
    while read_run(sessions, run_id).status == "queued":
        first.join(0.05)
    with transaction(sessions) as session:
        session.execute(update(Run).where(Run.id == run_id).values(finish_requested=True))
    first.join(60)
    outcomes.append(execute_shard(worker, run_id, 1))
    assert outcomes[0] == "part done"
    assert read_run(sessions, run_id).status == "done" or execute_run(sessions, run_id) == "done"


def test_run_that_waits_or_is_over_cannot_be_ended(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id, restarts=2)
    with pytest.raises(Conflict, match="no plan yet"):
        finish(sessions, owner, event_id, run_id)
    assert execute_run(sessions, run_id) == "done"
    finish(sessions, owner, event_id, run_id)
    assert not read_run(sessions, run_id).finish_requested


def test_cancelled_wins_over_ended(sessions: Sessions, owner: Actor, api: TestClient) -> None:
    event_id = long_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id, **HOUR)
    with executing(sessions, run_id) as outcomes:
        wait_for(lambda: read_run(sessions, run_id).has_plan_so_far, "the first plan")
        assert api.delete(f"events/{event_id}/runs/{run_id}").status_code == 202
        assert api.post(f"events/{event_id}/runs/{run_id}/finish").status_code == 202
    assert outcomes == ["cancelled"]
    assert read_run(sessions, run_id).plan_id is None


def test_paper_method_that_was_stopped_at_its_start_is_not_compared(sessions: Sessions, owner: Actor) -> None:
    run_id = stored_run(sessions, owner, stored_event(sessions, owner), restarts=50)
    with transaction(sessions) as session:
        lease, packed = take_lease(session, run_id), read_problem(session, run_id)
    assert lease is not None
    assert packed is not None
    problem, asked = unpack(packed).problem, iter([False])
    assert try_paper(problem, lease, lambda: False) is not None
    assert try_paper(problem, lease, lambda: next(asked, True)) is None
