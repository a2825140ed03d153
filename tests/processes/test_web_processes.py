"""Several server processes on one port."""

from __future__ import annotations

import re
import signal
from contextlib import suppress

import httpx2
import psutil
import pytest

from app.config import SettingsError, load_settings
from tests.processes.conftest import StartServer
from tests.server import ServerProcess, wait_for


def web_processes(server: ServerProcess) -> list[psutil.Process]:
    found = []
    for child in server.process.children():
        with suppress(psutil.Error):  # it may end just now
            found += [child] if "serve-process" in child.cmdline() else []
    return found


def two_processes(server: ServerProcess) -> list[psutil.Process] | None:
    found = web_processes(server)
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
