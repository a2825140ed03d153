"""Signing in through a real provider: who gets in, and what is refused."""

from __future__ import annotations

import base64
import hmac
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from joserfc import jwt
from joserfc.jwk import RSAKey
from pydantic import SecretStr
from sqlalchemy import func, select, update
from structlog.testing import capture_logs

from app.accounts.passwords import hash_password
from app.accounts.users import account_with, actor_of, create_account
from app.cli.checks.openid import check_openid
from app.clock import now
from app.config import Settings, SettingsError, load_settings
from app.db.models import AuditEntry, OpenIdIdentity, User, UserSession
from app.db.session import Sessions, transaction
from app.main import use_database
from tests.accounts.openid_provider import CLIENT_ID, CLIENT_SECRET, Claims, Provider
from tests.conftest import signed_in_client
from tests.pages import words_of

EMAIL, PASSWORD = "aino@example.org", "a long password"


@pytest.fixture
def provider() -> Iterator[Provider]:
    found = Provider()
    yield found
    found.close()


@pytest.fixture
def settings(settings: Settings, provider: Provider) -> Settings:
    """The usual settings with a provider; everyone may have an account."""
    return settings.model_copy(
        update={
            "openid_issuer": provider.issuer,
            "openid_client_id": CLIENT_ID,
            "openid_client_secret": SecretStr(CLIENT_SECRET),
            "openid_name": "Example",
            "openid_accounts": "anyone",
        }
    )


@pytest.fixture(autouse=True)
def first_account(sessions: Sessions) -> None:
    with transaction(sessions) as session:
        create_account(session, "operator@example.org", hash_password(PASSWORD))


def visitor(client: TestClient) -> TestClient:
    own = TestClient(client.app, "http://localhost", follow_redirects=False)
    own.portal = client.portal
    return own


def go(client: TestClient, provider: Provider, path: str = "/sign-in/openid", **who: Any) -> str:
    """Go to the provider and sign in there; return the address of the way back."""
    return f"/sign-in/openid/callback?{provider.sign_in(client.get(path).headers['location'], **who)}"


def allow(app: FastAPI, settings: Settings, accounts: str) -> None:
    use_database(app, settings.model_copy(update={"openid_accounts": accounts}), app.state.sessions)


def accounts_of(sessions: Sessions) -> int:
    with transaction(sessions) as session:
        return session.scalar(select(func.count()).select_from(User)) or 0


def test_new_person_gets_an_account_and_finds_it_again(
    client: TestClient, provider: Provider, sessions: Sessions
) -> None:
    assert "Sign in with Example" in words_of(client.get("/sign-in").text)
    back = client.get(go(client, provider, "/sign-in/openid?next=/account"))
    assert (back.status_code, back.headers["location"]) == (303, "/account")
    assert EMAIL in client.get("/account").text
    again = visitor(client)
    assert again.get(go(again, provider, email="new@example.org", name="Other")).status_code == 303
    assert (EMAIL in again.get("/account").text, accounts_of(sessions)) == (True, 2)
    assert provider.asked == ["/.well-known/openid-configuration", "/jwks"]


def spoiled(**claims: Any) -> Any:
    return lambda usual: {name: value for name, value in (usual | claims).items() if value is not None}


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"aud": "somebody else"},
        {"aud": [CLIENT_ID, "another"]},
        {"aud": None},
        {"azp": "another"},
        {"iss": "https://evil.example.org"},
        {"exp": int(time.time()) - 3600},
        {"exp": None},
        {"iat": int(time.time()) + 3600},
        {"sub": None},
        {"sub": ""},
        {"sub": 7},
        {"sub": "x" * 256},
    ],
)
def test_token_with_wrong_claims_is_refused(
    client: TestClient, provider: Provider, sessions: Sessions, claims: Claims
) -> None:
    provider.spoil = spoiled(**claims)
    assert client.get(go(client, provider)).status_code == 403
    assert (client.get("/").status_code, accounts_of(sessions)) == (303, 1)


def test_token_with_a_wrong_signature_is_refused(client: TestClient, provider: Provider, sessions: Sessions) -> None:
    def plain(algorithm: str, claims: Claims) -> str:
        parts = ({"alg": algorithm, "kid": "first"}, claims)
        return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts)

    def public_key_as_secret(claims: Claims) -> str:
        text = plain("HS256", claims)
        mac = hmac.digest(provider.key.as_pem(private=False), text.encode(), "sha256")
        return f"{text}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"

    foreign = RSAKey.generate_key(2048)
    signs = [
        lambda claims: plain("none", claims) + ".",
        public_key_as_secret,
        lambda claims: jwt.encode({"alg": "RS256", "kid": "first"}, claims, foreign),
        lambda claims: jwt.encode({"alg": "RS256", "kid": "unknown"}, claims, foreign),
        lambda claims: provider.sign_as_usual(claims)[:-8] + "AAAAAAAA",
        lambda claims: "no token",
    ]
    for sign in signs:
        provider.sign = sign
        assert client.get(go(client, provider)).status_code == 403
    assert accounts_of(sessions) == 1


def test_answer_counts_once_and_in_the_browser_that_asked(client: TestClient, provider: Provider) -> None:
    back, other = go(client, provider), visitor(client)
    assert other.get(back).status_code == 403  # no cookie at all
    go(other, provider)
    assert other.get(back).status_code == 403  # a cookie with another state
    assert client.get(back + "&iss=https://evil.example.org").status_code == 403
    back = go(client, provider)
    assert [client.get(back).status_code for _ in range(2)] == [303, 403]
    cancelled = client.get(f"{go(client, provider).partition('?')[0]}?error=access_denied&state=x")
    assert cancelled.status_code == 403


@pytest.mark.parametrize("cookie", ["", "x", "e30=", base64.b64encode(b"[1]").decode()])
def test_broken_cookie_is_refused(client: TestClient, provider: Provider, cookie: str) -> None:
    client.cookies.set("convive_openid_8000", cookie)
    assert client.get("/sign-in/openid/callback?code=1&state=").status_code == 403


@pytest.mark.parametrize("verified", [False, None, "true", 1])
def test_unverified_address_makes_no_account(
    client: TestClient, provider: Provider, sessions: Sessions, verified: object
) -> None:
    refused = client.get(go(client, provider, email_verified=verified))
    assert (refused.status_code, accounts_of(sessions)) == (403, 1)
    assert "confirmed your e-mail" in words_of(refused.text)


def test_unknown_person_needs_an_invitation(
    app: FastAPI, client: TestClient, provider: Provider, settings: Settings, sessions: Sessions
) -> None:
    for accounts in ("connected", "invited"):
        allow(app, settings, accounts)
        assert client.get(go(client, provider)).status_code == 403
    assert accounts_of(sessions) == 1
    with transaction(sessions) as session:
        session.add(User(name="Aino", email=EMAIL))
    allow(app, settings, "connected")
    assert client.get(go(client, provider)).status_code == 403
    allow(app, settings, "invited")
    assert client.get(go(client, provider, email_verified=False)).status_code == 403
    assert client.get(go(client, provider)).status_code == 303
    other = visitor(client)
    assert other.get(go(other, provider, sub="another person")).status_code == 403  # the account has its person


def test_verified_address_does_not_open_an_account_with_a_password(
    client: TestClient, provider: Provider, sessions: Sessions
) -> None:
    assert client.get(go(client, provider, email="operator@example.org")).status_code == 403
    with transaction(sessions) as session:
        assert session.scalars(select(OpenIdIdentity)).all() == []
        assert session.scalars(select(AuditEntry.action).order_by(AuditEntry.id.desc())).first() == "sign-in-failed"


def test_disabled_account_stays_out(client: TestClient, provider: Provider, sessions: Sessions) -> None:
    assert client.get(go(client, provider)).status_code == 303
    with transaction(sessions) as session:
        account_with(session, EMAIL).disabled_at = now()
    refused = client.get(go(client, provider))
    assert (refused.status_code, "disabled" in words_of(refused.text)) == (403, True)


def test_owner_of_a_password_connects_and_disconnects(
    client: TestClient, provider: Provider, sessions: Sessions
) -> None:
    with transaction(sessions) as session:
        operator = actor_of(account_with(session, "operator@example.org"))
    own = signed_in_client(client, sessions, operator)
    page = own.post("/account/openid/connect")
    link = page.text.partition(provider.issuer)[2].partition('"')[0].replace("&amp;", "&")
    assert parse_qs(urlsplit(link).query)["prompt"] == ["login"]
    assert own.get(f"/sign-in/openid/callback?{provider.sign_in(link)}").status_code == 303
    assert "is connected" in words_of(own.get("/account/openid").text)
    other = visitor(client)
    assert other.get(go(other, provider)).status_code == 303
    assert "operator@example.org" in other.get("/account").text
    assert own.post("/account/openid/disconnect").status_code == 303
    assert accounts_of(sessions) == 1


def test_person_of_another_account_cannot_be_connected(
    client: TestClient, provider: Provider, sessions: Sessions
) -> None:
    assert client.get(go(client, provider)).status_code == 303
    with transaction(sessions) as session:
        operator = actor_of(account_with(session, "operator@example.org"))
    own = signed_in_client(client, sessions, operator)
    link = own.post("/account/openid/connect").text.partition(provider.issuer)[2].partition('"')[0]
    assert own.get(f"/sign-in/openid/callback?{provider.sign_in(link.replace('&amp;', '&'))}").status_code == 409


def test_without_a_password_the_provider_confirms(client: TestClient, provider: Provider, sessions: Sessions) -> None:
    client.get(go(client, provider))
    long_ago = now() - timedelta(hours=1)
    with transaction(sessions) as session:
        person = actor_of(account_with(session, EMAIL))
    mine = signed_in_client(client, sessions, person)
    with transaction(sessions) as session:
        session.execute(update(UserSession).values(authenticated_at=long_ago))
    asked = mine.post("/account/keys", data={"key_name": "k", "scopes": "read", "days": "30"})
    assert asked.headers["location"].startswith("/confirm")
    assert "Sign in again with Example" in words_of(mine.get("/confirm").text)
    path = "/sign-in/openid?again=true&next=/account"
    assert mine.get(go(mine, provider, path, sub="another person")).status_code == 403
    provider.spoil = spoiled(auth_time=int(time.time()) - 3600)
    assert mine.get(go(mine, provider, path)).status_code == 403
    provider.spoil = spoiled()
    assert mine.get(go(mine, provider, path)).headers["location"] == "/account"
    assert mine.post("/account/keys", data={"key_name": "k", "scopes": "read", "days": "30"}).status_code == 200


def test_keys_of_the_provider_may_change(client: TestClient, provider: Provider) -> None:
    assert client.get(go(client, provider)).status_code == 303
    provider.key = RSAKey.generate_key(2048, {"kid": "second", "use": "sig"})
    other = visitor(client)
    assert other.get(go(other, provider)).status_code == 403  # keys are asked for once a minute at most
    client.app.state.openid._keys = (0.0, client.app.state.openid._keys[1])  # type: ignore[attr-defined]  # an hour later
    assert other.get(go(other, provider)).status_code == 303


def test_provider_that_is_down_or_odd_is_reported_and_tried_again(client: TestClient, provider: Provider) -> None:
    for metadata in (
        {"issuer": "https://other.example.org"},
        {"token_endpoint": "http://elsewhere.example.org/token"},
        {"jwks_uri": None},
        {"filler": "x" * 600_000},
    ):
        provider.metadata = metadata
        assert client.get("/sign-in/openid").status_code == 503
    provider.metadata = {}
    back = go(client, provider)
    provider.close()
    down = client.get(back)
    assert (down.status_code, down.headers["retry-after"]) == (503, "10")
    assert "not answering" in words_of(down.text)


def test_hundred_people_sign_in_at_once(client: TestClient, provider: Provider, sessions: Sessions) -> None:
    def sign_in(number: int) -> int:
        own = visitor(client)
        who = {"sub": f"person {number}", "email": f"person{number}@example.org"}
        return own.get(go(own, provider, **who)).status_code

    with capture_logs() as logged, ThreadPoolExecutor(100) as threads:
        assert set(threads.map(sign_in, range(100))) == {303}
    assert accounts_of(sessions) == 101
    assert provider.asked == ["/.well-known/openid-configuration", "/jwks"]
    assert "person" not in str(logged)


def test_without_a_provider_there_is_no_such_page(app: FastAPI, client: TestClient, settings: Settings) -> None:
    use_database(app, settings.model_copy(update={"openid_issuer": ""}), app.state.sessions)
    assert "/sign-in/openid" not in client.get("/sign-in").text
    assert client.get("/sign-in/openid").status_code == 404


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ISSUER", "http://login.example.org"),
        ("ISSUER", "https://user:secret@login.example.org"),
        ("ISSUER", "login.example.org"),
        ("ACCOUNTS", "everyone"),
    ],
)
def test_settings_of_the_provider_are_checked(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"CONVIVE_OPENID_{name}", value)
    with pytest.raises(SettingsError, match=f"CONVIVE_OPENID_{name}"):
        load_settings()


def test_provider_needs_a_client_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVIVE_OPENID_ISSUER", "https://login.example.org")
    with pytest.raises(SettingsError, match="CONVIVE_OPENID_CLIENT_ID"):
        load_settings()


def test_doctor_asks_the_provider(settings: Settings, provider: Provider) -> None:
    public = settings.model_copy(update={"base_url": "https://seating.example.org"})
    assert [finding.status for finding in check_openid(public)] == ["ok"]
    assert [finding.status for finding in check_openid(settings)] == ["ok", "warning"]
    provider.metadata = {"issuer": "https://other.example.org"}
    assert [finding.status for finding in check_openid(public)] == ["problem"]
    assert list(check_openid(settings.model_copy(update={"openid_issuer": ""}))) == []
