"""A worker on PostgreSQL as an operator runs it: without a data folder, with a log line and metrics of its own."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import httpx2
import pytest

from app import __version__
from app.accounts.users import actor_of, local_user
from app.db.session import make_engine, make_sessions, transaction
from tests.processes.proxies import free_port
from tests.run_helpers import read_run, stored_event, stored_run
from tests.server import ServerProcess, wait_for

pytestmark = pytest.mark.postgres


def test_worker_needs_no_data_folder_and_reports_what_it_does(tmp_path: Path, database: str) -> None:
    (tmp_path / "file").touch()
    port = free_port()
    office = ServerProcess(
        tmp_path,
        CONVIVE_DATABASE_URL=database,
        CONVIVE_DATA_DIR=str(tmp_path / "file" / "no-folder"),  # cannot be made, not even by root
        CONVIVE_WORKER_METRICS_PORT=str(port),
        CONVIVE_LOG_FORMAT="json",
    )
    sessions = make_sessions(make_engine(database))
    with transaction(sessions) as session:
        owner = actor_of(local_user(session))
    log = tmp_path / "worker.log"
    with log.open("w") as errors:
        worker = office.run("worker", stderr=errors, stdout=subprocess.DEVNULL)
    try:
        event_id = stored_event(sessions, owner)
        run_id = stored_run(sessions, owner, event_id, restarts=2, time_limit=1)
        wait_for(lambda: read_run(sessions, run_id).status == "done", "the run")
        counted = 'convive_worker_runs_total{kind="run",outcome="done"} 1.0'
        wait_for(lambda: counted in metrics(port), "the worker's metrics")
        shown = metrics(port)
    finally:
        worker.send_signal(signal.SIGTERM)
        worker.wait(30)
    assert 'convive_build_info{database="postgresql",python="' in shown
    assert f'version="{__version__}"' in shown
    for name in ("convive_worker_solve_seconds_bucket", "convive_database_connections", "convive_worker_busy"):
        assert name in shown
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    (started,) = [line for line in lines if line["event"] == "worker started"]
    assert (started["version"], started["database"]) == (__version__, "postgresql")
    (run,) = [line for line in lines if line["event"] == "run"]
    assert (run["run"], run["outcome"], run["attempt"], run["host"]) == (str(run_id), "done", 1, started["host"])
    assert "Guest" not in log.read_text()


def metrics(port: int) -> str:
    """Return what the worker tells Prometheus, once it does."""
    try:
        return httpx2.get(f"http://127.0.0.1:{port}/metrics").text
    except httpx2.HTTPError:
        return ""
