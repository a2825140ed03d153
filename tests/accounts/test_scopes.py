"""An API key does what its scopes and its event allow, at every route of the API, and nothing else."""

from __future__ import annotations

import re

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import update

from app.accounts.actor import Actor
from app.accounts.api_keys import create_api_key
from app.accounts.scopes import MARK
from app.db.models import ApiKey, User
from app.db.session import Sessions, transaction
from app.events.edit import create_event
from app.sharing.links import AUDIENCES
from tests.conftest import api_client
from tests.run_helpers import stored_event
from tests.security.declared_routes import routes_of

SOLVING = {
    ("POST", "/api/v1/events/{event_id}/runs"),
    ("POST", "/api/v1/events/{event_id}/runs/{run_id}/repeat"),
    ("POST", "/api/v1/events/{event_id}/runs/{run_id}/finish"),
    ("DELETE", "/api/v1/events/{event_id}/runs/{run_id}"),
}
FOLLOWING = {
    "/api/v1/events/{event_id}/runs",
    "/api/v1/events/{event_id}/runs/{run_id}",
    "/api/v1/events/{event_id}/runs/{run_id}/events",
}


def scoped(client: TestClient, sessions: Sessions, actor: Actor, scopes: str) -> TestClient:
    own = api_client(client, sessions, actor)
    with transaction(sessions) as session:
        session.execute(update(ApiKey).values(scopes=scopes))
    return own


@pytest.mark.parametrize("scope", ["read", "write", "solve"])
def test_every_route_refuses_a_key_without_its_scope(
    client: TestClient, sessions: Sessions, owner: Actor, scope: str
) -> None:
    own = scoped(client, sessions, owner, scope)
    with transaction(sessions) as session:
        event = str(create_event(session, owner, name="Party").id)
    assert isinstance(client.app, FastAPI)
    wrong = {}
    for method, path in routes_of(client.app):
        if not path.startswith("/api/v1/") or "/shared/" in path or path.endswith("openapi.json"):
            continue
        needed = "read" if method == "GET" else "solve" if (method, path) in SOLVING else "write"
        if needed != scope and not (scope == "solve" and method == "GET" and path in FOLLOWING):
            address = re.sub(r"{\w+}", event, path.replace("{what}", "place-cards"))
            answer = own.request(method, f"http://localhost{address}", headers={"If-Match": "*"})
            if answer.status_code != 403 or f"“{needed}”" not in answer.json()["detail"]:
                wrong[method, path] = answer.status_code
    assert wrong == {}


def test_routes_that_solve_say_so_in_the_openapi_document(client: TestClient) -> None:
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    marked = {(m.upper(), path) for path, ways in paths.items() for m, way in ways.items() if way.get(MARK) == "solve"}
    assert marked == SOLVING


def test_read_key_reads_and_solve_key_does_not(client: TestClient, sessions: Sessions, owner: Actor) -> None:
    assert scoped(client, sessions, owner, "read").get("events").status_code == 200
    assert scoped(client, sessions, owner, "solve").get("events").status_code == 403


def test_read_key_sees_no_secret_address(client: TestClient, sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        session.get_one(User, owner.user_id).email = "host@example.org"
        event = create_event(session, owner, name="Party").id
        key = create_api_key(session, owner, "reader", scopes=["read"])
    api = api_client(client, sessions, owner)
    assert api.post(f"events/{event}/invitations", json={"role": "owner"}).json()["url"]
    for audience in AUDIENCES:
        assert api.post(f"events/{event}/links", json={"audience": audience}).json()["url"]
    assert all(link["url"] and link["token"] for link in api.get(f"events/{event}/links").json()["links"])
    api.headers["Authorization"] = f"Bearer {key}"
    listed = api.get(f"events/{event}/links").json()["links"]
    shown = [*listed, *(api.get(f"events/{event}/links/{link['id']}").json() for link in listed)]
    assert {link["audience"] for link in shown} == set(AUDIENCES)
    assert {(link["url"], link["token"]) for link in shown} == {(None, None)}
    assert [one["url"] for one in api.get(f"events/{event}/invitations").json()["invitations"]] == [None]


def test_solve_key_follows_its_runs_and_replaces_no_plan_that_links_show(
    client: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event = stored_event(sessions, owner)
    for scopes, used in (("solve", False), ("solve write", True)):
        api = scoped(client, sessions, owner, scopes)
        started = api.post(f"events/{event}/runs", json={})
        assert (started.status_code, started.json()["use_plan"]) == (202, used)
        run = f"events/{event}/runs/{started.json()['id']}"
        assert api.get(run).json()["status"] == "queued"
        assert api.delete(run).status_code == 202
        assert api.post(f"{run}/repeat").json()["use_plan"] == used
        assert [one["use_plan"] for one in api.get(f"events/{event}/runs").json()["runs"]][:2] == [used, used]
        with api.stream("GET", f"{run}/events") as stream:
            assert stream.status_code == 200
        assert api.get(f"events/{event}/guests").status_code == 403


def test_key_for_one_event_opens_no_other(client: TestClient, sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        own, other = (create_event(session, owner, name=name).id for name in ("Party", "Gala"))
        key = create_api_key(session, owner, "party", event_id=own)
    headers = {"Authorization": f"Bearer {key}"}
    assert client.get(f"/api/v1/events/{own}/guests", headers=headers).status_code == 200
    assert client.post(f"/api/v1/events/{own}/guests", json={"name": "Bo"}, headers=headers).status_code == 201
    for path in (f"/api/v1/events/{other}/guests", "/api/v1/events"):
        refused = client.get(path, headers=headers)
        assert (refused.status_code, "one event only" in refused.text) == (403, True)
    assert client.post("/api/v1/events", json={"name": "New"}, headers=headers).status_code == 403
    assert client.get("/metrics", headers=headers).status_code in (200, 403)
