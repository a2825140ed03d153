"""kill -9: whatever dies, a run ends done once."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from uuid import UUID

import httpx2
import psutil
import pytest
from sqlalchemy import func, select

from app.db.models import Plan, Run
from app.db.session import Sessions, transaction
from tests.processes.conftest import StartServer
from tests.processes.test_whole_server import end_of
from tests.run_helpers import LARGE, stored_event
from tests.server import ServerProcess, wait_for

LONG = {"method": "paper", "restarts": 1_000_000, "time_limit": 2}


def start_long_run(server: ServerProcess, api: httpx2.Client) -> tuple[str, psutil.Process]:
    """Start a run, wait until it is under way, and return its address and who solves it."""
    event = f"events/{stored_event(server.sessions(), server.owner(), **LARGE)}"
    run = f"{event}/runs/{api.post(f'{event}/runs', json=LONG).json()['id']}"
    wait_for(lambda: api.get(run).json()["progress"], "the first report")
    worker = server.worker()
    assert worker is not None
    return run, worker


def plans_and_attempts(sessions: Sessions, run: str) -> tuple[int, int]:
    run_id = UUID(run.rpartition("/")[2])
    with transaction(sessions, read_only=True) as session:
        plans = session.scalar(select(func.count()).select_from(Plan).where(Plan.run_id == run_id)) or 0
        return plans, session.scalars(select(Run.attempts).where(Run.id == run_id)).one()


@pytest.fixture(autouse=True)
def _running(server: ServerProcess) -> Iterator[None]:
    """Leave the server of this module running, whatever became of a test that killed it."""
    yield
    if not server.is_alive:
        server.start()


def test_run_is_taken_up_again_after_the_worker_was_killed(server: ServerProcess) -> None:
    api = server.api()
    run, worker = start_long_run(server, api)
    worker.kill()
    assert end_of(api, run)["status"] == "done"
    assert plans_and_attempts(server.sessions(), run) == (1, 2)


def test_run_is_taken_up_again_after_the_server_was_killed(server: ServerProcess) -> None:
    run, worker = start_long_run(server, server.api())
    server.stop(signal.SIGKILL)
    wait_for(lambda: not worker.is_running(), "the worker to notice that its server is gone")
    server.start()
    assert end_of(server.api(), run)["status"] == "done"
    assert plans_and_attempts(server.sessions(), run) == (1, 1)


def test_run_is_taken_up_again_after_both_were_killed(server: ServerProcess) -> None:
    run, worker = start_long_run(server, server.api())
    worker.suspend()
    server.stop(signal.SIGKILL)
    worker.kill()
    server.start()
    assert end_of(server.api(), run)["status"] == "done"
    assert plans_and_attempts(server.sessions(), run) == (1, 2)


def test_run_whose_worker_is_killed_each_time_fails_and_says_why(start_server: StartServer) -> None:
    server = start_server(CONVIVE_MAX_ATTEMPTS="1")
    api = server.api()
    run, worker = start_long_run(server, api)
    worker.kill()
    ended = end_of(api, run)
    assert ended["status"] == "failed"
    assert str(ended["error"]).startswith("The solver was interrupted 1 time")
