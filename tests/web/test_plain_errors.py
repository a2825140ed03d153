"""What is wrong with a request is said in plain sentences, without pydantic's words and without what was sent."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from app.errors import FieldError, Invalid

EVENTS = "events"
SOME_ID = "01990000-0000-7000-8000-000000000000"
RULES = f"events/{SOME_ID}/rules"
RUNS = f"events/{SOME_ID}/runs"


@pytest.mark.parametrize(
    ("path", "body", "pointer", "message"),
    [
        (EVENTS, {}, "#/name", "“name” is required."),
        (EVENTS, {"name": "A", "place": "B"}, "#/place", "Unknown field “place”."),
        (EVENTS, {"name": 5}, "#/name", "“name” must be text."),
        (EVENTS, {"name": "A", "date": 5}, "#/date", "“date” must be a date such as 2026-12-05."),
        (EVENTS, {"name": "A", "date": "2026-13-05"}, "#/date", "“date” must be a date such as 2026-12-05."),
        (EVENTS, {"name": "A", "kind": "canary"}, "#/kind", "“kind” must be 'score' or 'distance'."),
        (EVENTS, "canary", "#", "The body must be a JSON object."),
        (RULES, {"kind": "apart", "guests": "canary"}, "#/guests", "“guests” must be a list."),
        (RULES, {"kind": "apart", "guests": [SOME_ID, "canary"]}, "#/guests/1", "“guests/1” must be an id."),
        (RUNS, {"restarts": "5"}, "#/restarts", "“restarts” must be a whole number."),
        (RUNS, {"time_limit": "5"}, "#/time_limit", "“time_limit” must be a number."),
        (RUNS, {"repair": 1}, "#/repair", "“repair” must be true or false."),
    ],
)
def test_errors_in_a_body_are_plain_sentences(
    api: TestClient, path: str, body: object, pointer: str, message: str
) -> None:
    refused = api.post(path, json=body)
    assert (refused.status_code, refused.json()["errors"]) == (422, [{"pointer": pointer, "detail": message}])


@pytest.mark.parametrize(
    ("path", "body", "detail"),
    [
        (RUNS, {"hosts": ["canary"]}, "“hosts/0” must be an id."),
        (RUNS, {"met_tables": [[5]]}, "“met_tables/0/0” must be an id."),
        (f"events/{SOME_ID}/guests", {"guests": [{"name": 5}]}, "guests/0/name: “name” must be text."),
    ],
)
def test_place_of_a_single_error_is_said_once(api: TestClient, path: str, body: object, detail: str) -> None:
    refused = (api.put if "guests" in path else api.post)(path, json=body, headers={"If-Match": "*"})
    assert (refused.status_code, refused.json()["detail"]) == (422, detail)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("limit=canary", "“limit” must be a whole number."),
        ("limit=0", "“limit” must be at least 1."),
        ("limit=1001", "“limit” must be at most 1,000."),
        ("after=canary", "“after” must be an id."),
    ],
)
def test_errors_in_a_query_are_plain_sentences(api: TestClient, query: str, message: str) -> None:
    refused = api.get(f"{EVENTS}?{query}")
    assert (refused.status_code, [error["detail"] for error in refused.json()["errors"]]) == (422, [message])


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_body_of_another_content_type_is_refused_with_415(api: TestClient, content_type: str) -> None:
    headers = {"Content-Type": content_type} if content_type else {}
    refused = api.post(EVENTS, content=b'{"name": "canary"}', headers=headers)
    assert refused.status_code == 415
    assert refused.json()["detail"] == "Send the body as JSON with the header “Content-Type: application/json”."


def test_mistake_that_is_made_for_many_guests_is_said_once_with_a_count() -> None:
    faults = [FieldError(f"guests/{number}/groups/0", "No commas.") for number in range(50)]
    assert Invalid([*faults, FieldError("name", "No name.")]).message == "No commas. (50 times) No name."
