"""How many runs of one account may wait, and how long one may take."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.config import Settings
from app.db.session import Sessions
from app.main import use_database
from tests.rating_helpers import stored_event

Limit = Callable[..., None]


@pytest.fixture
def limit(client: TestClient) -> Limit:
    """Set the limits of the server."""

    def set_limits(**limits: float) -> None:
        state = client.app.state  # type: ignore[attr-defined]  # Starlette's state is untyped
        changed = Settings(**{**state.settings.model_dump(), **limits}, _env_file=None)
        use_database(client.app, changed, state.sessions)  # type: ignore[arg-type]  # it is the application

    return set_limits


@pytest.fixture
def runs(api: TestClient, sessions: Sessions, owner: Actor) -> str:
    """The address of the runs of an event that can be planned."""
    event, _ = stored_event(sessions, owner, "Aino Olli Sari Zaid")
    api.put(f"events/{event}/tables", json={"tables": [{"seats": 2}, {"seats": 2}]})
    return f"events/{event}/runs"


def test_one_run_too_many_is_refused_until_one_is_cancelled(api: TestClient, runs: str, limit: Limit) -> None:
    limit(max_waiting_runs=2)
    first, second = (api.post(runs, json={}) for _ in range(2))
    assert (first.status_code, second.status_code) == (202, 202)
    refused = api.post(runs, json={})
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "30")
    assert refused.json()["title"] == "Too many runs waiting"
    assert "You already have 2 runs waiting" in refused.json()["detail"]
    assert api.post(f"{runs}/{first.json()['id']}/repeat").status_code == 429
    assert api.delete(f"{runs}/{first.json()['id']}").status_code == 202
    assert api.post(runs, json={}).status_code == 202


def test_a_repeat_of_a_request_is_no_further_run(api: TestClient, runs: str, limit: Limit) -> None:
    limit(max_waiting_runs=1)
    first, again = (api.post(runs, json={}, headers={"Idempotency-Key": "one"}) for _ in range(2))
    assert first.json() == again.json()


def test_many_starts_at_once_are_counted_one_by_one(api: TestClient, runs: str, limit: Limit) -> None:
    limit(max_waiting_runs=3)
    with ThreadPoolExecutor(8) as threads:
        statuses = sorted(threads.map(lambda _: api.post(runs, json={}).status_code, range(8)))
    assert statuses == [202] * 3 + [429] * 5


def test_a_run_that_may_take_too_long_is_refused(api: TestClient, runs: str, limit: Limit) -> None:
    started = api.post(runs, json={"time_limit": 60}).json()["id"]
    limit(max_run_seconds=30)
    for refused in (api.post(runs, json={"time_limit": 31}), api.post(f"{runs}/{started}/repeat")):
        assert refused.status_code == 422
        assert refused.json()["errors"] == [
            {"pointer": "#/time_limit", "detail": "Maximum 30 seconds per run on this server."}
        ]
    assert api.post(runs, json={"time_limit": 30}).status_code == 202


def test_the_page_refuses_one_run_too_many_as_well(web: TestClient, api: TestClient, runs: str, limit: Limit) -> None:
    limit(max_waiting_runs=1)
    page = f"/{runs}"
    assert web.post(page, data={}).status_code == 303
    refused = web.post(page, data={})
    assert refused.status_code == 429
    assert "You already have 1 run waiting" in refused.text
