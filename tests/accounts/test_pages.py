"""Getting in and out: the one-time address, password, the first account, sign-out."""

from __future__ import annotations

import shutil
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import select

from app.accounts.actor import Actor
from app.accounts.pages.sign_in import local_path
from app.accounts.passwords import hash_password
from app.accounts.sign_in_keys import Purpose, create_sign_in_key
from app.accounts.users import account_with, change_password, create_account
from app.config import Settings
from app.db.models import SignInKey, UserSession
from app.db.session import Sessions, make_engine, make_sessions, transaction
from app.main import create_app
from app.runs.queue import NullQueue
from app.web.deps import session_cookie
from app.web.tokens import form_token

PASSWORD = "a long password"


def new_key(sessions: Sessions, purpose: Purpose) -> str:
    with transaction(sessions) as session:
        return create_sign_in_key(session, purpose)


def make_account(sessions: Sessions, email: str = "aino@example.org") -> None:
    with transaction(sessions) as session:
        create_account(session, email, hash_password(PASSWORD))


def cookie_of(response: Response) -> dict[str, Any]:
    (morsel,) = SimpleCookie(response.headers.get_list("set-cookie")[0]).values()
    return {name: value for name, value in morsel.items() if value} | {"value": morsel.value}


def test_printed_address_signs_in_once(client: TestClient, sessions: Sessions) -> None:
    key = new_key(sessions, "local")
    first = client.get("/sign-in", params={"key": key})
    assert (first.status_code, first.headers["location"]) == (303, "/")
    cookie = cookie_of(first)
    assert (cookie["path"], cookie["httponly"], cookie["samesite"].lower()) == ("/", True, "lax")
    assert cookie["max-age"] == str(30 * 24 * 60 * 60)
    assert "secure" not in cookie
    assert client.get("/").status_code == 200
    client.cookies.clear()
    second = client.get("/sign-in", params={"key": key})
    assert second.status_code == 401
    assert "already been used or has expired" in second.text
    assert "set-cookie" not in second.headers


def test_printed_address_only_leads_on_when_signed_in_already(web: TestClient, sessions: Sessions) -> None:
    key = new_key(sessions, "local")
    seen = web.get("/sign-in", params={"key": key, "next": "/events"})
    assert (seen.status_code, seen.headers["location"]) == (303, "/events")
    with transaction(sessions) as session:
        assert session.scalars(select(SignInKey.used_at)).one() is None


def test_cookie_is_secure_where_the_server_is_reached_by_https(settings: Settings, sessions: Sessions) -> None:
    public = settings.model_copy(update={"base_url": "https://seating.example.org"})
    client = TestClient(create_app(public, NullQueue()), base_url="http://localhost", follow_redirects=False)
    make_account(sessions)
    answer = client.post("/sign-in", data={"email": "aino@example.org", "password": PASSWORD})
    assert cookie_of(answer)["secure"] is True
    assert answer.headers["set-cookie"].startswith("__Host-convive_session=")
    assert answer.headers["strict-transport-security"] == "max-age=31536000"


def test_two_servers_on_one_machine_leave_each_other_signed_in(
    web: TestClient, sqlite_template: Path, tmp_path: Path
) -> None:
    shutil.copy(sqlite_template, tmp_path / "second.db")
    second = Settings(port=8001, database_url=f"sqlite:///{tmp_path / 'second.db'}", data_dir=tmp_path, _env_file=None)
    key = new_key(make_sessions(make_engine(second.database)), "local")
    other = TestClient(
        create_app(second, NullQueue()),
        base_url="http://localhost:8001",
        cookies=web.cookies.jar,  # cookies know hosts, not ports
        follow_redirects=False,
    )
    assert other.get("/sign-in", params={"key": key}).status_code == 303
    assert (web.get("/").status_code, other.get("/").status_code) == (200, 200)
    other.post("/sign-out", headers={"X-Form-Token": form_token(other.cookies["convive_session_8001"])})
    assert (web.get("/").status_code, other.get("/").status_code) == (200, 303)


def test_cookie_of_a_public_server_has_one_name_in_all_its_processes(settings: Settings) -> None:
    processes = [settings.model_copy(update={"base_url": "https://a.example", "port": port}) for port in (8000, 8001)]
    assert {session_cookie(one) for one in processes} == {"__Host-convive_session"}


def test_expired_key_is_refused(client: TestClient, sessions: Sessions) -> None:
    key = new_key(sessions, "local")
    with transaction(sessions) as session:
        row = session.scalars(select(SignInKey)).one()
        row.expires_at = row.created_at
    assert client.get("/sign-in", params={"key": key}).status_code == 401


def test_set_up_key_does_not_sign_in(client: TestClient, sessions: Sessions) -> None:
    assert client.get("/sign-in", params={"key": new_key(sessions, "setup")}).status_code == 401


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("/events/1/guests", "/events/1/guests"),
        ("/a?b=c", "/a?b=c"),
        ("", "/"),
        ("events", "/"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("/\t/evil.example", "/"),
        ("https://evil.example/", "/"),
        ("javascript:alert(1)", "/"),
    ],
)
def test_only_paths_of_this_server_are_gone_on_to(address: str, path: str) -> None:
    assert local_path(address) == path


def test_whoever_is_not_signed_in_is_sent_to_sign_in_and_back(client: TestClient, sessions: Sessions) -> None:
    make_account(sessions)
    sent = client.get("/events/0197-no-such")
    assert sent.status_code in (303, 422)
    sent = client.get("/")
    assert (sent.status_code, sent.headers["location"]) == (303, "/sign-in?next=/")
    form = {"email": " AINO@example.org", "password": PASSWORD, "next": "/events"}
    back = client.post("/sign-in", data=form)
    assert (back.status_code, back.headers["location"]) == (303, "/events")
    assert client.get("/").status_code == 200


def test_page_explains_the_ways_in(client: TestClient, sessions: Sessions) -> None:
    local = client.get("/sign-in")
    assert (local.status_code, "convive sign-in" in local.text, 'name="password"' in local.text) == (200, True, False)
    make_account(sessions)
    assert 'name="password"' in client.get("/sign-in").text


def test_page_of_an_open_server_without_accounts_names_the_set_up(settings: Settings) -> None:
    public = settings.model_copy(update={"host": "192.0.2.1"})
    client = TestClient(create_app(public, NullQueue()), base_url="http://localhost")
    page = client.get("/sign-in").text
    assert "set-up address" in page
    assert "convive sign-in" not in page


def test_wrong_password_and_unknown_address_get_the_same_answer(client: TestClient, sessions: Sessions) -> None:
    make_account(sessions)
    wrong = client.post("/sign-in", data={"email": "aino@example.org", "password": "not this one"})
    unknown = client.post("/sign-in", data={"email": "nobody@example.org", "password": "not this one"})
    assert (wrong.status_code, unknown.status_code) == (401, 401)
    assert wrong.text == unknown.text.replace("nobody@example.org", "aino@example.org")
    assert 'value="aino@example.org"' in wrong.text
    assert "not this one" not in wrong.text


def test_password_form_of_another_site_is_refused(client: TestClient, sessions: Sessions) -> None:
    make_account(sessions)
    form = {"email": "aino@example.org", "password": PASSWORD}
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert client.post("/sign-in", data=form, headers=headers).status_code == 403


def test_set_up_key_makes_the_first_account(client: TestClient, sessions: Sessions, owner: Actor) -> None:
    key = new_key(sessions, "setup")
    assert client.get("/setup", params={"key": "wrong"}).headers["location"] == "/sign-in"
    assert f'value="{key}"' in client.get("/setup", params={"key": key}).text
    weak = client.post("/setup", data={"key": key, "email": "aino@example.org", "password": "short"})
    assert weak.status_code == 422
    assert "at least 10 characters" in weak.text
    assert 'value="aino@example.org"' in weak.text
    made = client.post("/setup", data={"key": key, "email": "aino@example.org", "password": PASSWORD})
    assert (made.status_code, made.headers["location"]) == (303, "/")
    assert client.get("/").status_code == 200
    with transaction(sessions) as session:
        assert session.scalars(select(UserSession.user_id)).one() == owner.user_id


def test_set_up_ends_with_the_first_account(client: TestClient, sessions: Sessions) -> None:
    key = new_key(sessions, "setup")
    make_account(sessions)
    assert client.get("/setup", params={"key": key}).headers["location"] == "/sign-in"
    refused = client.post("/setup", data={"key": key, "email": "eve@example.org", "password": PASSWORD})
    assert refused.status_code == 401


def test_sign_out_ends_the_session_on_the_server(web: TestClient, settings: Settings) -> None:
    name = session_cookie(settings)
    stolen = web.cookies[name]
    out = web.post("/sign-out")
    assert (out.status_code, out.headers["location"]) == (303, "/sign-in")
    web.cookies.set(name, stolen)
    assert web.get("/").headers["location"] == "/sign-in?next=/"


def test_sign_out_needs_the_form_token(web: TestClient) -> None:
    assert web.post("/sign-out", headers={"X-Form-Token": form_token("another")}).status_code == 403
    assert web.get("/").status_code == 200


def test_new_password_signs_out_everywhere(client: TestClient, sessions: Sessions) -> None:
    make_account(sessions)
    client.post("/sign-in", data={"email": "aino@example.org", "password": PASSWORD})
    assert client.get("/").status_code == 200
    with transaction(sessions) as session:
        user = account_with(session, "aino@example.org")
        change_password(session, user, hash_password("another long password"))
    assert client.get("/").status_code == 303
    assert client.post("/sign-in", data={"email": "aino@example.org", "password": PASSWORD}).status_code == 401


def test_signing_in_again_ends_the_session_before(client: TestClient, sessions: Sessions, settings: Settings) -> None:
    make_account(sessions)
    form = {"email": "aino@example.org", "password": PASSWORD}
    client.post("/sign-in", data=form)
    first = client.cookies[session_cookie(settings)]
    client.post("/sign-in", data=form)
    assert client.cookies[session_cookie(settings)] != first
    client.cookies.clear()
    client.cookies.set(session_cookie(settings), first)
    assert client.get("/").status_code == 303


def test_local_key_opens_nothing_once_there_is_a_password(client: TestClient, sessions: Sessions) -> None:
    key = new_key(sessions, "local")
    make_account(sessions)
    refused = client.get("/sign-in", params={"key": key})
    assert (refused.status_code, "set-cookie" in refused.headers) == (401, False)


def test_first_password_signs_out_who_came_in_without_one(web: TestClient, sessions: Sessions) -> None:
    assert web.get("/").status_code == 200
    make_account(sessions)
    assert web.get("/").headers["location"].startswith("/sign-in")


def test_local_key_opens_nothing_under_a_public_address(settings: Settings, sessions: Sessions) -> None:
    key = new_key(sessions, "local")
    public = settings.model_copy(update={"base_url": "https://seating.example.org"})
    client = TestClient(create_app(public, NullQueue()), base_url="http://localhost", follow_redirects=False)
    assert client.get("/sign-in", params={"key": key}).status_code == 401
    assert "convive sign-in" not in client.get("/sign-in").text


@pytest.mark.parametrize("path", ["/setup", "/sign-in"])
def test_key_in_an_address_is_not_sent_on_as_referrer(client: TestClient, sessions: Sessions, path: str) -> None:
    page = client.get(path, params={"key": new_key(sessions, "setup")})
    assert page.headers["referrer-policy"] == "strict-origin"
