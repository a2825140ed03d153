"""HEAD works wherever GET does, and 405 names all methods of a path."""

from __future__ import annotations

import httpx2
import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions
from tests.rating_helpers import stored_event

VARYING = ("x-request-id", "date", "content-length")


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("events", "GET, HEAD, POST"),
        ("events/{event}", "DELETE, GET, HEAD, PATCH"),
        ("events/{event}/guests", "GET, HEAD, PATCH, POST, PUT"),
        ("events/{event}/guests/import", "POST"),
        ("events/{event}/groups/ratings", "GET, HEAD, PUT"),
        ("events/{event}/runs/{event}/repeat", "POST"),
    ],
)
@pytest.mark.parametrize("method", ["OPTIONS", "TRACE", "PURGE"])
def test_allow_names_all_methods_of_a_path(
    api: TestClient, sessions: Sessions, owner: Actor, path: str, allowed: str, method: str
) -> None:
    event, _ = stored_event(sessions, owner, "Aino")
    refused = api.request(method, path.format(event=event))
    assert (refused.status_code, refused.headers["allow"]) == (405, allowed)
    assert refused.json()["title"] == "Method not allowed"


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_a_path_with_a_name_of_its_own_is_not_taken_for_an_id(
    api: TestClient, sessions: Sessions, owner: Actor, method: str
) -> None:
    event, _ = stored_event(sessions, owner, "Aino")
    refused = api.request(method, f"events/{event}/guests/import", json={"ratings": []})
    assert (refused.status_code, refused.headers["allow"]) == (405, "POST")


def test_a_page_says_which_methods_it_takes(web: TestClient) -> None:
    assert web.put("/events").headers["allow"] == "GET, HEAD, POST"


@pytest.mark.parametrize(
    "path", ["/sign-in", "/api/docs", "/healthz", "/static/css/web/docs.css", "/api/v1/openapi.json", "/nowhere"]
)
def test_head_of_a_page_has_the_headers_of_get(client: TestClient, path: str) -> None:
    got, head = client.get(path), client.head(path)
    assert head.status_code == got.status_code
    assert not head.content
    assert without_varying(head) == without_varying(got)


def test_head_in_the_api_has_the_headers_of_get(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event, guests = stored_event(sessions, owner, "Aino Olli")
    for path in ("events", f"events/{event}", f"events/{event}/guests", f"events/{event}/guests/{guests[0]}"):
        got, head = api.get(path), api.head(path)
        assert (head.status_code, head.content) == (200, b"")
        assert without_varying(head) == without_varying(got)
        assert head.headers["content-length"] == got.headers["content-length"]
    assert api.head(f"events/{event}/guests/import").headers["allow"] == "POST"


def without_varying(answer: httpx2.Response) -> dict[str, str]:
    """Return the headers without what differs each time."""
    return {name: value for name, value in answer.headers.items() if name not in VARYING}
