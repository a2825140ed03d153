"""JSON is taken as it is written: no text or truth value for a number, and null means to clear."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions
from tests.factories import ANY_VERSION
from tests.rating_helpers import stored_event


@pytest.mark.parametrize(
    ("path", "body", "pointer"),
    [
        ("tables", {"seats": True}, "#/seats"),
        ("tables", {"seats": "5"}, "#/seats"),
        ("tables", {"seats": 5.5}, "#/seats"),
        ("tables", {"seats": 5, "min_seats": None}, "#/min_seats"),
        ("tables", {"seats": 5, "x": "3"}, "#/x"),
        ("guests", {"name": 5}, "#/name"),
        ("guests", {"name": "Zaid", "child": "yes"}, "#/child"),
        ("guests", {"name": "Zaid", "child": 1}, "#/child"),
        ("guests", {"name": "Zaid", "groups": "Choir"}, "#/groups"),
        ("rules", {"kind": "apart", "guests": [1, 2]}, "#/guests/0"),
        ("runs", {"restarts": "10"}, "#/restarts"),
        ("runs", {"time_limit": True}, "#/time_limit"),
        ("runs", {"repair": "true"}, "#/repair"),
    ],
)
def test_wrong_types_are_refused_with_their_place(
    api: TestClient, sessions: Sessions, owner: Actor, path: str, body: dict[str, Any], pointer: str
) -> None:
    event, _ = stored_event(sessions, owner, "Aino Olli")
    refused = api.post(f"events/{event}/{path}", json=body)
    assert (refused.status_code, refused.headers["content-type"]) == (422, "application/problem+json")
    assert pointer in [error["pointer"] for error in refused.json()["errors"]]


@pytest.mark.parametrize("date", [0, "0", 1733356800, "2026-12-05T00:00:00", "05.12.2026", True, [], ""])
def test_a_date_is_a_day_and_nothing_else(api: TestClient, date: object) -> None:
    refused = api.post("events", json={"name": "Party", "date": date})
    assert (refused.status_code, [e["pointer"] for e in refused.json()["errors"]]) == (422, ["#/date"])
    assert api.post("events", json={"name": "Party", "date": "2026-12-05"}).json()["date"] == "2026-12-05"


def test_null_clears_what_can_be_empty(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, _ = stored_event(sessions, owner, "Aino Olli")
    whole = {"name": "Zaid", "note": "Vegan", "diet": "Nuts", "party": "Ek", "groups": ["Choir"]}
    guest = api.post(f"events/{event}/guests", json=whole).headers["location"].removeprefix("/api/v1/")
    same = api.patch(guest, json={}, headers=ANY_VERSION).json()
    assert {name: same[name] for name in whole} == whole
    nothing = {"note": None, "diet": None, "party": None, "groups": None}
    cleared = api.patch(guest, json=nothing, headers=ANY_VERSION).json()
    assert {name: cleared[name] for name in whole} == {
        "name": "Zaid",
        "note": "",
        "diet": "",
        "party": None,
        "groups": [],
    }
    assert api.patch(f"events/{event}", json={"date": None}, headers=ANY_VERSION).json()["date"] is None


@pytest.mark.parametrize("field", ["name", "reply", "child"])
def test_null_is_refused_where_there_must_be_something(
    api: TestClient, sessions: Sessions, owner: Actor, field: str
) -> None:
    event, guests = stored_event(sessions, owner, "Aino Olli")
    refused = api.patch(f"events/{event}/guests/{guests[0]}", json={field: None}, headers=ANY_VERSION)
    assert (refused.status_code, [e["pointer"] for e in refused.json()["errors"]]) == (422, [f"#/{field}"])


def test_bytes_that_are_no_text_are_refused(api: TestClient) -> None:
    refused = api.post("events", content=b"\xff\xfe{", headers={"Content-Type": "application/json"})
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "#")
