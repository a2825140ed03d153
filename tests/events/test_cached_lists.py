"""Lists of the API that are kept: not sent again to clients that have them, and never to who may not see them."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.models import Member
from app.db.session import Sessions, transaction
from tests.conftest import api_client
from tests.factories import Planned, make_member, make_plan


@pytest.fixture
def made(sessions: Sessions, owner: Actor) -> Planned:
    """A planned event."""
    with transaction(sessions) as session:
        return make_plan(session, owner, sizes=(2, 2), names=["Aino", "Bo", "Cleo", "Dan"], assignment=[0, 0, 1, 1])


def address(made: Planned, path: str) -> str:
    return f"events/{made.event.id}/{path}"


@pytest.mark.parametrize("path", ["tables", "ratings", "tables?limit=1", "ratings?limit=1"])
def test_list_that_a_client_has_is_not_sent_again(api: TestClient, made: Planned, path: str) -> None:
    first = api.get(address(made, path))
    again = api.get(address(made, path), headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert api.get(address(made, path)).json() == first.json()


def test_guests_are_always_sent_for_their_notes_depend_on_the_role(api: TestClient, made: Planned) -> None:
    first = api.get(address(made, "guests"))
    assert api.get(address(made, "guests"), headers={"If-None-Match": first.headers["etag"]}).json() == first.json()


def test_list_follows_each_change(api: TestClient, made: Planned) -> None:
    pair = {"a": str(made.guests[0].id), "b": str(made.guests[3].id), "score": 1.5}
    seen = [api.get(address(made, path)).text for path in ("guests", "tables", "ratings")]
    assert api.patch(address(made, "ratings"), json={"ratings": [pair]}).status_code == 200
    assert pair in api.get(address(made, "ratings")).json()["ratings"]
    assert api.post(address(made, "guests"), json={"name": "Late Lauri"}).status_code == 201
    assert api.get(address(made, "guests")).json()["guests"][-1]["name"] == "Late Lauri"
    assert api.post(address(made, "tables"), json={"name": "Terrace", "seats": 4}).status_code == 201
    assert api.get(address(made, "tables")).json()["tables"][-1]["name"] == "Terrace"
    now = [api.get(address(made, path)).text for path in ("guests", "tables", "ratings")]
    assert all(one != other for one, other in zip(seen, now, strict=True))


def test_plan_follows_each_change(api: TestClient, made: Planned) -> None:
    plan = address(made, f"plans/{made.plan.id}")
    first = api.get(plan)
    assert api.get(plan).json() == first.json()
    swap = {"kind": "swap", "guest": str(made.guests[0].id), "other": str(made.guests[3].id)}
    moved = api.post(f"{plan}/moves", json=swap, headers={"If-Match": first.headers["etag"]})
    assert (api.get(plan).json(), api.get(plan).headers["etag"]) == (moved.json(), moved.headers["etag"])
    named = api.patch(plan, json={"name": "By the window"}, headers={"If-Match": moved.headers["etag"]})
    assert (api.get(plan).json(), api.get(plan).headers["etag"]) == (named.json(), named.headers["etag"])
    assert api.post(address(made, "guests"), json={"name": "Late Lauri"}).status_code == 201
    assert api.get(plan).json()["unseated"] == ["Late Lauri"]


def test_plan_is_always_sent_for_its_version_does_not_count_late_guests(api: TestClient, made: Planned) -> None:
    plan = address(made, f"plans/{made.plan.id}")
    first = api.get(plan)
    assert api.get(plan, headers={"If-None-Match": first.headers["etag"]}).json() == first.json()


@pytest.mark.parametrize("path", ["guests", "tables", "ratings"])
def test_list_is_the_same_for_clients_that_take_no_compression(api: TestClient, made: Planned, path: str) -> None:
    for _ in range(2):  # built, and kept from before
        plain = api.get(address(made, path), headers={"Accept-Encoding": "identity"})
        packed = api.get(address(made, path), headers={"Accept-Encoding": "gzip"})
        assert "content-encoding" not in plain.headers
        assert packed.headers["content-encoding"] == "gzip"
        assert plain.headers["vary"] == packed.headers["vary"] == "Accept-Encoding"
        assert plain.text == packed.text


def test_kept_list_is_for_those_alone_who_may_see_it(
    api: TestClient, client: TestClient, made: Planned, sessions: Sessions
) -> None:
    with transaction(sessions) as session:
        editor = make_member(session, made.event.id, "editor")
    other = api_client(client, sessions, editor)
    tags = {path: other.get(address(made, path)).headers["etag"] for path in ("guests", "tables", "ratings")}
    plan = address(made, f"plans/{made.plan.id}")
    assert other.get(plan).json()["figures"] is not None
    with transaction(sessions) as session:
        session.get_one(Member, (made.event.id, editor.user_id)).role = "viewer"
    assert other.get(plan).json()["figures"] is None
    assert other.get(address(made, "guests")).json()["guests"][0]["note"] is None
    assert api.get(address(made, "guests")).json()["guests"][0]["note"] == ""
    assert other.get(address(made, "ratings"), headers={"If-None-Match": tags["ratings"]}).status_code == 403
    with transaction(sessions) as session:
        session.delete(session.get_one(Member, (made.event.id, editor.user_id)))
    for path, tag in tags.items():
        assert other.get(address(made, path), headers={"If-None-Match": tag}).status_code == 404
    assert other.get(plan).status_code == 404
