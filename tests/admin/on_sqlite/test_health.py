"""/healthz, /readyz, /metrics and the page that explains the API."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import text, update

from app import __version__
from app.accounts.actor import Actor
from app.clock import now
from app.config import Settings
from app.db.models import Run
from app.db.session import Sessions, transaction
from app.main import create_app
from app.runs.queue import NullQueue
from tests.run_helpers import stored_event, stored_run

NEAR, FAR = ("127.0.0.1", 50000), ("192.0.2.7", 50000)


def client_at(settings: Settings, place: tuple[str, int]) -> TestClient:
    return TestClient(create_app(settings, NullQueue()), base_url="http://localhost", client=place)


@pytest.fixture
def near(settings: Settings) -> Iterator[TestClient]:
    """A client on the same machine."""
    with client_at(settings, NEAR) as client:
        yield client


def test_server_says_that_it_is_up_and_its_version(client: TestClient) -> None:
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "version": __version__})


def test_load_balancer_checks_health_by_address(client: TestClient) -> None:
    for host in ("10.0.0.7:8000", "[fd00::7]:8000", "web-1.internal", ""):
        answers = [client.get(path, headers={"Host": host}) for path in ("/healthz", "/readyz", "/sign-in")]
        assert (host, [answer.status_code for answer in answers]) == (host, [200, 200, 400])


def test_refused_health_check_says_nothing_about_the_database(client: TestClient, sessions: Sessions) -> None:
    with transaction(sessions) as session:
        session.execute(text("UPDATE alembic_version SET version_num = 'canary'"))
    refused = client.get("/readyz", headers={"Host": "10.0.0.7"})
    assert refused.json() == {"ready": False, "reason": "The database schema does not match this version."}


def test_server_is_ready_with_the_newest_schema_only(client: TestClient, sessions: Sessions) -> None:
    assert (client.get("/readyz").status_code, client.get("/readyz").json()) == (200, {"ready": True})
    with transaction(sessions) as session:
        session.execute(text("UPDATE alembic_version SET version_num = 'another'"))
    old = client.get("/readyz")
    assert (old.status_code, old.json()["ready"]) == (503, False)


def test_server_without_its_database_is_up_but_not_ready(client: TestClient, sessions: Sessions) -> None:
    with transaction(sessions) as session:
        session.execute(text("DROP TABLE alembic_version"))
    assert client.get("/readyz").status_code == 503
    assert client.get("/healthz").status_code == 200


def test_metrics_are_for_this_machine(near: TestClient, settings: Settings) -> None:
    near.get("/healthz")
    message = near.get("/metrics")
    assert message.status_code == 200
    assert re.search(r'convive_requests_total{method="GET",route="/healthz",status="200"} \d', message.text)
    assert 'convive_runs{status="queued"} 0.0' in message.text
    assert client_at(settings, FAR).get("/metrics").status_code == 404
    behind_proxy = settings.model_copy(update={"base_url": "https://seating.example.org"})
    assert client_at(behind_proxy, NEAR).get("/metrics").status_code == 404


def test_metrics_say_what_runs_and_what_is_left(near: TestClient) -> None:
    message = near.get("/metrics").text
    assert re.search(rf'convive_build_info{{database="sqlite",python="3[.\d]+",version="{__version__}"}} 1.0', message)
    assert 'convive_database_connections{state="in_use"} 1.0' in message
    assert re.search(r"convive_database_connections_limit \d", message)
    assert re.search(r"convive_disk_free_bytes [\d.e+]+\n", message)
    assert "convive_silent_runs 0.0" in message
    assert 'convive_requests_working{door="read"} 1.0' in message  # this one
    assert 'convive_requests_waiting{door="write"} 0.0' in message
    assert re.search(r"process_resident_memory_bytes \d", message)


def test_metrics_hold_the_runs_of_the_last_hour(near: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id, at = stored_event(sessions, owner), now()
    for minutes, seconds in ((5, 2), (30, 4), (90, 8)):
        run_id, ended = stored_run(sessions, owner, event_id), at - timedelta(minutes=minutes)
        times = {"started_at": ended - timedelta(seconds=seconds), "finished_at": ended}
        with transaction(sessions) as session:
            session.execute(update(Run).where(Run.id == run_id).values(status="done", **times))
    message = near.get("/metrics").text
    assert 'convive_runs{status="done"} 3.0' in message
    assert 'convive_finished_runs_1h{status="done"} 2.0' in message
    assert 'convive_mean_run_seconds_1h{status="done"} 3.0' in message
    assert 'convive_longest_run_seconds_1h{status="done"} 4.0' in message


def test_metrics_are_for_holders_of_an_api_key(client: TestClient, api: TestClient) -> None:
    assert client.get("/metrics").status_code == 404
    assert client.get("/metrics", headers={"Authorization": "Bearer cv_wrong"}).status_code == 404
    assert client.get("/metrics", headers={"Authorization": api.headers["Authorization"]}).status_code == 200


def test_metrics_hold_no_address_and_no_name(near: TestClient) -> None:
    near.get("/s/secret-canary")
    near.get("/events/canary-id/guests?name=canary")
    near.request("CANARY", "/")
    assert "canary" not in near.get("/metrics").text.lower()


def test_docs_explain_every_operation(client: TestClient) -> None:
    page = client.get("/api/docs")
    assert page.status_code == 200
    for path, methods in client.get("/api/v1/openapi.json").json()["paths"].items():
        for method in methods:
            assert f"<b>{method.upper()}</b> {path}</code>" in page.text
    links = re.findall(r'href="#([^"]+)"', page.text)
    ids = re.findall(r'\bid="([^"]+)"', page.text)
    assert set(links) <= set(ids)
    assert len(ids) == len(set(ids))


def test_docs_show_fields_and_a_command_that_can_be_copied(client: TestClient) -> None:
    text = client.get("/api/docs").text
    assert "<code>guests[].name</code>" in text
    assert "array of array of number or null" in text
    assert "-d &#39;{&#34;name&#34;: &#34;…&#34;}&#39;" in text
    assert "http://127.0.0.1:8000/api/v1/events" in text


def test_many_readiness_checks_take_one_connection(app: FastAPI, client: TestClient) -> None:
    pool, most = app.state.sessions.kw["bind"].pool, 0
    check = app.state.storage.problem_of_disk

    def count_connections() -> str | None:
        nonlocal most
        most = max(most, pool.checkedout())
        return check()  # type: ignore[no-any-return]

    app.state.storage.problem_of_disk = count_connections
    with ThreadPoolExecutor(20) as senders:
        answers = list(senders.map(lambda _: client.get("/readyz").status_code, range(40)))
    assert (set(answers), most) == ({200}, 0)  # the look at the disk comes after the connection was given back
