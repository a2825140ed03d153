"""Choosing a password with a link: it works once, for its account, and ends what was signed in before."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, text, update

from app.accounts.passwords import check_new_password, hash_password
from app.accounts.reset_links import create_reset_link, owner_of_link, use_reset_link
from app.accounts.users import account_with, create_account
from app.clock import now
from app.config import Settings
from app.db.models import SignInKey
from app.db.session import Sessions, transaction
from app.errors import Invalid

EMAIL, PASSWORD, NEW = "aino@example.org", "a long password", "another long password"


@pytest.fixture
def link(settings: Settings, sessions: Sessions) -> str:
    """A link for an account with a password, without the host."""
    with transaction(sessions) as session:
        create_account(session, EMAIL, hash_password(PASSWORD))
        address = urlsplit(create_reset_link(session, account_with(session, EMAIL), settings, by=None))
        return f"{address.path}?{address.query}"


def use(client: TestClient, link: str, password: str = NEW) -> int:
    return client.post("/reset", data={"key": link.partition("=")[2], "password": password}).status_code


def test_link_sets_the_password_once_and_ends_other_sessions(client: TestClient, link: str) -> None:
    form = {"email": EMAIL, "password": PASSWORD}
    signed_in = TestClient(client.app, "http://localhost", follow_redirects=False)
    signed_in.portal = client.portal
    signed_in.post("/sign-in", data=form)
    page = client.get(link)
    assert (page.status_code, EMAIL in page.text) == (200, True)
    assert page.headers["referrer-policy"] == "strict-origin"
    assert use(client, link) == 303
    assert (client.get("/").status_code, signed_in.get("/").status_code) == (200, 303)
    assert (use(client, link), client.get(link).status_code) == (404, 404)
    assert signed_in.post("/sign-in", data=form).status_code == 401
    assert signed_in.post("/sign-in", data=form | {"password": NEW}).status_code == 303


def test_bad_password_leaves_the_link_as_it_was(client: TestClient, link: str) -> None:
    assert use(client, link, "short") == 422
    assert use(client, link) == 303


def test_expired_replaced_and_invented_links_open_nothing(
    client: TestClient, link: str, settings: Settings, sessions: Sessions
) -> None:
    with transaction(sessions) as session:
        newer = create_reset_link(session, account_with(session, EMAIL), settings, by=None)
    assert client.get(link).status_code == 404
    assert client.get("/reset?key=invented").status_code == 404
    with transaction(sessions) as session:
        session.execute(update(SignInKey).values(expires_at=now() - timedelta(seconds=1)))
    assert use(client, newer) == 404


def test_page_does_not_wait_for_whoever_uses_the_link(link: str, sessions: Sessions) -> None:
    key = link.partition("=")[2]
    with transaction(sessions) as writer:
        use_reset_link(writer, key, hash_password(NEW), revoked_keys=())
        with transaction(sessions, read_only=True) as reader:
            if reader.get_bind().dialect.name == "postgresql":
                reader.execute(text("SET LOCAL lock_timeout = '2s'"))
            assert owner_of_link(reader, key).email == EMAIL


def test_link_is_no_key_for_anything_else(client: TestClient, link: str, sessions: Sessions) -> None:
    key = link.partition("=")[2]
    assert client.get("/sign-in", params={"key": key}).status_code == 401
    assert client.get("/setup", params={"key": key}).headers["location"] == "/sign-in"
    with transaction(sessions) as session:
        assert session.scalars(select(SignInKey.used_at)).one() is None


@pytest.mark.parametrize("password", ["1234567890", "Password123", "aaaaaaaaaaaa", "aino.virtanen@example.org"])
def test_common_passwords_and_the_own_address_are_refused(password: str) -> None:
    with pytest.raises(Invalid):
        check_new_password(password, "Aino.Virtanen@example.org")


@pytest.mark.parametrize("password", ["four unrelated words", "gr9pz-mussel", "пароль из слов"])
def test_other_passwords_are_taken(password: str) -> None:
    check_new_password(password, "aino@example.org")
