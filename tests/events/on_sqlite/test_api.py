"""/api/v1/events."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.db.models import IdempotencyKey
from app.db.session import Sessions, transaction

HALF_A_NAME = b'{"name": "Aino\\ud83d Virtanen\\u0000"}'


def test_event_is_made_and_read_back(api: TestClient) -> None:
    made = api.post("events", json={"name": "Party", "date": "2026-12-05"})
    assert made.status_code == 201
    assert made.headers["location"] == f"/api/v1/events/{made.json()['id']}"
    read = api.get(f"events/{made.json()['id']}")
    assert read.json() == made.json()
    assert set(read.json()) == {"id", "name", "date", "kind", "seats_undecided", "erase_after_days", "created_at"}
    assert (read.json()["name"], read.json()["date"], read.headers["etag"]) == ("Party", "2026-12-05", '"1"')


def test_unknown_field_and_empty_name_are_refused_with_a_pointer(api: TestClient) -> None:
    unknown = api.post("events", json={"name": "Party", "colour": "red"})
    assert (unknown.status_code, unknown.headers["content-type"]) == (422, "application/problem+json")
    assert unknown.json()["errors"] == [{"pointer": "#/colour", "detail": "Unknown field “colour”."}]
    empty = api.post("events", json={"name": "   "})
    assert empty.json()["errors"] == [{"pointer": "#/name", "detail": "The event name is empty."}]


def test_detail_names_the_place_of_a_single_fault(api: TestClient) -> None:
    event = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}"
    one = api.put(f"{event}/guests", json={"guests": [{"name": "Aino"}, {"name": " "}]}).json()
    assert one["detail"] == "guests/1/name: The name is empty."
    two = api.put(f"{event}/guests", json={"guests": [{"name": ""}, {"name": " "}]}).json()
    assert two["detail"] == "The name is empty. (2 times)"
    assert [error["pointer"] for error in two["errors"]] == ["#/guests/0/name", "#/guests/1/name"]
    assert api.post("events", json={}).json()["detail"] == "“name” is required."
    deep = api.put(f"{event}/guests", json={"guests": [{"name": "Aino", "a/b~c": 1}]}).json()
    assert deep["errors"][0]["pointer"] == "#/guests/0/a~1b~0c"


@pytest.mark.parametrize("path", ["events", "{event}/ratings/matrix"])
@pytest.mark.parametrize(
    ("text", "place"), [('{"kind": ,}', "line 1, column 10"), ('{\n "kind": ,', "line 2, column 10")]
)
def test_body_that_is_no_json_is_told_by_line_and_column(api: TestClient, path: str, text: str, place: str) -> None:
    event = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}"
    method = "POST" if path == "events" else "PUT"
    refused = api.request(method, path.format(event=event), content=text, headers={"Content-Type": "application/json"})
    message = f"The body is not valid JSON: {place}."
    assert (refused.status_code, refused.json()["detail"]) == (422, message)
    assert refused.json()["errors"] == [{"pointer": "#", "detail": message}]


def test_change_needs_the_present_version(api: TestClient) -> None:
    address = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}"
    assert api.patch(address, json={"name": "Gala"}).status_code == 428
    changed = api.patch(address, json={"name": "Gala"}, headers={"If-Match": '"1"'})
    assert (changed.status_code, changed.json()["name"], changed.headers["etag"]) == (200, "Gala", '"2"')
    assert api.patch(address, json={"name": "Dinner"}, headers={"If-Match": '"1"'}).status_code == 412
    assert api.delete(address, headers={"If-Match": '"2"'}).status_code == 204
    assert api.get(address).status_code == 404


def test_same_idempotency_key_makes_one_event(api: TestClient) -> None:
    first, second = (api.post("events", json={"name": "Party"}, headers={"Idempotency-Key": "k1"}) for _ in range(2))
    assert first.json() == second.json()
    assert (second.status_code, second.headers["location"]) == (201, first.headers["location"])
    assert len(api.get("events").json()["events"]) == 1
    other = api.post("events", json={"name": "Gala"}, headers={"Idempotency-Key": "k1"})
    assert other.status_code == 409


def test_list_comes_in_pages(api: TestClient) -> None:
    for number in range(5):
        api.post("events", json={"name": f"Party {number}"})
    first = api.get("events", params={"limit": 3}).json()
    rest = api.get("events", params={"limit": 3, "after": first["next"]}).json()
    names = [event["name"] for event in first["events"] + rest["events"]]
    assert names == ["Party 4", "Party 3", "Party 2", "Party 1", "Party 0"]
    assert rest["next"] is None


def test_stranger_cannot_see_or_change_an_event(api: TestClient, stranger_api: TestClient) -> None:
    address = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}"
    assert stranger_api.get(address).status_code == 404
    assert stranger_api.patch(address, json={"name": "x"}, headers={"If-Match": "*"}).status_code == 404
    assert stranger_api.delete(address, headers={"If-Match": "*"}).status_code == 404
    assert stranger_api.get("events").json() == {"events": [], "next": None}


def test_without_a_key_nothing_is_told(client: TestClient) -> None:
    refused = client.get("/api/v1/events")
    assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")


def test_replayed_answer_is_the_whole_answer(api: TestClient) -> None:
    first, second = (api.post("events", json={"name": "Party"}, headers={"Idempotency-Key": "k1"}) for _ in range(2))
    assert second.headers["etag"] == first.headers["etag"] == '"1"'


def test_remembered_answers_go_with_their_event(api: TestClient, sessions: Sessions) -> None:
    event = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}"
    guest = {"name": "Aino", "note": "canary in a note"}
    assert api.post(f"{event}/guests", json=guest, headers={"Idempotency-Key": "k1"}).status_code == 201
    assert api.delete(event, headers={"If-Match": "*"}).status_code == 204
    assert api.post(f"{event}/guests", json=guest, headers={"Idempotency-Key": "k1"}).status_code == 404
    with transaction(sessions, read_only=True) as session:
        assert session.scalars(select(IdempotencyKey)).all() == []


def test_half_a_character_and_a_nul_are_taken_as_spaces(api: TestClient) -> None:
    event = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}"
    made = api.post(f"{event}/guests", content=HALF_A_NAME, headers={"Content-Type": "application/json"})
    assert (made.status_code, made.json()["name"]) == (201, "Aino Virtanen")


def test_body_that_is_not_said_to_be_json_is_told_how_to_be(api: TestClient) -> None:
    answer = api.post(
        "events", content='{"name": "Party"}', headers={"Content-Type": "application/x-www-form-urlencoded"}
    )
    assert answer.status_code == 415
    assert answer.json()["detail"] == "Send the body as JSON with the header “Content-Type: application/json”."
