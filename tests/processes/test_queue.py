"""Workers on PostgreSQL: woken at once, handed over on a stop, and none the worse for a restart of the database."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from uuid import UUID

import httpx2
import psutil
import psycopg
import pytest
from sqlalchemy import delete, func, select, text

from app.db.models import Plan, Run
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.runs.options import RunOptions
from app.runs.queue import NullQueue
from app.runs.start import start_run
from fault.postgres import Postgres
from tests.processes.test_whole_server import end_of
from tests.run_helpers import LARGE, stored_event
from tests.server import ServerProcess, wait_for

LONG = {"method": "paper", "restarts": 1_000_000, "time_limit": 2}
pytestmark = pytest.mark.postgres


class Office:
    """A server with its workers on one PostgreSQL."""

    def __init__(self, folder: Path, address: str) -> None:
        self.server = ServerProcess(folder, CONVIVE_DATABASE_URL=address).start()
        self.workers: list[subprocess.Popen[str]] = []
        self.sessions: Sessions = self.server.sessions()
        self.api: httpx2.Client = self.server.api()
        self.event_id = stored_event(self.sessions, self.server.owner(), **LARGE)
        self.runs = f"events/{self.event_id}/runs"

    def hire(self, log: IO[str] | None = None) -> subprocess.Popen[str]:
        """Start one more worker."""
        worker = self.server.run("worker", stdout=log, stderr=log)
        self.workers.append(worker)
        return worker

    def submit(self, **options: object) -> str:
        """Start a run over HTTP and return its address."""
        return f"{self.runs}/{self.api.post(self.runs, json={**LONG, **options}).json()['id']}"

    def attempts(self, run: str) -> int:
        """Return how often a run was begun; runs that choose questions are there beside it."""
        with transaction(self.sessions, read_only=True) as session:
            return session.get_one(Run, UUID(run.rpartition("/")[2])).attempts

    def dismiss(self) -> None:
        """End the workers, and forget all runs."""
        for worker in self.workers:
            if worker.poll() is None:
                worker.send_signal(signal.SIGTERM)
        for worker in self.workers:
            worker.wait(20)
        self.workers.clear()
        with transaction(self.sessions) as session:
            session.execute(delete(Run))
            session.execute(text("DELETE FROM procrastinate_jobs"))


@pytest.fixture(scope="module")
def postgres_alone(postgres: str) -> Iterator[Postgres]:
    """A PostgreSQL that a test may kill; `postgres` tells whether there can be one."""
    with Postgres() as server:
        yield server


@pytest.fixture(scope="module")
def shared_office(tmp_path_factory: pytest.TempPathFactory, postgres_alone: Postgres) -> Iterator[Office]:
    """A server on a PostgreSQL of its own."""
    office = Office(tmp_path_factory.mktemp("office"), postgres_alone.address)
    yield office
    office.server.stop()


@pytest.fixture
def office(shared_office: Office) -> Iterator[Office]:
    """The server without workers and without runs."""
    yield shared_office
    shared_office.dismiss()


def left_in_the_queue(sessions: Sessions) -> int:
    with transaction(sessions, read_only=True) as session:
        return int(session.scalar(text("SELECT count(*) FROM procrastinate_jobs")) or 0)


def test_stopped_worker_hands_over_at_once_and_nothing_is_left_in_the_queue(office: Office) -> None:
    first = office.hire()
    run = office.submit()
    wait_for(lambda: office.api.get(run).json()["progress"], "the first report")
    first.send_signal(signal.SIGTERM)
    assert first.wait(20) == 0
    assert office.api.get(run).json()["status"] == "queued"
    office.hire()
    assert end_of(office.api, run)["status"] == "done"
    wait_for(lambda: left_in_the_queue(office.sessions) == 0, "the end of all jobs")
    assert office.attempts(run) == 1


def test_run_of_a_killed_worker_is_taken_up_by_another(office: Office) -> None:
    first = office.hire()
    run = office.submit()
    wait_for(lambda: office.api.get(run).json()["progress"], "the first report")
    first.kill()
    office.hire()
    assert end_of(office.api, run)["status"] == "done"
    assert office.attempts(run) == 2
    with transaction(office.sessions, read_only=True) as session:
        kept = select(func.count()).where(Plan.alternative_of.is_(None), Plan.run_id == UUID(run.rpartition("/")[2]))
        assert session.scalar(kept) == 1


def test_worker_that_was_paused_does_not_count_as_an_attempt(office: Office) -> None:
    paused = office.hire()
    run = office.submit(time_limit=8)
    wait_for(lambda: office.api.get(run).json()["progress"], "the first report")
    psutil.Process(paused.pid).suspend()
    office.hire()
    wait_for(lambda: office.attempts(run) == 2, "another worker to take the run")
    psutil.Process(paused.pid).resume()
    wait_for(lambda: office.attempts(run) == 1, "the paused worker to notice")
    assert end_of(office.api, run)["status"] == "done"
    assert office.attempts(run) == 1


def test_server_and_workers_survive_a_killed_postgresql(
    office: Office, postgres_alone: Postgres, tmp_path: Path
) -> None:
    log = tmp_path / "worker.log"
    with log.open("w") as written:
        worker = office.hire(written)
    run = office.submit()
    wait_for(lambda: office.api.get(run).json()["progress"], "the first report")
    postgres_alone.kill()
    away = office.api.get(run)
    assert (away.status_code, away.headers["retry-after"]) == (503, "2")
    assert away.json()["title"] == "Database unavailable"
    postgres_alone.start()
    assert end_of(office.api, run)["status"] == "done"
    assert end_of(office.api, office.submit(restarts=5))["status"] == "done"
    assert worker.poll() is None
    lines = log.read_text()
    assert "worker started" in lines
    assert [line for line in lines.splitlines() if '"exception"' in line] == []
    assert "error connecting" not in lines
    assert lines.count("could not save run progress") <= 1


def test_run_without_a_job_is_given_one(office: Office) -> None:
    with transaction(office.sessions) as session:
        run = start_run(
            open_event(session, office.server.owner(), office.event_id), NullQueue(), RunOptions(restarts=5)
        )
    office.hire()
    assert end_of(office.api, f"{office.runs}/{run.id}")["status"] == "done"


def test_sharded_run_is_solved_by_several_workers(office: Office) -> None:
    for _ in range(2):
        office.hire()
    run = end_of(office.api, office.submit(shards=3, time_limit=0.5))
    assert run["status"] == "done"
    assert run["plan_id"] is not None


def test_job_is_deferred_with_its_run_or_not_at_all(office: Office, postgres_alone: Postgres) -> None:
    assert left_in_the_queue(office.sessions) == 0
    office.submit()
    assert left_in_the_queue(office.sessions) == 1
    refused = office.api.post(office.runs, json={"restarts": 0})
    assert refused.status_code == 422
    with psycopg.connect(postgres_alone.address) as connection:
        assert connection.execute("SELECT count(*) FROM runs").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM procrastinate_jobs").fetchone() == (1,)


def test_worker_waits_for_a_postgresql_that_is_starting(office: Office, postgres_alone: Postgres) -> None:
    run = office.submit(restarts=5)
    postgres_alone.kill()
    worker = office.hire()
    with pytest.raises(subprocess.TimeoutExpired):
        worker.wait(5)
    postgres_alone.start()
    assert end_of(office.api, run)["status"] == "done"
