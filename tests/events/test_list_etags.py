"""Whole lists: their versions, and cursors from elsewhere."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app import clock
from app.accounts.actor import Actor
from app.db.session import Sessions
from app.ratings import change as rate
from app.ratings import group_defaults as group_ratings
from tests.rating_helpers import stored_event

NO_SUCH_ID = "01a1e99d-b736-7fd6-b69a-2823c1390be9"


@pytest.fixture
def filled(api: TestClient, sessions: Sessions, owner: Actor) -> tuple[str, list[str]]:
    """The address of an event with three guests and one of everything else that is a list, and the guests' ids."""
    event, guests = stored_event(sessions, owner, "Aino Olli Sari")
    address = f"events/{event}"
    group = api.post(f"{address}/groups", json={"name": "Choir", "guests": guests}).json()["id"]
    api.post(f"{address}/tables", json={"seats": 4})
    api.post(f"{address}/rules", json={"kind": "apart", "guests": guests[:2]})
    api.put(f"{address}/ratings", json={"ratings": [{"a": guests[0], "b": guests[1], "score": 1}]})
    api.put(f"{address}/groups/ratings", json={"ratings": [{"a": group, "b": group, "score": 1}]})
    return address, guests


def replacement(path: str, guests: list[str]) -> dict[str, Any]:
    """Return a valid body for a PUT of a list."""
    bodies: dict[str, dict[str, Any]] = {
        "guests": {"guests": [{"name": "Aino"}]},
        "groups": {"groups": [{"name": "Choir"}]},
        "tables": {"tables": [{"name": "Birch", "seats": 8}]},
        "rules": {"rules": []},
        "ratings": {"ratings": []},
        "groups/ratings": {"ratings": []},
        "ratings/matrix": {"guests": guests[:2], "matrix": [[0, 1], [1, 0]]},
    }
    return bodies[path]


LISTS = ["guests", "groups", "tables", "rules", "ratings", "groups/ratings", "ratings/matrix"]


@pytest.mark.parametrize("path", LISTS)
def test_a_list_with_something_in_it_is_replaced_only_by_who_read_it(
    api: TestClient, filled: tuple[str, list[str]], path: str
) -> None:
    address, guests = f"{filled[0]}/{path}", filled[1]
    body = replacement(path, guests)
    read = api.get(address)
    refused = api.put(address, json=body)
    assert (refused.status_code, refused.json()["title"]) == (428, "If-Match is missing")
    assert "If-Match: *" in refused.json()["detail"]
    stale = api.put(address, json=body, headers={"If-Match": '"0123"'})
    assert (stale.status_code, stale.json()["title"]) == (412, "Changed by someone else")
    assert api.get(address).json() == read.json()
    assert api.get(address).headers["etag"] == read.headers["etag"]
    done = api.put(address, json=body, headers={"If-Match": read.headers["etag"]})
    assert done.status_code == 200, done.text
    assert done.headers["etag"] == api.get(address).headers["etag"] != read.headers["etag"]
    assert api.put(address, json=body, headers={"If-Match": "*"}).status_code == 200


@pytest.mark.parametrize("path", LISTS)
def test_an_empty_list_is_set_without_a_version(
    api: TestClient, sessions: Sessions, owner: Actor, filled: tuple[str, list[str]], path: str
) -> None:
    empty, guests = stored_event(sessions, owner, "" if path == "guests" else "Aino Olli Sari")
    body = replacement(path, [str(guest) for guest in guests])
    assert api.put(f"events/{empty}/{path}", json=body).status_code == 200


def test_a_guest_whom_somebody_added_meanwhile_is_not_removed(api: TestClient, filled: tuple[str, list[str]]) -> None:
    guests = f"{filled[0]}/guests"
    read = api.get(guests)
    api.post(guests, json={"name": "Zaid"})
    sent = {"guests": [{"id": guest["id"], "name": guest["name"]} for guest in read.json()["guests"]]}
    assert api.put(guests, json=sent, headers={"If-Match": read.headers["etag"]}).status_code == 412
    assert "Zaid" in [guest["name"] for guest in api.get(guests).json()["guests"]]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", "guests/{guest}", {"note": "Vegan"}),
        ("DELETE", "guests/{guest}", None),
        ("POST", "guests", {"name": "Zaid"}),
        ("POST", "groups", {"name": "Band"}),
    ],
)
def test_every_change_gives_the_guests_another_version(
    api: TestClient, filled: tuple[str, list[str]], method: str, path: str, body: dict[str, Any] | None
) -> None:
    address, guests = filled
    before = api.get(f"{address}/guests").headers["etag"]
    sent = api.request(method, f"{address}/{path.format(guest=guests[0])}", json=body, headers={"If-Match": "*"})
    assert sent.is_success
    assert api.get(f"{address}/guests").headers["etag"] != before


def test_another_order_of_the_guests_is_another_version(api: TestClient, filled: tuple[str, list[str]]) -> None:
    guests = f"{filled[0]}/guests"
    read = api.get(guests)
    other_way = [{"id": guest["id"], "name": guest["name"]} for guest in reversed(read.json()["guests"])]
    assert api.put(guests, json={"guests": other_way}, headers={"If-Match": "*"}).status_code == 200
    assert [guest["name"] for guest in api.get(guests).json()["guests"]] == ["Sari", "Olli", "Aino"]
    late = api.put(guests, json={"guests": other_way[:2]}, headers={"If-Match": read.headers["etag"]})
    assert late.status_code == 412


@pytest.mark.parametrize("path", ["ratings", "groups/ratings"])
def test_versions_of_ratings_do_not_depend_on_the_clock(
    api: TestClient, filled: tuple[str, list[str]], path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"{filled[0]}/{path}"
    moment = datetime(2026, 5, 1, tzinfo=UTC)
    for module in (clock, rate, group_ratings):
        monkeypatch.setattr(module, "now", lambda: moment, raising=False)
    ratings = api.get(address).json()["ratings"]
    tags = set()
    for score in (-1, 2, -2):
        sent = api.put(address, json={"ratings": [{**ratings[0], "score": score}]}, headers={"If-Match": "*"})
        tags.add(sent.headers["etag"])
    assert len(tags) == 3


@pytest.mark.parametrize(
    ("path", "body", "changed"),
    [
        ("tables", {"seats": 6}, {"tables", "rules"}),
        ("rules", {"kind": "together"}, {"rules"}),
        ("guests", {"name": "Zaid"}, set(LISTS)),
    ],
)
def test_version_of_a_list_stays_when_only_other_lists_change(
    api: TestClient, filled: tuple[str, list[str]], path: str, body: dict[str, Any], changed: set[str]
) -> None:
    address, guests = filled
    before = {name: api.get(f"{address}/{name}").headers["etag"] for name in LISTS}
    sent = {**body, "guests": guests[:2]} if path == "rules" else body
    assert api.post(f"{address}/{path}", json=sent).status_code == 201
    assert {name for name in LISTS if api.get(f"{address}/{name}").headers["etag"] != before[name]} == changed


def test_removed_table_gives_the_rules_another_version(api: TestClient, filled: tuple[str, list[str]]) -> None:
    address, guests = filled
    (table,) = [table["id"] for table in api.get(f"{address}/tables").json()["tables"]]
    api.post(f"{address}/rules", json={"kind": "pinned", "guests": guests[:1], "tables": [table]})
    before = api.get(f"{address}/rules")
    api.delete(f"{address}/tables/{table}", headers={"If-Match": "*"})
    after = api.get(f"{address}/rules")
    assert (len(before.json()["rules"]), len(after.json()["rules"])) == (2, 1)
    assert after.headers["etag"] != before.headers["etag"]


def test_all_pages_of_a_list_have_its_version(api: TestClient, filled: tuple[str, list[str]]) -> None:
    first = api.get(f"{filled[0]}/guests", params={"limit": 2})
    second = api.get(f"{filled[0]}/guests", params={"limit": 2, "after": first.json()["next"]})
    assert len(second.json()["guests"]) == 1
    assert first.headers["etag"] == second.headers["etag"]


@pytest.mark.parametrize(
    "path", ["events", "guests", "groups", "tables", "rules", "ratings", "wishes", "runs", "plans"]
)
def test_a_cursor_from_elsewhere_is_an_error(
    api: TestClient, sessions: Sessions, owner: Actor, filled: tuple[str, list[str]], path: str
) -> None:
    address = "events" if path == "events" else f"{filled[0]}/{path}"
    after = f"{NO_SUCH_ID}_{NO_SUCH_ID}" if path in ("ratings", "wishes") else NO_SUCH_ID
    refused = api.get(address, params={"after": after})
    assert refused.status_code == 422
    assert [error["pointer"] for error in refused.json()["errors"]] == ["#/after"]
