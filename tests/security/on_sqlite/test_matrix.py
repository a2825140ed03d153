"""The matrix of routes beyond roles: removed members, disabled accounts, ids of another event, declarations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.accounts.api_keys import create_api_key
from app.accounts.scopes import ALL_SCOPES, MARK, Scope
from app.clock import now
from app.db.models import Event, Member, User
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.events.members import remove_member
from tests.conftest import api_client
from tests.security.declared_routes import declared_audiences, flat_routes
from tests.security.route_table import AUDIENCE, BODIES, routes_for
from tests.security.routes.addresses import API
from tests.security.world import Visitor, World, fill, make_world, other_ids, visitor, without_request_id

OF_EVENT = ("viewer", "editor", "owner")
OPEN = ("public", "link", "near")
NOT_IDS = {"event_id", "tab", "what"}
STREAMS = ("/runs/{run_id}/events", "/plans/{plan_id}/events", "/plans/{plan_id}/live")
EVIL = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
GUARDED_BY_TOKEN = ("/w/", "/d/")  # whoever has the address may write; a browser sends no secret by itself
NOT_THEIRS: dict[str, Any] = {
    "owner_id": "00000000-0000-7000-8000-000000000000",
    "user_id": "00000000-0000-7000-8000-000000000000",
    "event_id": "00000000-0000-7000-8000-000000000000",
    "is_operator": True,
    "role": "owner",
    "version": 999,
    "id": "00000000-0000-7000-8000-000000000000",
}
THEIRS_TO_SET = {
    ("POST", f"{API}/events/{{event_id}}/members"): {"role"},
    ("PATCH", f"{API}/events/{{event_id}}/members/{{member_id}}"): {"role"},
    ("POST", f"{API}/events/{{event_id}}/invitations"): {"role"},
    ("POST", f"{API}/events/{{event_id}}/plans/{{plan_id}}/moves"): {"version"},
    ("PATCH", f"{API}/events/{{event_id}}/room/layout"): {"id"},
}


@pytest.fixture(autouse=True)
def _end_streams(app: FastAPI) -> None:
    app.state.plan_feed.close()


def test_every_route_declares_who_may_use_it(client: TestClient) -> None:
    assert isinstance(client.app, FastAPI)
    declared = declared_audiences(client.app)
    expected = {(method, path): who for path, methods in AUDIENCE.items() for method, who in methods.items()}
    for (method, path), who in expected.items():
        if who in OPEN:
            says = "everyone"
        elif who in OF_EVENT and not (method == "GET" and path.endswith(STREAMS)):  # those check in their own way
            says = who
        else:
            says = "person"
        assert (method, path, declared[method, path]) == (method, path, says)


def test_removed_member_gets_what_a_stranger_gets(
    client: TestClient, sessions: Sessions, world: World, owner: Actor
) -> None:
    gone = visitor(client, sessions, world.editor)
    assert gone.ask("GET", "/events/{event_id}/guests", world.ids).status_code == 200
    with transaction(sessions) as session:
        remove_member(open_event(session, owner, UUID(world.ids["event_id"])), world.editor.user_id)
    for method, path in routes_for(*OF_EVENT):
        real, none = (gone.ask(method, path, ids) for ids in (world.ids, other_ids(world.ids)))
        assert (method, path, real.status_code) == (method, path, 404)
        assert without_request_id(real) == without_request_id(none)


def test_disabled_account_gets_into_nothing(client: TestClient, sessions: Sessions, world: World, owner: Actor) -> None:
    disabled = visitor(client, sessions, owner)
    with transaction(sessions) as session:
        session.execute(update(User).where(User.id == owner.user_id).values(disabled_at=now()))
    everything = routes_for("person", "operator", *OF_EVENT)
    found = {route: disabled.ask(*route, world.ids).status_code for route in everything}
    assert {route: status for route, status in found.items() if status not in (303, 401)} == {}


@pytest.mark.parametrize("scope", ALL_SCOPES)
def test_key_does_only_what_its_scope_says(
    client: TestClient, sessions: Sessions, world: World, owner: Actor, scope: Scope
) -> None:
    asked = Visitor(client, _with_key(client, sessions, owner, scopes=[scope]))
    needed = scopes_needed(client)
    refused = [route for route in _api_routes("person", *OF_EVENT) if scope not in needed[route].split(" or ")]
    found = {route: asked.ask(*route, world.ids).status_code for route in refused}
    assert len(refused) > 20
    assert found == dict.fromkeys(refused, 403)


def test_key_for_one_event_opens_nothing_else(
    client: TestClient, sessions: Sessions, world: World, owner: Actor
) -> None:
    other = UUID(make_world(sessions, owner).ids["event_id"])
    asked = Visitor(client, _with_key(client, sessions, owner, event_id=other))
    routes = _api_routes("person", *OF_EVENT)
    assert {route: asked.ask(*route, world.ids).status_code for route in routes} == dict.fromkeys(routes, 403)
    assert asked.api.get(f"events/{other}").status_code == 200


def test_ids_of_another_event_are_not_found_under_ones_own(
    client: TestClient, sessions: Sessions, world: World, stranger: Actor
) -> None:
    own = make_world(sessions, stranger)
    eve = visitor(client, sessions, stranger)
    before = _revision(sessions, world)
    wrong = {}
    for method, path in routes_for(*OF_EVENT):
        for name in set(re.findall(r"\{(\w+)\}", path)) - NOT_IDS:
            status = eve.ask(method, path, own.ids | {name: world.ids[name]}).status_code
            if status != 404:
                wrong[method, path, name] = status
    assert wrong == {}
    assert _revision(sessions, world) == before


def test_ids_of_another_event_are_refused_in_bodies(
    client: TestClient, sessions: Sessions, world: World, stranger: Actor
) -> None:
    own = make_world(sessions, stranger)
    eve = visitor(client, sessions, stranger)
    before, tried, wrong = _revision(sessions, world), 0, {}
    for (method, path), body in BODIES.items():
        for name in set(re.findall(r"'\{(\w+)\}'", str(body))):
            tried += 1
            status = eve.ask_with(method, path, own.ids, body, own.ids | {name: world.ids[name]}).status_code
            if not 400 <= status < 500:
                wrong[method, path, name] = status
    assert tried > 10
    assert wrong == {}
    assert _revision(sessions, world) == before


def test_forms_of_another_site_are_refused_everywhere(
    client: TestClient, sessions: Sessions, world: World, owner: Actor
) -> None:
    person = visitor(client, sessions, owner).web
    forms = [path for method, path in routes_for("public", "link", "person", "operator", *OF_EVENT) if method == "POST"]
    pages = [path for path in forms if not path.startswith(("/api/", *GUARDED_BY_TOKEN))]
    assert len(pages) > 70
    found = {path: person.post(fill(path, world.ids), data={"name": "Eve"}, headers=EVIL).status_code for path in pages}
    assert found == dict.fromkeys(pages, 403)


def test_other_hosts_are_answered_nowhere(client: TestClient, sessions: Sessions, world: World, owner: Actor) -> None:
    person = visitor(client, sessions, owner)
    checked_by_machines = ("/healthz", "/readyz")  # by address, and they say nothing
    for path, methods in AUDIENCE.items():
        for method in methods if path not in checked_by_machines else ():
            asked = person.api if path.startswith("/api/v1/") else person.web
            address = f"http://localhost{fill(path, world.ids)}"
            answer = asked.request(method, address, headers={"Host": "evil.example"})
            assert (method, path, answer.status_code) == (method, path, 400)


def test_fields_that_clients_must_not_set_are_refused_in_json(
    client: TestClient, sessions: Sessions, world: World, owner: Actor
) -> None:
    person, tried = visitor(client, sessions, owner), 0
    for (method, path), body in BODIES.items():
        allowed = THEIRS_TO_SET.get((method, path), set())
        for changed in _with_more(body, {key: value for key, value in NOT_THEIRS.items() if key not in allowed}):
            tried += 1
            answer = person.ask_with(method, path, world.ids, changed, world.ids)
            assert (method, path, changed, answer.status_code) == (method, path, changed, 422)
    assert tried > 200


def test_fields_that_clients_must_not_set_have_no_effect_in_forms(
    client: TestClient, sessions: Sessions, world: World, stranger: Actor
) -> None:
    with transaction(sessions) as session:
        event_id = UUID(world.ids["event_id"])
        before = _who(session, event_id)
    editor = visitor(client, sessions, world.editor).web
    more = NOT_THEIRS | {"user_id": str(stranger.user_id), "owner_id": str(world.editor.user_id), "version": "999"}
    sent = {name: str(value) for name, value in more.items()}
    for method, path in routes_for("editor"):
        if method == "POST" and not path.startswith("/api/"):
            editor.post(fill(path, world.ids), data={"name": "Eve", **sent})
    with transaction(sessions) as session:
        assert _who(session, event_id) == before
        event = session.get_one(Event, event_id)
        assert event.version < 999
        assert session.scalars(select(User.is_operator).where(User.id == world.editor.user_id)).all() == [False]


def _who(session: Session, event_id: UUID) -> list[tuple[UUID, str]]:
    rows = session.execute(
        select(Member.user_id, Member.role).where(Member.event_id == event_id).order_by(Member.user_id)
    )
    return [(row.user_id, row.role) for row in rows]


def _with_more(body: Any, fields: dict[str, Any]) -> Iterator[Any]:
    """Give the body with each field added, at its top and in the first thing of each list in it."""
    if not isinstance(body, dict):
        return
    for key, value in fields.items():
        if key not in body:
            yield body | {key: value}
    for name, items in body.items():
        if isinstance(items, list) and items and isinstance(items[0], dict):
            for key, value in fields.items():
                if key not in items[0]:
                    yield body | {name: [items[0] | {key: value}, *items[1:]]}


def _revision(sessions: Sessions, world: World) -> int:
    with transaction(sessions) as session:
        return session.get_one(Event, UUID(world.ids["event_id"])).revision


def scopes_needed(client: TestClient) -> dict[tuple[str, str], str]:
    """Return the scope that each route of the API declares: by its method, unless it declares another."""
    assert isinstance(client.app, FastAPI)
    found = {}
    for route, path in flat_routes(client.app):
        for method in getattr(route, "methods", None) or ():
            usual = "read" if method == "GET" else "write"
            found[method, path] = (getattr(route, "openapi_extra", None) or {}).get(MARK, usual)
    return found


def _api_routes(*audiences: str) -> list[tuple[str, str]]:
    return [(method, path) for method, path in routes_for(*audiences) if path.startswith("/api/v1/")]


def _with_key(client: TestClient, sessions: Sessions, owner: Actor, **limits: Any) -> TestClient:
    own = api_client(client, sessions, owner)
    with transaction(sessions) as session:
        own.headers["Authorization"] = f"Bearer {create_api_key(session, owner, 'limited', **limits)}"
    return own
