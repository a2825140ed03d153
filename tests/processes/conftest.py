"""Servers of their own for single tests, and one that the tests of a module share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import postgres_copy
from tests.server import ServerProcess

StartServer = Callable[..., ServerProcess]


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[StartServer]:
    """Start servers on the data folder of this test; they are gone at its end."""
    started: list[ServerProcess] = []

    def start(*flags: str, **settings: str) -> ServerProcess:
        server = ServerProcess(tmp_path / "data", **settings).start(*flags)
        started.append(server)
        return server

    yield start
    for server in started:
        server.stop()


@pytest.fixture
def database(request: pytest.FixtureRequest) -> str:
    """A PostgreSQL database that no other test meets, whichever processes may still be at work on it."""
    return postgres_copy(request)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that the tests of a module share."""
    server = ServerProcess(tmp_path_factory.mktemp("server")).start()
    yield server
    server.stop()
