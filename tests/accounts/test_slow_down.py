"""Wrong passwords slow the next tries down; nobody is locked out, and a browser that was here before passes."""

from __future__ import annotations

from datetime import timedelta

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import select, update

from app.accounts.known_browsers import known_account
from app.accounts.passwords import hash_password
from app.accounts.sign_in import FREE_FOR_ACCOUNT, FREE_FOR_BROWSER, FREE_FOR_NETWORK
from app.accounts.slow_down import LONGEST_DELAY, RecentRefusals, delay_after
from app.accounts.users import create_account
from app.accounts.visitor import device_of, limited_network
from app.clock import now
from app.config import Settings
from app.db.models import Attempt, AuditEntry
from app.db.session import Sessions, transaction
from app.main import create_app
from app.runs.queue import NullQueue
from app.web.deps import cookie_name

EMAIL, PASSWORD, WRONG = "aino@example.org", "a long password", "wrong"


@pytest.fixture(autouse=True)
def _account(sessions: Sessions) -> None:
    with transaction(sessions) as session:
        create_account(session, EMAIL, hash_password(PASSWORD))


def try_password(client: TestClient, password: str = WRONG, email: str = EMAIL, address: str = "") -> Response:
    own = TestClient(client.app, "http://localhost", client=(address or "testclient", 1), follow_redirects=False)
    own.portal, own.cookies = client.portal, client.cookies
    answer = own.post("/sign-in", data={"email": email, "password": password})
    client.cookies.update(answer.cookies)
    return answer


def held_of(client: TestClient) -> RecentRefusals:
    app = client.app
    assert isinstance(app, FastAPI)
    held: RecentRefusals = app.state.passwords.refusals
    return held


def failures(sessions: Sessions, start: str) -> list[int]:
    with transaction(sessions) as session:
        return list(session.scalars(select(Attempt.count).where(Attempt.subject.startswith(start))))


def test_delays_grow_to_a_minute_and_no_further() -> None:
    assert [delay_after(failures, 5) for failures in (0, 4, 5, 6, 7, 11, 1000)] == [0, 0, 1, 2, 4, LONGEST_DELAY, 60]


def lengthen_delays(client: TestClient, sessions: Sessions, seconds_ago: float = 0) -> None:
    """Let all who failed have failed so often that they wait a minute: the first delays are as short as a slow test."""
    held_of(client).clear()
    with transaction(sessions) as session:
        at = now() - timedelta(seconds=seconds_ago)
        session.execute(update(Attempt).where(Attempt.count >= FREE_FOR_ACCOUNT).values(count=40, window_start=at))


def test_wrong_passwords_from_many_addresses_slow_the_account_down(client: TestClient, sessions: Sessions) -> None:
    first = [try_password(client, address=f"192.0.2.{number}") for number in range(FREE_FOR_ACCOUNT)]
    assert [answer.status_code for answer in first] == [401] * FREE_FOR_ACCOUNT
    assert failures(sessions, "sign-in:") == [FREE_FOR_ACCOUNT]
    lengthen_delays(client, sessions)
    more = [try_password(client, address=f"192.0.2.{number}") for number in range(100, 120)]
    assert {answer.status_code for answer in more} == {429}
    assert 0 < int(more[0].headers["retry-after"]) <= LONGEST_DELAY
    assert "Too many failed attempts. Wait" in more[0].text
    assert failures(sessions, "sign-in:") == [40]  # those that came too early were not even looked at


def test_refused_try_is_refused_again_without_the_database_and_a_known_browser_is_not(
    client: TestClient, sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert try_password(client, PASSWORD).status_code == 303
    known = client.cookies
    client.cookies = type(known)()
    for number in range(FREE_FOR_ACCOUNT):
        try_password(client, address=f"192.0.2.{number}")
    lengthen_delays(client, sessions)
    assert try_password(client, PASSWORD, address="192.0.2.99").status_code == 429  # and this is remembered
    monkeypatch.setattr("app.accounts.sign_in.check_pace", _not_reached)
    again = try_password(client, PASSWORD, address="192.0.2.100")
    assert again.status_code == 429
    assert 0 < int(again.headers["retry-after"]) <= LONGEST_DELAY
    monkeypatch.undo()
    client.cookies = known
    assert try_password(client, PASSWORD).status_code == 303


def _not_reached(*_: object) -> None:
    raise AssertionError("the database was asked")


def test_right_password_is_refused_too_early_and_taken_after_the_wait(client: TestClient, sessions: Sessions) -> None:
    for _ in range(FREE_FOR_ACCOUNT):
        try_password(client)
    lengthen_delays(client, sessions)
    assert try_password(client, PASSWORD).status_code == 429
    lengthen_delays(client, sessions, seconds_ago=LONGEST_DELAY)
    assert try_password(client, PASSWORD).status_code == 303
    assert failures(sessions, "sign-in:") == []


def test_known_browser_signs_in_while_others_are_slowed(client: TestClient, sessions: Sessions) -> None:
    assert try_password(client, PASSWORD).status_code == 303
    mallory = TestClient(client.app, "http://localhost", follow_redirects=False)
    mallory.portal = client.portal
    for number in range(FREE_FOR_ACCOUNT):
        try_password(mallory, address=f"198.51.100.{number}")
    lengthen_delays(client, sessions)
    assert try_password(mallory, PASSWORD, address="198.51.100.77").status_code == 429
    assert try_password(client, PASSWORD).status_code == 303


def test_known_browser_is_slowed_by_its_own_failures(client: TestClient, sessions: Sessions) -> None:
    try_password(client, PASSWORD)
    assert [try_password(client).status_code for _ in range(FREE_FOR_BROWSER)] == [401] * FREE_FOR_BROWSER
    lengthen_delays(client, sessions)
    assert try_password(client, PASSWORD).status_code == 429


def test_browser_is_known_for_its_own_account_only(client: TestClient, sessions: Sessions) -> None:
    with transaction(sessions) as session:
        create_account(session, "bo@example.org", hash_password(PASSWORD))
    try_password(client, PASSWORD)
    for _ in range(FREE_FOR_ACCOUNT):
        try_password(client, email="bo@example.org")
    lengthen_delays(client, sessions)
    assert try_password(client, email="bo@example.org").status_code == 429


def test_secret_that_was_put_into_a_browser_is_replaced_and_accounts_of_one_browser_stay_known(
    client: TestClient, sessions: Sessions, settings: Settings
) -> None:
    name, emails = cookie_name(settings, "browser"), (EMAIL, "bo@example.org")
    with transaction(sessions) as session:
        create_account(session, emails[1], hash_password(PASSWORD))
    client.cookies.set(name, "planted")
    secrets = [try_password(client, PASSWORD, email).cookies[name] for email in (*emails, *emails)]
    assert ("planted" in secrets, len(set(secrets)), secrets[1:]) == (False, 2, [secrets[1]] * 3)
    with transaction(sessions) as session:
        assert [known_account(session, email, secrets[1]) is None for email in emails] == [False, False]
        assert {known_account(session, email, old) for email in emails for old in ("planted", secrets[0])} == {None}


def test_one_address_cannot_try_many_accounts(client: TestClient, sessions: Sessions) -> None:
    answers = [
        try_password(client, email=f"guess{number}@example.org", address="2001:db8::1").status_code
        for number in range(FREE_FOR_NETWORK)
    ]
    assert answers == [401] * FREE_FOR_NETWORK
    lengthen_delays(client, sessions)
    neighbour = try_password(client, email="other@example.org", address="2001:db8::ffff")
    assert neighbour.status_code == 429  # the same /64
    elsewhere = try_password(client, email="other@example.org", address="2001:db8:0:1::1")
    assert elsewhere.status_code == 401


def test_success_is_not_counted(client: TestClient, sessions: Sessions) -> None:
    for _ in range(3):
        client.cookies.clear()
        assert try_password(client, PASSWORD, address="192.0.2.1").status_code == 303
    assert set(failures(sessions, "sign-in")) <= {0}


def test_what_was_typed_as_an_address_is_not_stored(client: TestClient, sessions: Sessions) -> None:
    try_password(client, email="my secret password")
    with transaction(sessions) as session:
        assert not [subject for subject in session.scalars(select(Attempt.subject)) if "secret" in subject]


def test_strangers_cannot_fill_the_audit_log(
    client: TestClient, sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.accounts.sign_in.MOST_OF_NOBODY", 2)
    for number in range(4):
        try_password(client, email=f"guess{number}@example.org", address=f"192.0.2.{number}")
    try_password(client)
    with transaction(sessions) as session:
        failed = session.scalars(select(AuditEntry.subject_id).where(AuditEntry.action == "sign-in-failed")).all()
        assert (failed.count(None), len(failed)) == (2, 3)


@pytest.mark.parametrize(("named", "proxy"), [([], "127.0.0.1"), (["10.0.0.0/8"], "10.1.2.3")])
def test_visitors_whom_a_proxy_does_not_tell_apart_share_no_limit(
    settings: Settings, sessions: Sessions, named: list[str], proxy: str
) -> None:
    """The proxy is not named, or it is and sends no address of the visitor."""
    public = settings.model_copy(update={"base_url": "https://seating.example.org", "trusted_proxies": named})
    with TestClient(create_app(public, NullQueue()), "http://localhost", client=(proxy, 1)) as client:
        for number in range(FREE_FOR_NETWORK + 2):
            form = {"email": f"guess{number}@example.org", "password": "wrong"}
            assert client.post("/sign-in", data=form).status_code == 401


def test_networks_of_addresses() -> None:
    assert limited_network("192.0.2.7") == "192.0.2.7/32"
    assert limited_network("2001:db8::7") == limited_network("2001:db8::ffff") == "2001:db8::/64"
    assert limited_network("::ffff:192.0.2.7") == "192.0.2.7/32"
    assert limited_network("testclient") == ""


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0", "Firefox on Linux"),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0 "
            "Safari/537.36 Edg/125.0",
            "Edge on Windows",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
            "Version/17.5 Mobile/15E148 Safari/604.1",
            "Safari on iPhone",
        ),
        (
            "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0 Mobile Safari/537.36",
            "Chrome on Android",
        ),
        ("Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/125.0 Safari/537.36", "Chrome on Linux"),
        ("curl/8.9", "Unknown browser"),
    ],
)
def test_browser_in_words(header: str, words: str) -> None:
    assert device_of(header) == words
