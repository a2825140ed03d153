"""/admin/runs and the figures of /metrics: how the installation is doing, and nothing of what events are about."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from app.accounts.actor import Actor
from app.accounts.users import account_of, make_operator
from app.admin.all_runs import retry_run, show_overview
from app.clock import now
from app.config import Settings
from app.db.models import Run, RunShard
from app.db.session import Sessions, transaction
from app.errors import NotFound
from app.main import create_app
from app.runs.failure_messages import NO_MEMORY
from app.runs.leases import end_run, find_waiting, take_lease
from app.runs.queue import NullQueue
from app.worker.execute_shard import execute
from app.worker.leased_work import WorkerContext
from tests.conftest import api_client
from tests.run_helpers import read_run, stored_event, stored_run


def failed_run(sessions: Sessions, owner: Actor, reason: str, **options: Any) -> UUID:
    run_id = stored_run(sessions, owner, stored_event(sessions, owner), **options)
    with transaction(sessions) as session:
        session.execute(update(Run).where(Run.id == run_id).values(shards_left=0))
        lease = take_lease(session, run_id)
        assert lease is not None
        assert end_run(session, lease, "failed", error=reason)
    return run_id


def test_page_counts_runs_and_says_why_one_failed(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    stored_run(sessions, owner, event_id)
    running = stored_run(sessions, owner, event_id)
    with transaction(sessions) as session:
        assert take_lease(session, running) is not None
    failed_run(sessions, owner, NO_MEMORY)
    page = web.get("/admin/runs")
    assert page.status_code == 200
    assert "The computer ran out of memory." in page.text
    assert page.text.count("Try again") == 1
    assert "waiting</td>" in page.text
    assert "running</td>" in page.text


def test_page_names_neither_events_nor_guests(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    failed_run(sessions, owner, "Canary and Secret must sit together and apart.")
    page = web.get("/admin/runs").text
    assert "Its editors can see why." in page
    for private in ("Canary", "Secret", "Midsummer", "Guest 1"):
        assert private not in page


def test_stranger_finds_no_page(stranger_web: TestClient, sessions: Sessions, stranger: Actor, owner: Actor) -> None:
    run_id = failed_run(sessions, owner, NO_MEMORY)
    assert stranger_web.get("/admin/runs").status_code == 404
    assert stranger_web.post(f"/admin/runs/{run_id}/retry").status_code == 404
    with transaction(sessions) as session, pytest.raises(NotFound):
        show_overview(session, stranger)
    assert read_run(sessions, run_id).status == "failed"


def test_account_becomes_an_operators(sessions: Sessions, stranger: Actor) -> None:
    with transaction(sessions) as session:
        make_operator(session, "stranger@example.org")
        assert account_of(session, "stranger@example.org").is_operator


def test_first_account_is_an_operators_and_the_next_is_not(owner: Actor, stranger: Actor) -> None:
    assert (owner.is_operator, stranger.is_operator) == (True, False)


@pytest.mark.parametrize("shards", [1, 3])
def test_failed_run_is_tried_again_from_the_start(
    web: TestClient, sessions: Sessions, owner: Actor, shards: int
) -> None:
    run_id = failed_run(sessions, owner, NO_MEMORY, restarts=6, shards=shards)
    assert web.post(f"/admin/runs/{run_id}/retry").status_code == 303
    with transaction(sessions, read_only=True) as session:
        stored = session.get_one(Run, run_id)
        assert stored.queued_at > stored.created_at
        turns = session.scalars(select(RunShard.turn).where(RunShard.run_id == run_id)).all()
        assert max(turns, default=stored.turn) == stored.turn
    run = read_run(sessions, run_id)
    assert (run.status, run.error, run.started_at, run.finished_at) == ("queued", None, None, None)
    assert web.post(f"/admin/runs/{run_id}/retry").status_code == 409
    with transaction(sessions, read_only=True) as session:
        ticket = find_waiting(session)
    while ticket is not None:
        execute(WorkerContext(sessions), ticket)
        with transaction(sessions, read_only=True) as session:
            ticket = find_waiting(session)
    assert read_run(sessions, run_id).status == "done"


def test_retry_leaves_runs_of_others_alone(sessions: Sessions, owner: Actor) -> None:
    run_id = failed_run(sessions, owner, NO_MEMORY, restarts=6, shards=2)
    other = stored_run(sessions, owner, stored_event(sessions, owner), restarts=6, shards=2)
    with transaction(sessions) as session:
        session.get_one(RunShard, (other, 0)).attempts = 2
    with transaction(sessions) as session:
        retry_run(session, owner, run_id, NullQueue())
    with transaction(sessions, read_only=True) as session:
        assert session.get_one(RunShard, (other, 0)).attempts == 2


def test_metrics_tell_the_same_figures(settings: Settings, sessions: Sessions, owner: Actor) -> None:
    run_id = stored_run(sessions, owner, stored_event(sessions, owner))
    failed_run(sessions, owner, NO_MEMORY)
    with transaction(sessions) as session:
        session.get_one(Run, run_id).queued_at = now() - timedelta(minutes=10)
    app = create_app(settings, NullQueue())
    with TestClient(app, base_url="http://localhost", client=("127.0.0.1", 50000)) as near:
        message = near.get("/metrics").text
    assert 'convive_runs{status="queued"} 1.0' in message
    assert 'convive_runs{status="failed"} 1.0' in message
    longest = float(message.partition("\nconvive_longest_wait_seconds ")[2].split()[0])
    assert longest >= 600
    assert f"\nconvive_workers {1.0 if settings.is_sqlite else 0.0}" in message


def test_metrics_are_not_for_everybody_with_a_key(
    client: TestClient, sessions: Sessions, owner: Actor, stranger: Actor
) -> None:
    for actor, status in ((stranger, 404), (owner, 200)):
        key = api_client(client, sessions, actor).headers["Authorization"]
        assert client.get("/metrics", headers={"Authorization": key}).status_code == status
