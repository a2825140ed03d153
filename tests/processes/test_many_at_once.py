"""Many people at once: a short form of `make load`."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from load.client import Answer, Client, build_request
from tests.loops import in_a_loop
from tests.processes.conftest import StartServer
from tests.server import ServerProcess

REQUESTS = 150
PATIENCE = 60.0


def send_at_once(server: ServerProcess, requests: list[bytes]) -> list[Answer]:
    """Send all of them in one moment, each over a connection of its own."""

    async def send() -> list[Answer]:
        client = Client(int(server.address.rsplit(":", 1)[1]), PATIENCE)
        return await asyncio.gather(*(client.send(request, fresh=True) for request in requests))

    return in_a_loop(send)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def server(request: pytest.FixtureRequest, start_server: StartServer) -> ServerProcess:
    """A server on each database."""
    if request.param == "sqlite":
        return start_server()
    return start_server(CONVIVE_DATABASE_URL=request.getfixturevalue("database"))


def test_many_requests_in_one_moment_are_all_answered(server: ServerProcess) -> None:
    api = server.api()
    key = {"Authorization": str(api.headers["authorization"]), "Content-Type": "application/json"}
    event = api.post("events", json={"name": "Party"}).json()["id"]
    read = build_request("GET", f"/api/v1/events/{event}/guests", key)
    add = [
        build_request("POST", f"/api/v1/events/{event}/guests", key, b'{"name": "Guest %d"}' % n)
        for n in range(REQUESTS)
    ]
    pages = [build_request("GET", path) for path in ("/sign-in", "/s/unknown", "/")] * (REQUESTS // 3)
    answers = send_at_once(server, [*pages, *[read] * REQUESTS, *add])
    found = Counter(answer.outcome for answer in answers)
    assert found == {"200": REQUESTS // 3 + REQUESTS, "404": REQUESTS // 3, "303": REQUESTS // 3, "201": REQUESTS}
    names = [guest["name"] for guest in api.get(f"events/{event}/guests?limit=1000").json()["guests"]]
    assert sorted(names) == sorted(f"Guest {n}" for n in range(REQUESTS))


def test_overfull_server_refuses_at_once_and_stays_healthy(start_server: StartServer) -> None:
    server = start_server(CONVIVE_MAX_WAITING_REQUESTS="1", CONVIVE_DATABASE_CONNECTIONS="2")
    health, page = build_request("GET", "/healthz"), build_request("GET", "/sign-in")
    answers = send_at_once(server, [page] * REQUESTS + [health])
    refused = [answer for answer in answers if answer.status == 503]
    assert {answer.outcome for answer in answers} <= {"200", "503"}
    assert refused
    assert {answer.header("Retry-After") for answer in refused} == {"2"}
    assert answers[-1].status == 200
