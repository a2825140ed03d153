"""Passkeys: added on the account page, used to sign in and to confirm; whatever else a browser sends is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pyotp
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import select, update

from app.accounts.actor import Actor
from app.accounts.passwords import hash_password
from app.accounts.reset_links import create_reset_link
from app.accounts.second_factors.passkeys import MOST_CHALLENGES, MOST_PASSKEYS, Site, site_of
from app.accounts.users import account_with, actor_of, create_account
from app.audit.actions import Action
from app.clock import now
from app.config import Settings
from app.db.models import AuditEntry, CodeApp, Passkey, PasskeyChallenge, User, UserSession
from app.db.session import Sessions, transaction
from app.main import use_database
from tests.accounts.authenticator import PRESENT, Authenticator
from tests.accounts.conftest import EMAIL, PASSWORD
from tests.conftest import signed_in_client

ORIGIN = "http://localhost"
HOSTILE = [
    "",
    "null",
    "[]",
    "{}",
    '{"response": 1}',
    "[" * 5000,
    '{"response": {"clientDataJSON": "e30"}}',
    "\x00",
    "💥",
]


@pytest.fixture
def app(shared_app: FastAPI, settings: Settings, sessions: Sessions) -> Iterator[FastAPI]:
    """The application under an address where passkeys work."""
    use_database(shared_app, settings.model_copy(update={"base_url": ORIGIN, "host": "0.0.0.0"}), sessions)
    yield shared_app
    use_database(shared_app, settings, sessions)


@pytest.fixture
def device() -> Authenticator:
    return Authenticator(ORIGIN, "localhost")


def options(client: TestClient, path: str) -> dict[str, Any]:
    answer = client.post(f"{path}/options")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def add(browser: TestClient, device: Authenticator, name: str = "phone") -> Response:
    credential = device.register(options(browser, "/account/passkeys"))
    return browser.post("/account/passkeys", data={"passkey_name": name, "credential": credential})


def sign_in(client: TestClient, device: Authenticator) -> Response:
    credential = device.sign(options(client, "/sign-in/passkey"))
    return client.post("/sign-in/passkey", data={"credential": credential, "next": "/events"})


def test_passkey_is_added_signs_in_and_is_removed(
    browser: TestClient, client: TestClient, sessions: Sessions, device: Authenticator
) -> None:
    asked = options(browser, "/account/passkeys")
    assert (asked["rp"]["id"], asked["authenticatorSelection"]["userVerification"]) == ("localhost", "required")
    assert asked["authenticatorSelection"]["residentKey"] == "required"
    assert add(browser, device).headers["location"] == "/account?done=passkey"
    assert "<bdi>phone</bdi>" in browser.get("/account").text
    asked = options(client, "/sign-in/passkey")
    assert (asked["allowCredentials"], asked["userVerification"]) == ([], "required")
    done = sign_in(client, device)
    assert (done.status_code, done.headers["location"], client.get("/").status_code) == (303, "/events", 200)
    with transaction(sessions) as session:
        passkey = session.scalars(select(Passkey)).one()
        assert (passkey.sign_count, passkey.last_used_at is not None) == (1, True)
        found = [(row.action, row.details.get("way")) for row in session.scalars(select(AuditEntry))]
    assert (Action.SECOND_FACTOR_ADDED, "passkey") in found
    assert (Action.SIGNED_IN, "passkey") in found
    removed = browser.post(f"/account/passkeys/{passkey.id}/remove")
    assert removed.headers["location"] == "/account?done=passkey-removed"
    assert sign_in(client, device).status_code == 401


def test_passkey_needs_no_code(browser: TestClient, client: TestClient, device: Authenticator) -> None:
    add(browser, device)
    browser.post("/account/codes")
    (secret,) = re.findall(r'class="secret-key">([A-Z2-7 ]+)<', browser.get("/account/codes").text)
    browser.post("/account/codes/confirm", data={"code": pyotp.TOTP(secret.replace(" ", "")).now()})
    assert sign_in(client, device).headers["location"] == "/events"


def test_answer_works_once(browser: TestClient, client: TestClient, device: Authenticator) -> None:
    add(browser, device)
    sent = {"credential": device.sign(options(client, "/sign-in/passkey"))}
    assert client.post("/sign-in/passkey", data=sent).status_code == 303
    client.cookies.clear()
    assert client.post("/sign-in/passkey", data=sent).status_code == 401
    credential = device.register(options(browser, "/account/passkeys"))
    assert browser.post("/account/passkeys", data={"passkey_name": "x", "credential": credential}).status_code == 422


@pytest.mark.parametrize(
    "changes",
    [
        {"origin": "https://evil.example"},
        {"host": "evil.example"},
        {"flags": PRESENT},
        {"flags": 0},
        {"count": -1},
        {"user_handle": "AAAA"},
        {"id": b"unknown"},
        {"key": Authenticator(ORIGIN, "localhost").key},
    ],
)
def test_wrong_answers_are_refused(
    browser: TestClient, client: TestClient, device: Authenticator, changes: dict[str, Any]
) -> None:
    device.count = 5
    add(browser, device)
    for name, value in changes.items():
        setattr(device, name, value)
    refused = sign_in(client, device)
    assert (refused.status_code, "could not be used" in refused.text) == (401, True)
    assert client.get("/").status_code == 303


def test_passkey_is_added_only_for_this_site_and_with_verification(browser: TestClient, sessions: Sessions) -> None:
    for device in (
        Authenticator("https://evil.example", "localhost"),
        Authenticator(ORIGIN, "evil.example"),
        Authenticator(ORIGIN, "localhost", flags=PRESENT),
    ):
        assert add(browser, device).status_code == 422
    with transaction(sessions) as session:
        assert session.scalars(select(Passkey)).all() == []


def test_hostile_answers_are_refused(browser: TestClient, client: TestClient) -> None:
    for credential in HOSTILE:
        assert client.post("/sign-in/passkey", data={"credential": credential}).status_code == 401, credential
        sent = {"passkey_name": "x", "credential": credential}
        assert browser.post("/account/passkeys", data=sent).status_code == 422, credential
        assert (
            browser.post("/confirm/passkey", data={"credential": credential}).headers["location"] == "/confirm?next=/"
        )


def test_challenge_is_for_one_purpose_and_account_and_expires(
    browser: TestClient, client: TestClient, sessions: Sessions, device: Authenticator
) -> None:
    add(browser, device)
    with transaction(sessions) as session:
        bo = actor_of(create_account(session, "bo@example.org", hash_password(PASSWORD)))
    of_bo = signed_in_client(client, sessions, bo)
    for path in ("/confirm/passkey", "/account/passkeys"):
        sent = {"credential": device.sign(options(browser, path))}
        assert client.post("/sign-in/passkey", data=sent).status_code == 401
    sent = {
        "passkey_name": "x",
        "credential": Authenticator(ORIGIN, "localhost").register(options(browser, "/account/passkeys")),
    }
    assert of_bo.post("/account/passkeys", data=sent).status_code == 422
    credential = device.sign(options(client, "/sign-in/passkey"))
    with transaction(sessions) as session:
        session.execute(update(PasskeyChallenge).values(expires_at=now() - timedelta(seconds=1)))
    assert client.post("/sign-in/passkey", data={"credential": credential}).status_code == 401
    assert (
        client.post("/sign-in/passkey", data={"credential": device.sign({"challenge": "aW52ZW50ZWQ"})}).status_code
        == 401
    )


def test_passkey_counts_as_entering_the_password_again(
    browser: TestClient, client: TestClient, sessions: Sessions, device: Authenticator
) -> None:
    assert "Use a passkey" not in browser.get("/confirm").text
    add(browser, device)
    with transaction(sessions) as session:
        session.execute(update(UserSession).values(authenticated_at=now() - timedelta(minutes=11)))
        passkey = session.scalars(select(Passkey.id)).one()
    for path in ("/account/passkeys", "/account/passkeys/options", f"/account/passkeys/{passkey}/remove"):
        assert browser.post(path).headers["location"].startswith("/confirm")
    assert "Use a passkey" in browser.get("/confirm?next=/account").text
    credential = device.sign(options(browser, "/confirm/passkey"))
    confirmed = browser.post("/confirm/passkey", data={"credential": credential, "next": "/account"})
    assert confirmed.headers["location"] == "/account"
    assert browser.post("/account/passkeys/options").status_code == 200


def test_nobody_confirms_or_removes_with_the_passkey_of_another(
    browser: TestClient, client: TestClient, sessions: Sessions, device: Authenticator
) -> None:
    add(browser, device)
    with transaction(sessions) as session:
        bo = actor_of(create_account(session, "bo@example.org", hash_password(PASSWORD)))
        passkey = session.scalars(select(Passkey.id)).one()
    of_bo = signed_in_client(client, sessions, bo)
    assert of_bo.post(f"/account/passkeys/{passkey}/remove").status_code == 404
    credential = device.sign(options(of_bo, "/confirm/passkey"))
    refused = of_bo.post("/confirm/passkey", data={"credential": credential, "next": "/account"})
    assert refused.headers["location"] == "/confirm?next=/account"
    assert add(of_bo, device).status_code == 422  # one passkey has one owner


def test_disabled_account_and_a_link_that_removes_passkeys(
    browser: TestClient, client: TestClient, settings: Settings, sessions: Sessions, device: Authenticator
) -> None:
    add(browser, device)
    with transaction(sessions) as session:
        session.execute(update(User).values(disabled_at=now()))
    assert sign_in(client, device).status_code == 401
    with transaction(sessions) as session:
        session.execute(update(User).values(disabled_at=None))
        link = create_reset_link(session, account_with(session, EMAIL), settings, by=None, removes_factors=True)
    form = {"key": link.partition("=")[2], "password": "another long password"}
    assert client.post("/reset", data=form).headers["location"] == "/"
    client.cookies.clear()
    assert sign_in(client, device).status_code == 401
    with transaction(sessions) as session:
        assert (session.scalars(select(Passkey)).all(), session.scalars(select(CodeApp)).all()) == ([], [])


def test_number_of_passkeys_and_of_challenges_is_limited(
    browser: TestClient, client: TestClient, sessions: Sessions, aino: Actor
) -> None:
    with transaction(sessions) as session:
        for number in range(MOST_PASSKEYS):
            key = {"credential_id": bytes([number]), "public_key": b"x", "sign_count": 2**32 - 1}
            session.add(Passkey(user_id=aino.user_id, name=f"<b>{number}", **key))
    assert "&lt;b&gt;0" in browser.get("/account").text
    assert browser.post("/account/passkeys/options").status_code == 409
    own = TestClient(client.app, ORIGIN, client=("192.0.2.7", 1), follow_redirects=False)
    own.portal = client.portal
    answers = [own.post("/sign-in/passkey/options").status_code for _ in range(MOST_CHALLENGES + 1)]
    assert (set(answers[:-1]), answers[-1]) == ({200}, 429)


def test_person_without_a_password_is_offered_no_passkeys(client: TestClient, sessions: Sessions, owner: Actor) -> None:
    web = signed_in_client(client, sessions, owner)
    assert "Passkeys" not in web.get("/account").text
    assert web.post("/account/passkeys/options").status_code == 409


@pytest.mark.parametrize(
    ("address", "site"),
    [
        ("https://seating.example.org", Site("seating.example.org", "https://seating.example.org")),
        ("https://Seating.example.org:443/x", Site("seating.example.org", "https://seating.example.org")),
        ("https://seating.example.org:8443", Site("seating.example.org", "https://seating.example.org:8443")),
        ("http://localhost:8000", Site("localhost", "http://localhost:8000")),
        ("http://seating.example.org", None),
        ("https://192.0.2.7", None),
        ("https://[2001:db8::1]", None),
        ("http://127.0.0.1:8000", None),
        ("", None),
    ],
)
def test_passkeys_are_offered_where_browsers_allow_them(
    usual_settings: Settings, address: str, site: Site | None
) -> None:
    assert site_of(usual_settings.model_copy(update={"base_url": address})) == site
