"""The own account: name, password, signed-in browsers, API keys with scopes, and entering the password again."""

from __future__ import annotations

import re
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from app.accounts.actor import Actor
from app.accounts.api_keys import actor_of_api_key, create_api_key
from app.accounts.own_account import replace_password
from app.accounts.passwords import hash_password
from app.accounts.sessions import start_session
from app.accounts.sign_in import Matched
from app.accounts.users import actor_of, change_password, create_account
from app.clock import now
from app.config import Settings
from app.db.models import ApiKey, KnownBrowser, User, UserSession
from app.db.session import Sessions, transaction
from app.errors import NotSignedIn
from app.events.edit import create_event
from app.web.deps import cookie_name, session_cookie
from app.web.tokens import form_token, hash_token

EMAIL, PASSWORD = "aino@example.org", "a long password"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"


@pytest.fixture
def aino(sessions: Sessions) -> Actor:
    with transaction(sessions) as session:
        return actor_of(create_account(session, EMAIL, hash_password(PASSWORD)))


@pytest.fixture
def browser(client: TestClient, settings: Settings, aino: Actor) -> TestClient:
    """A browser where she is signed in with her password."""
    return sign_in(client, settings)


def sign_in(client: TestClient, settings: Settings) -> TestClient:
    own = TestClient(client.app, "http://localhost", client=("192.0.2.7", 1), follow_redirects=False)
    own.portal, own.headers["User-Agent"] = client.portal, FIREFOX
    assert own.post("/sign-in", data={"email": EMAIL, "password": PASSWORD}).status_code == 303
    own.headers["X-Form-Token"] = form_token(own.cookies[session_cookie(settings)])
    return own


def new_key(sessions: Sessions, actor: Actor, name: str = "script") -> tuple[UUID, str]:
    with transaction(sessions) as session:
        token = create_api_key(session, actor, name)
        return session.scalars(select(ApiKey.id).where(ApiKey.token_hash == hash_token(token))).one(), token


def forget_password_entry(sessions: Sessions) -> None:
    with transaction(sessions) as session:
        session.execute(update(UserSession).values(authenticated_at=now() - timedelta(minutes=11)))


def test_page_shows_device_and_network_of_each_session_and_no_address(
    browser: TestClient, client: TestClient, settings: Settings
) -> None:
    sign_in(client, settings)
    page = browser.get("/account").text
    assert (page.count("Firefox on Linux<"), page.count("Network 192.0.2.0/24")) == (1, 2)
    assert "192.0.2.7" not in page
    assert page.count("this browser") == 1


def test_name_is_changed(browser: TestClient) -> None:
    assert browser.post("/account/name", data={"name": " Aino  Virtanen "}).headers["location"] == "/account?done=name"
    page = browser.get("/account?done=name").text
    assert ('value="Aino Virtanen"' in page, "Name saved." in page) == (True, True)
    assert browser.post("/account/name", data={"name": " "}).status_code == 422


def test_new_password_needs_the_current_one_and_ends_other_sessions_and_chosen_keys(
    browser: TestClient, client: TestClient, settings: Settings, sessions: Sessions, aino: Actor
) -> None:
    other = sign_in(client, settings)
    (revoked, gone), (_, kept) = new_key(sessions, aino, "old"), new_key(sessions, aino, "website")
    form = {"current": "not this one", "password": "another long password", "keys": [str(revoked)]}
    refused = browser.post("/account/password", data=form)
    assert (refused.status_code, "not your current password" in refused.text) == (422, True)
    done = browser.post("/account/password", data=form | {"current": PASSWORD})
    assert done.headers["location"] == "/account?done=password"
    assert (browser.get("/").status_code, other.get("/").status_code) == (200, 303)
    with transaction(sessions) as session:
        assert (actor_of_api_key(session, gone), actor_of_api_key(session, kept) is not None) == (None, True)
    assert other.post("/sign-in", data={"email": EMAIL, "password": PASSWORD}).status_code == 401


def test_password_that_was_replaced_while_it_was_compared_opens_nothing(sessions: Sessions, aino: Actor) -> None:
    with transaction(sessions) as session:
        user = session.get_one(User, aino.user_id)
        matched = Matched(user.id, str(user.password_hash))
        assert matched.hold(session) is user
        change_password(session, user, hash_password("another long password"))
    with transaction(sessions) as session, pytest.raises(NotSignedIn):
        matched.hold(session)
    with transaction(sessions) as session, pytest.raises(NotSignedIn):  # nor does it set another password
        replace_password(session, matched, hash_password("of an intruder"), revoked_keys=())


def test_session_that_begins_while_the_account_is_disabled_is_none(sessions: Sessions, aino: Actor) -> None:
    with transaction(sessions) as session:
        session.get_one(User, aino.user_id).disabled_at = now()
    with transaction(sessions) as session, pytest.raises(NotSignedIn):
        start_session(session, session.get_one(User, aino.user_id), 1)
    with transaction(sessions) as session:
        assert session.scalars(select(UserSession)).all() == []


def test_signing_out_everywhere_ends_other_sessions_and_chosen_keys(
    browser: TestClient, client: TestClient, settings: Settings, sessions: Sessions, aino: Actor
) -> None:
    other = sign_in(client, settings)
    key_id, token = new_key(sessions, aino)
    assert ">script<" in browser.get("/account").text
    gone_id, _ = new_key(sessions, aino)
    assert (
        browser.post(f"/account/keys/{gone_id}/revoke").status_code == 303
    )  # in another tab, after this page was opened
    assert browser.post("/account/sessions/end", data={"keys": [str(key_id), str(gone_id)]}).status_code == 303
    assert (browser.get("/").status_code, other.get("/").status_code) == (200, 303)
    with transaction(sessions) as session:
        assert actor_of_api_key(session, token) is None
        known = session.scalars(select(KnownBrowser.token_hash).where(KnownBrowser.user_id == aino.user_id)).all()
    assert known == [hash_token(browser.cookies[cookie_name(settings, "browser")])]


def test_one_session_is_ended_and_nobody_ends_those_of_others(
    browser: TestClient, client: TestClient, settings: Settings, sessions: Sessions, stranger_web: TestClient
) -> None:
    other = sign_in(client, settings)
    with transaction(sessions) as session:
        found = hash_token(other.cookies[session_cookie(settings)])
        session_id = session.scalars(select(UserSession.id).where(UserSession.token_hash == found)).one()
    assert stranger_web.post(f"/account/sessions/{session_id}/end").status_code == 404
    assert browser.post(f"/account/sessions/{session_id}/end").status_code == 303
    assert (browser.get("/").status_code, other.get("/").status_code) == (200, 303)


def test_key_is_shown_once_and_expires_by_default(browser: TestClient, sessions: Sessions) -> None:
    made = browser.post("/account/keys", data={"key_name": "website", "scopes": ["read"], "days": "90"})
    (token,) = re.findall(r"cv_[\w-]{43}", made.text)
    assert token not in browser.get("/account").text
    with transaction(sessions) as session:
        key = session.scalars(select(ApiKey)).one()
        assert (key.scopes, key.expires_at is not None) == ("read", True)
        key_id = key.id
    assert browser.post(f"/account/keys/{key_id}/revoke").headers["location"] == "/account?done=revoked"
    assert browser.post(f"/account/keys/{key_id}/revoke").status_code == 404


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"key_name": "x", "days": "90"}, "Choose at least one"),
        ({"key_name": "x", "scopes": ["admin"], "days": "90"}, "Choose at least one"),
        ({"key_name": " ", "scopes": ["read"], "days": "90"}, "The key name is empty"),
        ({"key_name": "x", "scopes": ["read"], "days": "0"}, "from 1 to 3,660"),
        ({"key_name": "x", "scopes": ["read"], "days": "90", "event": str(uuid4())}, "one of your events"),
    ],
)
def test_bad_entries_make_no_key(
    browser: TestClient, sessions: Sessions, form: dict[str, str | list[str]], words: str
) -> None:
    refused = browser.post("/account/keys", data=form)
    assert (refused.status_code, words in refused.text) == (422, True)
    with transaction(sessions) as session:
        assert session.scalars(select(ApiKey)).all() == []


def test_password_is_asked_for_again_before_what_is_dangerous(
    browser: TestClient, sessions: Sessions, aino: Actor
) -> None:
    with transaction(sessions) as session:
        event = create_event(session, aino, name="Party").id
    forget_password_entry(sessions)
    exported = browser.get(f"/events/{event}/event.json")
    assert exported.headers["location"] == f"/confirm?next=/events/{event}/event.json"
    settings_page = {"Referer": f"http://localhost/events/{event}/settings"}
    deleted = browser.post(f"/events/{event}/delete", headers=settings_page)
    assert deleted.headers["location"] == f"/confirm?next=/events/{event}/settings"
    key = browser.post("/account/keys", data={"key_name": "x", "scopes": ["read"]}, headers={"Referer": "/account"})
    assert key.headers["location"] == "/confirm?next=/account"
    assert browser.get(f"/events/{event}/guests").status_code == 200  # everything else goes on
    wrong = browser.post("/confirm", data={"password": "wrong", "next": "/account"})
    assert (wrong.status_code, "not your current password" in wrong.text) == (422, True)
    right = browser.post("/confirm", data={"password": PASSWORD, "next": f"/events/{event}/event.json"})
    assert right.headers["location"] == f"/events/{event}/event.json"
    assert browser.get(f"/events/{event}/event.json").status_code == 200


def test_person_at_this_machine_is_never_asked_for_a_password(
    web: TestClient, sessions: Sessions, owner: Actor
) -> None:
    with transaction(sessions) as session:
        event = create_event(session, owner, name="Party").id
    forget_password_entry(sessions)
    assert web.get(f"/events/{event}/event.json").status_code == 200
    assert "without a password" in web.get("/account").text


def test_session_ends_when_it_is_not_used(browser: TestClient, client: TestClient, sessions: Sessions) -> None:
    with transaction(sessions) as session:
        row = session.scalars(select(UserSession)).one()
        assert row.idle_until - row.created_at < timedelta(days=15)
        session.execute(update(UserSession).values(idle_until=now() + timedelta(hours=1)))
    assert browser.get("/").status_code == 200
    uses = client.app.state.last_use  # type: ignore[attr-defined]
    with transaction(sessions) as session:
        uses.write(session, uses.take())
    with transaction(sessions) as session:
        row = session.scalars(select(UserSession)).one()
        assert timedelta(days=13) < row.idle_until - now() < timedelta(days=15)
        session.execute(update(UserSession).values(idle_until=now() - timedelta(seconds=1)))
    assert browser.get("/").status_code == 303


def test_session_in_use_never_lasts_longer_than_its_end(client: TestClient, sessions: Sessions, aino: Actor) -> None:
    with transaction(sessions) as session:
        token = start_session(session, session.get_one(User, aino.user_id), days=2, idle_days=1)
    uses = client.app.state.last_use  # type: ignore[attr-defined]
    uses.of_session(hash_token(token))
    with transaction(sessions) as session:
        uses.write(session, uses.take())
        row = session.scalars(select(UserSession)).one()
        assert row.idle_until == row.expires_at
