"""Every route × anonymous, stranger, revoked, viewer, editor, owner. The routes come from the application itself."""

from __future__ import annotations

from datetime import timedelta

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import delete, update

from app.accounts.actor import Actor
from app.clock import now
from app.db.models import ApiKey, UserSession
from app.db.session import Sessions, transaction
from tests.canaries import canaries_in
from tests.security.declared_routes import declared_roles, routes_of
from tests.security.route_table import AUDIENCE, BODIES, TABLES, routes_for
from tests.security.world import Visitor, World, other_ids, visitor, without_request_id

OF_EVENT = ("viewer", "editor", "owner")
REFUSED = (401, 403, 404)
STREAMS = ("/runs/{run_id}/events", "/plans/{plan_id}/events", "/plans/{plan_id}/live")


@pytest.fixture(autouse=True)
def _end_streams(app: FastAPI) -> None:
    app.state.plan_feed.close()  # a plan is never over: its streams end after their first event


def test_every_route_is_classified(client: TestClient) -> None:
    assert isinstance(client.app, FastAPI)
    classified = {(method, path) for path, methods in AUDIENCE.items() for method in methods}
    assert set(routes_of(client.app)) == classified
    assert set(BODIES) <= classified
    assert len(AUDIENCE) == sum(len(table.AUDIENCE) for table in TABLES)  # each path is in one table


def test_anonymous_gets_into_nothing(client: TestClient, world: World) -> None:
    nobody = Visitor(client, client)
    assert _answers(nobody, world, "person", "operator", *OF_EVENT) == {
        (method, path): 303 if method == "GET" and not path.startswith("/api/v1/") else 401
        for method, path in routes_for("person", "operator", *OF_EVENT)
    }


def test_anonymous_is_sent_to_the_sign_in_page(client: TestClient, world: World) -> None:
    for method, path in routes_for("person", *OF_EVENT):
        if method == "GET" and not path.startswith("/api/v1/"):
            sent = Visitor(client, client).ask(method, path, world.ids)
            assert sent.headers["location"].startswith("/sign-in?next=/")
            assert canaries_in(sent.text) == []


def test_stranger_cannot_tell_another_event_from_none(
    client: TestClient, sessions: Sessions, world: World, stranger: Actor
) -> None:
    eve = visitor(client, sessions, stranger)
    for method, path in routes_for(*OF_EVENT):
        real, none = (eve.ask(method, path, ids) for ids in (world.ids, other_ids(world.ids)))
        assert (method, path, *without_request_id(real)) == (method, path, *without_request_id(none))
        assert (method, path, real.status_code) == (method, path, 404)


def test_member_of_one_event_cannot_reach_into_another(
    client: TestClient, sessions: Sessions, world: World, stranger: Actor
) -> None:
    eve = visitor(client, sessions, stranger)
    own = eve.api.post("events", json={"name": "Eve's own"}).json()["id"]
    mixed = world.ids | {"event_id": own}
    parts = [(m, p) for m, p in routes_for("viewer", "editor") if p.count("{") > 1]
    reached = {(m, p): eve.ask(m, p, mixed).status_code for m, p in parts}
    assert reached == dict.fromkeys(parts, 404)


def test_viewer_reads_but_neither_ratings_nor_changes(client: TestClient, sessions: Sessions, world: World) -> None:
    guest = visitor(client, sessions, world.viewer)
    assert _answers(guest, world, "editor", "owner") == dict.fromkeys(routes_for("editor", "owner"), 403)
    allowed = _answers(guest, world, "viewer")
    gone = ("DELETE", "/api/v1/events/{event_id}/membership")  # they have left on the page already
    assert {route: status for route, status in allowed.items() if status not in (200, 303)} == {gone: 404}


def test_editor_changes_but_does_not_delete_the_event(client: TestClient, sessions: Sessions, world: World) -> None:
    helper = visitor(client, sessions, world.editor)
    assert _answers(helper, world, "owner") == dict.fromkeys(routes_for("owner"), 403)
    assert _refusals(_answers(helper, world, "viewer", "editor")) == {}


def test_owner_may_do_everything(client: TestClient, sessions: Sessions, world: World, owner: Actor) -> None:
    assert _refusals(_answers(visitor(client, sessions, owner), world, *OF_EVENT)) == {}


def test_operator_alone_sees_the_runs_of_everybody(
    client: TestClient, sessions: Sessions, world: World, owner: Actor, stranger: Actor
) -> None:
    nothing = dict.fromkeys(routes_for("operator"), 404)
    for actor in (stranger, world.viewer, world.editor):
        assert _answers(visitor(client, sessions, actor), world, "operator") == nothing
    assert _refusals(_answers(visitor(client, sessions, owner), world, "operator")) == {}


def test_revoked_key_and_ended_session_open_nothing(
    client: TestClient, sessions: Sessions, world: World, owner: Actor
) -> None:
    gone = visitor(client, sessions, owner)
    with transaction(sessions) as session:
        session.execute(update(ApiKey).values(revoked_at=now()))
        session.execute(delete(UserSession))
    assert set(_answers(gone, world, "person", *OF_EVENT).values()) == {303, 401}


def test_expired_key_and_session_open_nothing(
    client: TestClient, sessions: Sessions, world: World, owner: Actor
) -> None:
    late = visitor(client, sessions, owner)
    with transaction(sessions) as session:
        for row in (ApiKey, UserSession):
            session.execute(update(row).values(expires_at=now() - timedelta(seconds=1)))
    assert set(_answers(late, world, "person", *OF_EVENT).values()) == {303, 401}


def test_session_cookie_is_no_api_key_and_the_other_way_round(web: TestClient, api: TestClient) -> None:
    assert web.get("/api/v1/events").status_code == 401
    assert api.get("http://localhost/").headers["location"].startswith("/sign-in")


def _answers(who: Visitor, world: World, *audiences: str) -> dict[tuple[str, str], int]:
    return {(m, path): who.ask(m, path, world.ids).status_code for m, path in routes_for(*audiences)}


def _refusals(answers: dict[tuple[str, str], int]) -> dict[tuple[str, str], int]:
    # What an earlier request of the same test removed is not found any more; reads come before.
    return {
        (method, path): status
        for (method, path), status in answers.items()
        if status in REFUSED[:2] or status >= 500 or (status == 404 and method == "GET")
    }


def test_routes_of_an_event_declare_the_role_that_they_need(client: TestClient) -> None:
    assert isinstance(client.app, FastAPI)
    expected = {(method, path): AUDIENCE[path][method] for method, path in routes_for(*OF_EVENT)}
    streams = {key for key in expected if key[0] == "GET" and key[1].endswith(STREAMS)}  # checked again while open
    assert declared_roles(client.app) == {key: role for key, role in expected.items() if key not in streams}
