"""Links and what they show, over the REST API."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timedelta

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import select, text, update

from app.accounts.actor import Actor
from app.clock import now
from app.config import Settings
from app.db import models
from app.db.session import Sessions, transaction
from app.main import create_app
from app.runs.queue import NullQueue
from tests.canaries import canaries_in, make_plan_with_canaries
from tests.conftest import api_client
from tests.factories import ANY_VERSION, Planned, make_member, make_plan
from tests.server import wait_for


@pytest.fixture
def made(sessions: Sessions, owner: Actor) -> Planned:
    """A plan to share."""
    with transaction(sessions) as session:
        return make_plan(session, owner, sizes=(2, 3), names=["Aino", "Bo", "Cleo", "Dan"])


def links_address(made: Planned) -> str:
    return f"events/{made.event.id}/plans/{made.plan.id}/links"


@contextmanager
def writes_held_back(sessions: Sessions, *, until_waiting: int) -> Iterator[None]:
    """Let nobody write a link before the body is over and so many wait for it; SQLite's writers wait even to begin."""
    waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    with transaction(sessions) as session:
        is_postgres = session.get_bind().dialect.name == "postgresql"
        if is_postgres:
            session.execute(text("LOCK TABLE links IN EXCLUSIVE MODE"))
        yield
        if is_postgres:
            wait_for(lambda: session.scalar(waiting) == until_waiting, "both to try to write")


def test_link_is_made_with_its_address_and_shows_names_and_tables(
    api: TestClient, client: TestClient, made: Planned
) -> None:
    link = api.post(links_address(made), json={"audience": "guests"})
    body = link.json()
    assert link.status_code == 201
    assert link.headers["location"] == f"/api/v1/{links_address(made)}/{body['id']}"
    assert body["url"] == f"http://localhost/s/{body['token']}"
    days = datetime.fromisoformat(body["expires_at"]) - datetime.fromisoformat(body["created_at"])
    assert round(days / timedelta(days=1)) == 90
    shared = client.get(f"/api/v1/shared/{body['token']}")
    assert shared.json() == {
        "event": {"name": "Midsummer dinner", "date": None},
        "tables": [
            {"name": "Table 1", "guests": [{"name": "Aino"}, {"name": "Bo"}]},
            {"name": "Table 2", "guests": [{"name": "Cleo"}, {"name": "Dan"}]},
        ],
        "rounds": [],
    }
    assert (shared.headers["cache-control"], shared.headers["referrer-policy"]) == ("no-store", "no-referrer")
    assert shared.headers["x-robots-tag"] == "noindex, nofollow"


def test_link_is_open_until_a_week_after_the_event_unless_asked_otherwise(
    api: TestClient, made: Planned, sessions: Sessions
) -> None:
    day = now().date() + timedelta(days=200)
    with transaction(sessions) as session:
        session.get_one(models.Event, made.event.id).date = day
    until = api.post(links_address(made), json={"audience": "guests"}).json()["expires_at"]
    assert datetime.fromisoformat(until).date() == day + timedelta(days=7)
    until = api.post(links_address(made), json={"audience": "guests", "days": 3}).json()["expires_at"]
    assert datetime.fromisoformat(until).date() == now().date() + timedelta(days=3)


def test_only_the_hash_of_a_token_is_stored(api: TestClient, made: Planned, sessions: Sessions) -> None:
    token = api.post(links_address(made), json={"audience": "guests"}, headers={"Idempotency-Key": "k"}).json()["token"]
    with transaction(sessions) as session:
        assert session.scalars(select(models.Link.token_hash)).one() != token
        assert session.scalars(select(models.IdempotencyKey)).all() == []
    stored = api.get(links_address(made)).json()["links"]
    assert [link["token"] for link in stored] == [token]  # derived again


def test_repeated_request_gets_the_same_link(api: TestClient, made: Planned) -> None:
    first, second = (
        api.post(links_address(made), json={"audience": "guests"}, headers={"Idempotency-Key": "k"}) for _ in range(2)
    )
    assert first.json() == second.json()
    other = api.post(links_address(made), json={"audience": "guests"}, headers={"Idempotency-Key": "l"})
    assert other.json()["token"] != first.json()["token"]
    assert len(api.get(links_address(made)).json()["links"]) == 2


def test_repeated_request_is_refused_once_its_link_is_closed(api: TestClient, made: Planned) -> None:
    def send() -> Response:
        return api.post(links_address(made), json={"audience": "guests"}, headers={"Idempotency-Key": "k"})

    assert api.delete(f"{links_address(made)}/{send().json()['id']}").status_code == 204
    assert send().status_code == 409
    assert api.get(links_address(made)).json()["links"] == []


def test_request_repeated_at_the_same_time_gets_the_same_link(
    api: TestClient, made: Planned, sessions: Sessions
) -> None:
    def send() -> Response:
        return api.post(links_address(made), json={"audience": "guests"}, headers={"Idempotency-Key": "k"})

    with ThreadPoolExecutor(2) as pool:
        with writes_held_back(sessions, until_waiting=2):
            asked = [pool.submit(send) for _ in range(2)]
        answers = [one.result() for one in asked]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json() == answers[1].json()
    assert len(api.get(links_address(made)).json()["links"]) == 1


def test_revoked_expired_and_unknown_links_look_the_same(
    api: TestClient, client: TestClient, made: Planned, sessions: Sessions
) -> None:
    revoked, expired = (api.post(links_address(made), json={"audience": "guests"}).json() for _ in range(2))
    assert api.delete(f"{links_address(made)}/{revoked['id']}").status_code == 204
    past = {"expires_at": now() - timedelta(minutes=1)}
    with transaction(sessions) as session:
        session.execute(update(models.Link).where(models.Link.token_hash.is_not(None)).values(**past))
    answers = [client.get(f"/api/v1/shared/{token}") for token in (revoked["token"], expired["token"], "unknown")]
    assert [answer.status_code for answer in answers] == [404] * 3
    assert len({answer.json()["detail"] for answer in answers}) == 1
    assert api.get(links_address(made)).json() == {"links": [], "next": None}
    assert api.delete(f"{links_address(made)}/{revoked['id']}").status_code == 404


def test_link_shows_edits_and_leaves_out_removed_guests(
    api: TestClient, client: TestClient, made: Planned, sessions: Sessions
) -> None:
    token = api.post(links_address(made), json={"audience": "guests"}).json()["token"]
    swap = {"kind": "swap", "guest": str(made.guests[0].id), "other": str(made.guests[2].id)}
    api.post(f"events/{made.event.id}/plans/{made.plan.id}/moves", json=swap, headers=ANY_VERSION)
    with transaction(sessions) as session:
        session.execute(update(models.Guest).where(models.Guest.name == "Dan").values(removed_at=now()))
    tables = client.get(f"/api/v1/shared/{token}").json()["tables"]
    assert [[guest["name"] for guest in table["guests"]] for table in tables] == [["Cleo", "Bo"], ["Aino"]]


def test_pinned_link_goes_with_its_plan(api: TestClient, client: TestClient, made: Planned) -> None:
    token = api.post(links_address(made), json={"audience": "guests", "pinned": True}).json()["token"]
    api.delete(f"events/{made.event.id}/plans/{made.plan.id}", headers={"If-Match": "*"})
    assert client.get(f"/api/v1/shared/{token}").status_code == 404


def test_bad_link_is_refused_with_a_pointer(api: TestClient, made: Planned) -> None:
    public = api.post(links_address(made), json={"audience": "everybody"})
    assert public.json()["errors"][0]["pointer"] == "#/audience"
    long = api.post(links_address(made), json={"audience": "guests", "days": 100_000})
    assert long.json()["errors"][0]["pointer"] == "#/days"


def test_address_is_built_from_the_public_one(
    settings: Settings, sessions: Sessions, owner: Actor, made: Planned
) -> None:
    public = settings.model_copy(update={"base_url": "https://seating.example.org", "link_days": 7})
    with TestClient(create_app(public, NullQueue()), base_url="http://localhost") as client:
        api = api_client(client, sessions, owner)
        body = api.post(links_address(made), json={"audience": "guests"}).json()
    assert body["url"] == f"https://seating.example.org/s/{body['token']}"
    days = datetime.fromisoformat(body["expires_at"]) - datetime.fromisoformat(body["created_at"])
    assert round(days / timedelta(days=1)) == 7


def test_stranger_and_viewer_have_no_say_over_links(
    api: TestClient, stranger_api: TestClient, client: TestClient, sessions: Sessions, made: Planned
) -> None:
    link = api.post(links_address(made), json={"audience": "guests"}).json()
    with transaction(sessions) as session:
        viewer = make_member(session, made.event.id, "viewer")
    viewer_api = api_client(client, sessions, viewer)
    for other, status in ((stranger_api, 404), (viewer_api, 403)):
        assert other.get(links_address(made)).status_code == status
        assert other.post(links_address(made), json={"audience": "guests"}).status_code == status
        assert other.delete(f"{links_address(made)}/{link['id']}").status_code == status
    assert client.get(f"/api/v1/shared/{link['token']}").status_code == 200


def test_link_of_another_plan_is_not_revoked(api: TestClient, made: Planned, sessions: Sessions, owner: Actor) -> None:
    link = api.post(links_address(made), json={"audience": "guests"}).json()
    with transaction(sessions) as session:
        other = make_plan(session, owner, sizes=(2,), names=["Zoe"])
    assert api.delete(f"{links_address(other)}/{link['id']}").status_code == 404
    assert api.delete(f"events/{made.event.id}/plans/{other.plan.id}/links/{link['id']}").status_code == 404


def test_nothing_but_names_and_tables_is_in_the_public_answer(
    api: TestClient, client: TestClient, sessions: Sessions, owner: Actor
) -> None:
    with transaction(sessions) as session:
        made = make_plan_with_canaries(session, owner)
    token = api.post(links_address(made), json={"audience": "guests"}).json()["token"]
    assert canaries_in(api.get(f"events/{made.event.id}/plans/{made.plan.id}").text) != []
    shown = client.get(f"/api/v1/shared/{token}").text
    assert "Aino" in shown
    assert canaries_in(shown) == []


def test_link_of_an_event_is_made_changed_and_closed(api: TestClient, client: TestClient, made: Planned) -> None:
    address = f"events/{made.event.id}/links"
    link = api.post(address, json={"audience": "planner", "name": "Aunt Mary"})
    body = link.json()
    assert (body["name"], body["plan"], body["pinned"], body["uses"]) == ("Aunt Mary", None, False, 0)
    shown = client.get(f"/api/v1/shared/{body['token']}").json()
    assert [shown["plan"], len(shown["tables"])] == ["Version 1", 2]
    one = link.headers["location"].removeprefix("/api/v1/")
    change = {"name": "Uncle Joe", "plan": str(made.plan.id), "expires_at": "2027-01-01T00:00:00Z"}
    assert api.patch(one, json=change).status_code == 428
    changed = api.patch(one, json=change, headers={"If-Match": link.headers["etag"]}).json()
    assert (changed["name"], changed["pinned"], changed["url"]) == ("Uncle Joe", True, body["url"])
    assert api.patch(one, json=change, headers={"If-Match": link.headers["etag"]}).status_code == 412
    assert [listed["id"] for listed in api.get(address).json()["links"]] == [body["id"]]
    assert api.delete(one).status_code == 204
    assert client.get(f"/api/v1/shared/{body['token']}").status_code == 404
