"""Backups of running servers, restored over a stopped one and into empty places, on both databases."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import httpx2
import pytest
from sqlalchemy import select

from app.db.backup_file import check_file
from app.db.models import Run
from app.db.session import make_engine, make_sessions, transaction
from tests.conftest import postgres_copy
from tests.db.test_backup import all_rows
from tests.processes.conftest import StartServer
from tests.run_helpers import ENDLESS, LARGE, read_run, stored_event, stored_run
from tests.server import ServerProcess, wait_for


def convive(server: ServerProcess, *words: str) -> tuple[int, str]:
    """Run a command to its end; return its exit code and what it said on stderr."""
    process = server.run(*words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _, said = process.communicate(timeout=120)
    return process.returncode, said


@contextmanager
def writing(api: httpx2.Client) -> Iterator[list[str]]:
    """Make events one after the other meanwhile; the list has the ids of those that were acknowledged."""
    stop, made = threading.Event(), list[str]()

    def write() -> None:
        while not stop.is_set():
            answer = api.post("events", json={"name": f"Party {len(made)}"})
            if answer.status_code == 201:
                made.append(answer.json()["id"])

    thread = threading.Thread(target=write)
    thread.start()
    wait_for(lambda: len(made) > 2, "some events")
    yield made
    stop.set()
    thread.join(60)


def rows_at(address: str) -> dict[str, list[object]]:
    engine = make_engine(address)
    try:
        return all_rows(engine)
    finally:
        engine.dispose()


def test_backup_under_writes_and_a_solve_and_restore_over_the_stopped_server(
    start_server: StartServer, tmp_path: Path
) -> None:
    server = start_server()
    api, event = server.api(), stored_event(server.sessions(), server.owner(), **LARGE)
    run = f"events/{event}/runs/{api.post(f'events/{event}/runs', json=ENDLESS).json()['id']}"
    wait_for(lambda: api.get(run).json()["progress"], "a solve under way")
    with writing(api) as made:
        before = list(made)
        assert convive(server, "backup", str(tmp_path / "busy.db")) == (0, "")
        wait_for(lambda: len(made) > len(before), "the writes go on")
    held = check_file(tmp_path / "busy.db")
    assert len(before) <= held.tables["events"][0] - 1 <= len(made)
    assert server.stop() in (0, -signal.SIGTERM)
    assert convive(server, "restore", str(tmp_path / "busy.db")) == (0, "")
    again = start_server()
    assert len(again.api().get("events", params={"limit": 100}).json()["events"]) <= held.tables["events"][0]
    wait_for(lambda: again.api().get(run).json()["status"] == "running", "the run is taken up again")
    again.stop()
    saved = rows_at(f"sqlite:///{again.data_dir / 'convive.db'}")
    assert convive(again, "backup", str(tmp_path / "still.db")) == (0, "")
    assert convive(again, "restore", str(tmp_path / "still.db"), "--data-dir", str(tmp_path / "new")) == (0, "")
    assert rows_at(f"sqlite:///{tmp_path / 'new' / 'convive.db'}") == saved


def test_restore_is_refused_while_a_server_runs_and_a_clean_stop_leaves_one_file(
    start_server: StartServer, tmp_path: Path
) -> None:
    server = start_server()
    assert convive(server, "backup", str(tmp_path / "backup.db"))[0] == 0
    code, said = convive(server, "restore", str(tmp_path / "backup.db"))
    assert (code, said.count("\n")) == (2, 1)
    assert said.startswith("convive: Stop “convive serve” first")
    key = server.run("key", "create", "--name", "x", stdout=subprocess.PIPE).communicate(timeout=60)[0].split()[-1]
    headers = {"Authorization": f"Bearer {key}"}
    made = httpx2.post(f"{server.address}/api/v1/events", json={"name": "Party"}, headers=headers, timeout=30)
    assert made.status_code == 201
    assert (server.data_dir / "convive.db-wal").exists()
    server.stop()
    beside = {path.name for path in server.data_dir.glob("convive.db*") if path.suffix != ".lock"}
    assert beside == {"convive.db"}


@pytest.mark.postgres
def test_waiting_run_is_done_after_the_move_to_postgresql(
    request: pytest.FixtureRequest, start_server: StartServer, tmp_path: Path
) -> None:
    server = start_server()
    sessions, owner = server.sessions(), server.owner()
    event = stored_event(sessions, owner)
    server.stop()
    run_id = stored_run(sessions, owner, event, restarts=10, time_limit=5.0)
    assert convive(server, "backup", str(tmp_path / "sqlite.db")) == (0, "")
    address = postgres_copy(request)
    moved = ServerProcess(tmp_path / "moved", CONVIVE_DATABASE_URL=address)
    moved.data_dir.mkdir()
    assert convive(moved, "restore", str(tmp_path / "sqlite.db")) == (0, "")
    assert rows_at(address) == rows_at(f"sqlite:///{server.data_dir / 'convive.db'}")
    worker = moved.run("worker", stderr=subprocess.DEVNULL)
    try:
        engine = make_engine(address)
        wait_for(lambda: read_run(make_sessions(engine), run_id).status == "done", "the run")
        engine.dispose()
    finally:
        worker.send_signal(signal.SIGTERM)
        worker.wait(20)


@pytest.mark.postgres
def test_backup_of_postgresql_under_writes_and_a_solve_goes_anywhere(
    database: str, request: pytest.FixtureRequest, start_server: StartServer, tmp_path: Path
) -> None:
    server = start_server(CONVIVE_DATABASE_URL=database)
    api, event = server.api(), stored_event(server.sessions(), server.owner(), **LARGE)
    worker = server.run("worker", stderr=subprocess.DEVNULL)
    run = api.post(f"events/{event}/runs", json=ENDLESS).json()["id"]
    wait_for(lambda: api.get(f"events/{event}/runs/{run}").json()["progress"], "a solve under way")
    with writing(api):
        assert convive(server, "backup", str(tmp_path / "busy.db")) == (0, "")
    code, said = convive(server, "restore", str(tmp_path / "busy.db"))
    assert (code, said.count("\n")) == (2, 1)
    assert "Stop “convive serve” and “convive worker” first" in said
    worker.send_signal(signal.SIGTERM)
    worker.wait(20)
    server.stop()
    places = {"sqlite": f"sqlite:///{tmp_path / 'place.db'}", "postgres": postgres_copy(request), "itself": database}
    found = {}
    for name, address in places.items():
        place = ServerProcess(tmp_path / name, CONVIVE_DATABASE_URL=address)
        place.data_dir.mkdir()
        assert convive(place, "restore", str(tmp_path / "busy.db")) == (0, "")
        found[name] = rows_at(address)
        with transaction(make_sessions(make_engine(address))) as session:
            status = session.scalar(select(Run.status).where(Run.id == UUID(run)))
        assert status == (
            "running" if name == "sqlite" else "queued"
        )  # the worker beside SQLite queues it at its start
    assert found["postgres"] == found["itself"]
    assert {**found["sqlite"], "runs": []} == {**found["postgres"], "runs": []}
