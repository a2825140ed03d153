"""What surrounds every answer: headers, hosts, limits on bodies, where forms come from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response

from app.config import MOST_FIELDS, Settings
from app.db.session import Sessions
from app.main import create_app, use_database
from app.runs.queue import NullQueue
from app.web.deps import Db
from app.web.one_hop import Router
from app.web.server.middleware import MOST_WITHOUT_SIGN_IN
from app.web.tokens import form_token
from tests.security.route_table import routes_for
from tests.security.sqlite_only import database
from tests.security.world import Visitor, World

__all__ = ["database"]
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
CROSS_SITE = ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"})


def answers(client: TestClient, web: TestClient, api: TestClient) -> dict[str, Response]:
    """Return one answer of every kind."""
    big = {"content-length": str(10**9)}
    return {
        "page": web.get("/"),
        "redirect": client.get("/"),
        "sign-in page": client.get("/sign-in"),
        "not found": client.get("/nothing"),
        "not found in the API": api.get("nothing"),
        "list in the API": api.get("events"),
        "problem": api.post("events", json={}),
        "not signed in to the API": client.get("/api/v1/events"),
        "wrong method": client.delete("/"),
        "no form token": client.post("/events"),
        "wrong host": client.get("/", headers={"Host": "evil.example"}),
        "too large": web.post("/events", content=b"x", headers=big),
        "static file": client.get("/static/icon.svg"),
        "missing static file": client.get("/static/none.js"),
        "public page": client.get("/s/unknown"),
        "health": client.get("/healthz"),
        "docs": client.get("/api/docs"),
        "unforeseen": client.get("/broken"),
    }


@pytest.fixture(scope="module")
def app_that_fails(sqlite_template: Path) -> FastAPI:
    """An application for these tests alone, with a route that fails in a way nobody foresaw."""

    def fail(session: Db) -> NoReturn:
        raise RuntimeError("canary")

    address = f"sqlite:///{sqlite_template}"
    settings = Settings(database_url=address, data_dir=sqlite_template.parent, _env_file=None)
    app, broken = create_app(settings, NullQueue()), Router()
    broken.add_api_route("/broken", fail, response_model=None)
    broken.add_api_route("/api/broken", fail, response_model=None)
    app.include_router(broken)
    return app


@pytest.fixture
def app(app_that_fails: FastAPI, settings: Settings, sessions: Sessions) -> FastAPI:
    """That application on the fresh database."""
    use_database(app_that_fails, settings, sessions)
    return app_that_fails


def test_security_headers_are_on_every_kind_of_answer(client: TestClient, web: TestClient, api: TestClient) -> None:
    for kind, answer in answers(client, web, api).items():
        expected: dict[str, str | None] = {**HEADERS}
        if kind == "wrong host":  # browsers ignore it over plain HTTP, with a warning
            expected["cross-origin-opener-policy"] = None
        found = {name: answer.headers.get(name) for name in HEADERS}
        assert (kind, found) == (kind, expected)
        assert len(answer.headers["x-request-id"]) == 32


def test_nothing_but_static_files_is_kept_in_caches(client: TestClient, web: TestClient, api: TestClient) -> None:
    found = {kind: answer.headers["cache-control"] for kind, answer in answers(client, web, api).items()}
    assert {kind for kind, rule in found.items() if rule != "no-store"} == {"static file", "missing static file"}
    assert client.get("/static/icon.svg?v=1").headers["cache-control"] == "public, max-age=31536000, immutable"
    assert client.get("/static/icon.svg").headers["cache-control"] == "no-cache"


def test_public_pages_tell_nobody_where_they_are(client: TestClient, world: World) -> None:
    for path in ("/s/unknown", f"/s/{world.ids['token']}", f"/api/v1/shared/{world.ids['token']}"):
        answer = client.get(path)
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-robots-tag"] == "noindex, nofollow"
    assert client.get("/sign-in").headers["referrer-policy"] == "strict-origin"  # its address may hold a key
    assert client.get("/api/docs").headers["referrer-policy"] == "same-origin"


def test_unforeseen_error_shows_neither_trace_nor_values(client: TestClient) -> None:
    page, problem = client.get("/broken"), client.get("/api/broken")
    assert (page.status_code, problem.status_code) == (500, 500)
    assert problem.headers["content-type"] == "application/problem+json"
    for text in (page.text, problem.text):
        assert page.headers["x-request-id"] in text or problem.headers["x-request-id"] in text
        for secret in ("canary", "RuntimeError", "Traceback", "app/"):
            assert secret not in text


def test_wrong_method_is_told_the_right_ones(web: TestClient, api: TestClient) -> None:
    assert (web.delete("/").status_code, web.delete("/").headers["allow"]) == (405, "GET, HEAD")
    refused = api.delete("events")
    assert (refused.status_code, refused.headers["content-type"]) == (405, "application/problem+json")
    assert "allow" in refused.headers


def test_only_own_hosts_are_answered(client: TestClient, settings: Settings) -> None:
    for host in ("localhost", "localhost:8000", "127.0.0.1:8000", "[::1]:8000"):
        assert (host, client.get("/sign-in", headers={"Host": host}).status_code) == (host, 200)
    for host in ("evil.example", "localhost.evil.example", "127.0.0.1.nip.io", ""):
        assert (host, client.get("/sign-in", headers={"Host": host}).status_code) == (host, 400)
    for second in ("localhost", "evil.example"):
        assert client.get("/sign-in", headers=[("Host", "localhost"), ("Host", second)]).status_code == 400


@pytest.mark.parametrize("host", ["evil.example", "[evil", "evil:port", "<b>evil", ""])
def test_wrong_host_is_told_which_settings_name_the_right_ones(client: TestClient, host: str) -> None:
    page = client.get("/sign-in", headers={"Host": host})
    answer = client.get("/api/v1/events", headers={"Host": host})
    assert (page.status_code, page.headers["content-type"]) == (400, "text/html; charset=utf-8")
    assert (answer.status_code, answer.headers["content-type"]) == (400, "application/problem+json")
    for text in (page.text, answer.json()["detail"]):
        assert "CONVIVE_BASE_URL" in text
        assert "CONVIVE_ALLOWED_HOSTS" in text
        assert "evil" not in text


def test_form_without_its_token_changes_nothing(web: TestClient, world: World) -> None:
    del web.headers["X-Form-Token"]
    forms = [path for method, path in routes_for("person", "viewer", "editor", "owner") if method == "POST"]
    pages = [path for path in forms if not path.startswith("/api/")]
    asked = Visitor(web, web)
    assert {path: asked.ask("POST", path, world.ids).status_code for path in pages} == dict.fromkeys(pages, 403)
    web.headers["X-Form-Token"] = form_token("somebody else's session")
    assert {path: asked.ask("POST", path, world.ids).status_code for path in pages} == dict.fromkeys(pages, 403)


def test_form_token_may_stand_in_the_form(web: TestClient) -> None:
    token = web.headers.pop("X-Form-Token")
    assert web.post("/events", data={"name": "Party"}).status_code == 403
    assert web.post("/events", data={"name": "Party", "form_token": token}).status_code == 303


@pytest.mark.parametrize("headers", CROSS_SITE)
def test_form_of_another_site_is_refused_with_its_token_even(web: TestClient, headers: dict[str, str]) -> None:
    assert web.post("/events", data={"name": "Party"}, headers=headers).status_code == 403


def test_own_form_is_taken(web: TestClient) -> None:
    own = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
    assert web.post("/events", data={"name": "Party"}, headers=own).status_code == 303


def test_announced_body_past_the_limit_is_refused(web: TestClient, api: TestClient, settings: Settings) -> None:
    big = b"x" * (settings.max_body_bytes + 1)
    page = web.post("/events", content=big, headers={"Content-Type": "application/x-www-form-urlencoded"})
    problem = api.post("events", content=big, headers={"Content-Type": "application/json"})
    assert (page.status_code, page.headers["content-type"]) == (413, "text/html; charset=utf-8")
    assert (problem.status_code, problem.headers["content-type"]) == (413, "application/problem+json")
    assert "4,096 KiB" in page.text
    assert "4,096 KiB" in problem.json()["detail"]


def test_chunked_body_past_the_limit_is_refused(web: TestClient, api: TestClient, settings: Settings) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(settings.max_body_bytes // 65536 + 1):
            yield b"x" * 65536

    page = web.post("/events", content=chunks(), headers={"Content-Type": "application/x-www-form-urlencoded"})
    problem = api.post("events", content=chunks(), headers={"Content-Type": "application/json"})
    assert (page.status_code, problem.status_code) == (413, 413)


def test_body_at_the_limit_is_read(api: TestClient, settings: Settings) -> None:
    body = b'{"name": "' + b"x" * (settings.max_body_bytes - 12) + b'"}'
    assert len(body) == settings.max_body_bytes
    assert api.post("events", content=body, headers={"Content-Type": "application/json"}).status_code == 422


@pytest.mark.parametrize("path", ["/sign-in", "/setup", "/w/some-token/add", "/events", "/api/v1/events"])
def test_whoever_is_not_signed_in_may_send_little(client: TestClient, path: str) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = client.post(path, content=b"&" * (MOST_WITHOUT_SIGN_IN + 1), headers=form)
    assert answer.status_code == 413
    assert "16 KiB" in answer.text


@pytest.mark.parametrize("path", ["/events", "/events/00000000-0000-0000-0000-000000000000/guests/import"])
@pytest.mark.parametrize("media_type", ["application/x-www-form-urlencoded", " Application/X-WWW-form-urlencoded ;a=b"])
def test_form_of_empty_fields_is_refused_before_it_is_parsed(web: TestClient, path: str, media_type: str) -> None:
    form = {"Content-Type": media_type}
    answer = web.post(path, content=b"&" * (MOST_FIELDS + 1), headers=form)
    assert answer.status_code == 413
    assert "too many fields; maximum 20,100" in answer.text


def test_large_form_is_read_like_a_small_one(web: TestClient) -> None:
    made = str(web.post("/events", data={"name": "Large"}).headers["location"]).removesuffix("/guests")
    names = [f"Gäst {number} {'x' * 80}" for number in range(2_000)]
    sent = web.post(f"{made}/guests/import", data={"text": "\n".join(names)})
    assert sent.status_code == 303
    assert "Gäst 7 " in web.get(sent.headers["location"]).text


def test_sign_in_form_stays_small_with_a_cookie(web: TestClient) -> None:
    answer = web.post("/sign-in", data={"password": "x" * MOST_WITHOUT_SIGN_IN})
    assert answer.status_code == 413
