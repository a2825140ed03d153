"""/api/v1/events/{event}/runs."""

from __future__ import annotations

import json
import threading
from typing import Any
from uuid import UUID

from fastapi.testclient import TestClient
from sqlalchemy import event

from app.accounts.actor import Actor
from app.db.session import Sessions
from app.worker.execute import execute_run
from tests.run_helpers import stored_event, stored_run
from tests.server import wait_for


def read_events(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the name and the data of each server-sent event."""
    blocks = [dict(line.split(": ", 1) for line in block.splitlines()) for block in text.strip().split("\n\n")]
    return [(block["event"], json.loads(block["data"])) for block in blocks if "event" in block]


def test_run_is_started_and_read_back(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    asked = {"method": "paper", "objective": "total", "restarts": 20, "time_limit": 3, "seed": 9}
    started = api.post(f"events/{event_id}/runs", json=asked)
    assert started.status_code == 202
    run = started.json()
    assert started.headers["location"] == f"/api/v1/events/{event_id}/runs/{run['id']}"
    assert asked.items() <= run.items()
    assert (run["status"], run["progress"], run["plan_id"], run["error"]) == ("queued", None, None, None)
    execute_run(sessions, UUID(run["id"]))
    done = api.get(f"events/{event_id}/runs/{run['id']}").json()
    assert done["status"] == "done"
    assert done["plan_id"] is not None
    assert (done["progress"]["restarts_done"], done["progress"]["seconds_left"]) == (20, 0)
    assert done.pop("met_tables") == []
    assert api.get(f"events/{event_id}/runs").json() == {"runs": [done], "next": None}


def test_run_needs_no_body(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    run = api.post(f"events/{stored_event(sessions, owner)}/runs").json()
    options = {"method": "full", "objective": "average", "restarts": 1000, "time_limit": 5.0, "seed": 1}
    assert options.items() <= run.items()


def test_bad_option_is_pointed_at(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    address = f"events/{stored_event(sessions, owner)}/runs"
    too_many = api.post(address, json={"restarts": 0, "time_limit": 4000})
    assert too_many.status_code == 422
    assert too_many.json()["errors"] == [
        {"pointer": "#/restarts", "detail": "The number of attempts must be from 1 to 1,000,000."},
        {"pointer": "#/time_limit", "detail": "The time limit must be from 0.1 to 3,600 seconds."},
    ]
    unknown = api.post(address, json={"speed": "fast"})
    assert unknown.json()["errors"] == [{"pointer": "#/speed", "detail": "Unknown field “speed”."}]


def test_host_that_is_given_twice_counts_once(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    one, other = (guest["id"] for guest in api.get(f"events/{event_id}/guests").json()["guests"][:2])
    run = api.post(f"events/{event_id}/runs", json={"rounds": 2, "hosts": [other, one, other]}).json()
    assert run["hosts"] == [other, one]
    assert api.get(f"events/{event_id}/runs/{run['id']}").json()["hosts"] == [other, one]


def test_only_a_run_by_itself_reads_who_met_before(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    met = [[guest["id"] for guest in api.get(f"events/{event_id}/guests").json()["guests"]]]
    run = api.post(f"events/{event_id}/runs", json={"rounds": 2, "met_tables": met}).json()
    asked: list[str] = []
    streamed: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        asked.append(statement)

    def watch() -> None:
        streamed.append(api.get(f"events/{event_id}/runs/{run['id']}/events").text)

    stream = threading.Thread(target=watch)
    event.listen(sessions.kw["bind"], "before_cursor_execute", note)
    try:
        shown = api.get(f"events/{event_id}/runs").json()["runs"]
        stream.start()
        wait_for(lambda: len([one for one in asked if "FROM runs" in one]) > 3, "the stream's reader")
    finally:
        event.remove(sessions.kw["bind"], "before_cursor_execute", note)
    api.delete(f"events/{event_id}/runs/{run['id']}")
    stream.join()
    assert [one for one in asked if "met_tables" in one] == []
    assert run["met_tables"] == api.get(f"events/{event_id}/runs/{run['id']}").json()["met_tables"] == met
    del run["met_tables"]
    assert shown == [run]
    statuses = [(name, one["status"]) for name, one in read_events(streamed[0])]
    assert statuses == [("progress", "queued"), ("end", "cancelled")]


def test_missing_seats_are_counted(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, guests=22, sizes=(4, 4, 5, 5))
    refused = api.post(f"events/{event_id}/runs")
    assert (refused.status_code, refused.json()["detail"]) == (
        422,
        "18 seats for 22 guests: 4 more seats needed. Add tables or seats.",
    )


def test_same_idempotency_key_starts_one_run(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    address = f"events/{stored_event(sessions, owner)}/runs"
    first, second = (api.post(address, json={}, headers={"Idempotency-Key": "k1"}) for _ in range(2))
    assert (second.status_code, second.json(), second.headers["location"]) == (
        202,
        first.json(),
        first.headers["location"],
    )
    assert len(api.get(address).json()["runs"]) == 1


def test_run_is_cancelled(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    address = f"events/{stored_event(sessions, owner)}/runs"
    run_id = api.post(address).json()["id"]
    cancelled = api.delete(f"{address}/{run_id}")
    assert (cancelled.status_code, cancelled.json()["status"]) == (202, "cancelled")
    assert api.delete(f"{address}/{run_id}").json() == cancelled.json()


def test_list_comes_in_pages(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    address = f"events/{stored_event(sessions, owner)}/runs"
    ids = [api.post(address).json()["id"] for _ in range(3)]
    first = api.get(address, params={"limit": 2}).json()
    rest = api.get(address, params={"limit": 2, "after": first["next"]}).json()
    assert [run["id"] for run in first["runs"] + rest["runs"]] == ids[::-1]
    assert rest["next"] is None


def test_stream_tells_of_the_run_until_its_end(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id, method="paper", restarts=1_000_000, time_limit=1.5)
    worker = threading.Thread(target=execute_run, args=(sessions, run_id))
    worker.start()
    stream = api.get(f"events/{event_id}/runs/{run_id}/events")
    worker.join()
    assert stream.headers["content-type"].startswith("text/event-stream")
    events = read_events(stream.text)
    assert {name for name, _ in events[:-1]} == {"progress"}
    run = api.get(f"events/{event_id}/runs/{run_id}").json()
    del run["met_tables"]
    assert events[-1] == ("end", run)
    shown = [run["progress"]["restarts_done"] for _, run in events if run["progress"]]
    assert shown == sorted(shown)
    assert len(shown) > 2


def test_stream_of_a_run_that_is_over_ends_at_once(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id)
    api.delete(f"events/{event_id}/runs/{run_id}")
    events = read_events(api.get(f"events/{event_id}/runs/{run_id}/events").text)
    assert [(name, run["status"]) for name, run in events] == [("end", "cancelled")]


def test_stranger_finds_no_run(api: TestClient, stranger_api: TestClient, sessions: Sessions, owner: Actor) -> None:
    address = f"events/{stored_event(sessions, owner)}/runs"
    run = f"{address}/{api.post(address).json()['id']}"
    answers = [
        stranger_api.get(address),
        stranger_api.post(address),
        stranger_api.get(run),
        stranger_api.get(f"{run}/events"),
        stranger_api.delete(run),
    ]
    assert [answer.status_code for answer in answers] == [404] * 5
    assert api.get(run).json()["status"] == "queued"
