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


def test_kept_list_is_for_those_alone_who_may_see_it(
    api: TestClient, client: TestClient, made: Planned, sessions: Sessions
) -> None:
    with transaction(sessions) as session:
        editor = make_member(session, made.event.id, "editor")
    other = api_client(client, sessions, editor)
    tags = {path: other.get(address(made, path)).headers["etag"] for path in ("guests", "tables", "ratings")}
    with transaction(sessions) as session:
        session.get_one(Member, (made.event.id, editor.user_id)).role = "viewer"
    assert other.get(address(made, "guests")).json()["guests"][0]["note"] is None
    assert api.get(address(made, "guests")).json()["guests"][0]["note"] == ""
    assert other.get(address(made, "ratings"), headers={"If-None-Match": tags["ratings"]}).status_code == 403
    with transaction(sessions) as session:
        session.delete(session.get_one(Member, (made.event.id, editor.user_id)))
    for path, tag in tags.items():
        assert other.get(address(made, path), headers={"If-None-Match": tag}).status_code == 404
