"""Several server processes on one port."""

from __future__ import annotations

import re
import signal
import socket
from pathlib import Path
from select import select

import httpx2
import psutil
import pytest

from app.cli.web_processes import METRICS_FOLDER
from app.config import SettingsError, load_settings
from tests.processes.conftest import StartServer
from tests.server import PATIENCE, ServerProcess, wait_for


def two_processes(server: ServerProcess) -> list[psutil.Process] | None:
    found = server.processes("serve-process")
    return found if len(found) == 2 else None


def answering(server: ServerProcess) -> bool:
    try:
        return httpx2.get(f"{server.address}/readyz", timeout=30).status_code == 200
    except httpx2.HTTPError:
        return False


@pytest.mark.postgres
def test_processes_share_a_port_and_one_that_dies_is_replaced(start_server: StartServer, database: str) -> None:
    server = start_server(CONVIVE_DATABASE_URL=database, CONVIVE_WEB_PROCESSES="2")
    assert server.said.count("http") == 1
    first, second = wait_for(lambda: two_processes(server), "two processes")
    first.kill()

    def with_successor() -> list[psutil.Process] | None:
        found = two_processes(server)
        return found if found and first not in found else None

    assert second in wait_for(with_successor, "the dead one's successor")
    wait_for(lambda: answering(server), "an answer")


@pytest.mark.postgres
def test_stop_ends_all_processes(start_server: StartServer, database: str) -> None:
    server = start_server(CONVIVE_DATABASE_URL=database, CONVIVE_WEB_PROCESSES="2")
    found = wait_for(lambda: two_processes(server), "two processes")
    assert server.stop() == 0
    assert [process for process in found if process.is_running()] == []


@pytest.mark.postgres
def test_processes_end_when_their_supervisor_is_killed(start_server: StartServer, database: str) -> None:
    server = start_server(CONVIVE_DATABASE_URL=database, CONVIVE_WEB_PROCESSES="2")
    found = wait_for(lambda: two_processes(server), "two processes")
    server.stop(signal.SIGKILL)
    wait_for(lambda: not any(process.is_running() for process in found), "the end of all processes")


@pytest.mark.postgres
def test_process_ends_with_a_supervisor_that_has_not_read_its_byte(tmp_path: Path, database: str) -> None:
    settings = {"CONVIVE_DATABASE_URL": database, METRICS_FOLDER: str(tmp_path)}
    ours, theirs = socket.socketpair()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        handed = listener.fileno(), theirs.fileno()
        process = ServerProcess(tmp_path, **settings).run("serve-process", *map(str, handed), pass_fds=handed)
    theirs.close()
    wait_for(lambda: select([ours], [], [], 0)[0], "the byte that says it is ready")
    ours.close()
    assert process.wait(PATIENCE) == 1


@pytest.mark.postgres
def test_metrics_count_the_requests_of_all_processes(start_server: StartServer, database: str) -> None:
    server = start_server(CONVIVE_DATABASE_URL=database, CONVIVE_WEB_PROCESSES="2")

    def asked() -> float:
        text = httpx2.get(f"{server.address}/metrics", timeout=30).text
        line = re.search(r'^convive_requests_total\{[^}]*route="/healthz"[^}]*\} ([0-9.]+)$', text, flags=re.M)
        return float(line[1]) if line else 0.0

    before = asked()
    for _ in range(40):  # each on a connection of its own, so that both processes get some
        httpx2.get(f"{server.address}/healthz", timeout=30)
    assert asked() - before == 40


def test_several_processes_need_postgresql() -> None:
    with pytest.raises(SettingsError, match=r"CONVIVE_WEB_PROCESSES: .*use PostgreSQL for more"):
        load_settings(web_processes=2)
    several = load_settings(web_processes=3, database_url="postgresql://localhost/convive")
    assert (several.process_count, load_settings().process_count) == (3, 1)
