"""A disk that takes no more, and a schema that is too new: one clear line, and a server that says so."""

from __future__ import annotations

import resource
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import httpx2
import psutil
import pytest

from tests.processes.conftest import StartServer
from tests.server import PATIENCE, ServerProcess, wait_for


def ended_with(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Wait for a command; return its exit code and what it said on stderr."""
    _, said = process.communicate(timeout=120)
    return process.returncode, said


def limited_to(size: int) -> Callable[[], None]:
    """Let no file of a new process grow beyond `size`: what a disk quota does."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def limit(process: psutil.Process, size: int) -> None:
    """Do the same to a process that runs; it has no other effect than a write that fails."""
    process.rlimit(psutil.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def readiness(server: ServerProcess) -> httpx2.Response:
    return httpx2.get(f"{server.address}/readyz", timeout=30)


def test_full_disk_refuses_writes_and_is_not_ready_until_there_is_room(start_server: StartServer) -> None:
    server = start_server()
    api, web = server.api(), server.web()
    assert api.post("events", json={"name": "Before"}).status_code == 201
    assert readiness(server).status_code == 200
    limit(server.process, (server.data_dir / "convive.db-wal").stat().st_size)
    refused = api.post("events", json={"name": "Meanwhile"})
    assert (refused.status_code, refused.headers["content-type"]) == (507, "application/problem+json")
    assert web.post("/events", data={"name": "Meanwhile"}).status_code == 507
    assert readiness(server).status_code == 503
    assert [event["name"] for event in api.get("events").json()["events"]] == ["Before"]
    limit(server.process, resource.RLIM_INFINITY)
    assert readiness(server).status_code == 200
    assert api.post("events", json={"name": "After"}).status_code == 201
    assert "Traceback" not in server.log.read_text()


def test_server_whose_database_is_deleted_says_so_and_stops(start_server: StartServer) -> None:
    server = start_server()
    (server.data_dir / "convive.db").unlink()
    worker = wait_for(server.worker, "a worker")
    worker.kill()
    server.process.wait(PATIENCE)
    said = [line for line in server.log.read_text().splitlines() if "database file was deleted" in line]
    assert len(said) == 1


@pytest.mark.parametrize("command", [["serve"], ["key", "create", "--name", "x"]])
def test_command_on_a_full_disk_says_so_in_one_line(sqlite_template: Path, tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "convive.db").write_bytes(sqlite_template.read_bytes())
    place = ServerProcess(tmp_path)
    code, said = ended_with(
        place.run(*command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, preexec_fn=limited_to(1000))
    )
    assert (code, said.count("\n")) == (2, 1)
    assert said.startswith("convive: The disk is full or not writable.")


def test_backup_to_a_full_disk_leaves_nothing(sqlite_template: Path, tmp_path: Path) -> None:
    (tmp_path / "convive.db").write_bytes(sqlite_template.read_bytes())
    target = tmp_path / "backups"
    target.mkdir()
    process = ServerProcess(tmp_path).run(
        "backup", str(target / "b.db"), stderr=subprocess.PIPE, preexec_fn=limited_to(100_000)
    )
    code, said = ended_with(process)
    assert (code, said.count("\n")) == (2, 1)
    assert said.startswith("convive: The disk is full or not writable.")
    assert list(target.iterdir()) == []


@pytest.mark.parametrize("command", [["serve"], ["demo"]])
def test_command_on_a_newer_schema_says_so_in_one_line(
    sqlite_template: Path, tmp_path: Path, command: list[str]
) -> None:
    (tmp_path / "convive.db").write_bytes(sqlite_template.read_bytes())
    with sqlite3.connect(tmp_path / "convive.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    code, said = ended_with(ServerProcess(tmp_path).run(*command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL))
    assert (code, said.count("\n")) == (2, 1)
    assert said.startswith("convive: The database has schema 9999, made by a newer version of Convive")
