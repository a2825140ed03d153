"""Codes from an app: set up on the account page, asked for after the password, each taken once; recovery codes."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pyotp
import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import delete, select, update
from typer.testing import CliRunner

from app.accounts.actor import Actor
from app.accounts.api_keys import create_api_key
from app.accounts.passwords import hash_password
from app.accounts.second_factors import code_apps
from app.accounts.second_factors.code_apps import use_code
from app.accounts.second_factors.recovery_codes import COUNT
from app.accounts.second_factors.sealing import seal, unseal
from app.accounts.second_step import EnteredCode, check_code, owner_of_pending
from app.accounts.sign_in import FREE_FOR_ACCOUNT
from app.accounts.slow_down import delay_after
from app.accounts.users import actor_of, create_account
from app.audit.actions import Action
from app.cli.accounts import user as user_command
from app.clock import now
from app.config import Settings
from app.db.models import Attempt, AuditEntry, CodeApp, PendingSignIn, User, UserSession
from app.db.session import Sessions, transaction
from app.web.deps import cookie_name, session_cookie
from app.web.tokens import form_token
from tests.accounts.conftest import EMAIL, PASSWORD
from tests.conftest import signed_in_client

HOSTILE = [
    "",
    " ",
    "000000",
    "１２３４５６",
    "12345",
    "1234567",
    "-12345",
    "+12345",
    "1e5",
    "x" * 20_000,
    "\x00",
    "💥" * 40,
]


def new_browser(client: TestClient) -> TestClient:
    own = TestClient(client.app, "http://localhost", follow_redirects=False)
    own.portal = client.portal
    return own


def read_secret(page: str) -> str:
    (found,) = re.findall(r'class="secret-key">([A-Z2-7 ]+)<', page)
    return str(found).replace(" ", "")


def read_recovery_codes(page: str) -> list[str]:
    return re.findall(r"<code>((?:[a-z2-9]{4}-){3}[a-z2-9]{4})</code>", page)


def set_up(browser: TestClient) -> tuple[str, list[str]]:
    """Turn codes on and return the secret and the recovery codes."""
    assert browser.post("/account/codes").headers["location"] == "/account/codes"
    secret = read_secret(browser.get("/account/codes").text)
    done = browser.post("/account/codes/confirm", data={"code": pyotp.TOTP(secret).now()})
    assert done.status_code == 200
    return secret, read_recovery_codes(done.text)


def give_password(client: TestClient, password: str = PASSWORD, then: str = "/events") -> Response:
    return client.post("/sign-in", data={"email": EMAIL, "password": password, "next": then})


def give_code(client: TestClient, code: str) -> Response:
    return client.post("/sign-in/code", data={"code": code, "next": "/events"})


def forget_used_codes(sessions: Sessions) -> None:
    with transaction(sessions) as session:
        session.execute(update(CodeApp).values(last_step=0))


def actions(sessions: Sessions) -> list[tuple[str, str]]:
    with transaction(sessions) as session:
        rows = session.execute(select(AuditEntry.action, AuditEntry.details).order_by(AuditEntry.id))
        return [(action, details.get("way") or details.get("reason") or "") for action, details in rows]


def test_codes_are_set_up_asked_for_and_removed(browser: TestClient, client: TestClient, sessions: Sessions) -> None:
    assert "Set up codes" in browser.get("/account").text
    secret, recovery = set_up(browser)
    assert (len(recovery), len(set(recovery))) == (COUNT, COUNT)
    page = browser.get("/account/codes").text
    assert (secret in page.replace(" ", ""), recovery[0] in page, "10 recovery codes" in page) == (False, False, True)
    forget_used_codes(sessions)
    other = new_browser(client)
    assert give_password(other).headers["location"] == "/sign-in/code?next=/events"
    assert other.get("/events").headers["location"].startswith("/sign-in")  # not signed in yet
    assert "Enter a code" in other.get("/sign-in/code").text
    done = give_code(other, pyotp.TOTP(secret).now())
    assert (done.status_code, done.headers["location"], other.get("/").status_code) == (303, "/events", 200)
    assert browser.post("/account/codes/remove").headers["location"] == "/account?done=codes-removed"
    assert give_password(new_browser(client)).headers["location"] == "/events"
    assert actions(sessions)[1:] == [
        (Action.SECOND_FACTOR_ADDED, "code"),
        (Action.SIGNED_IN, "code"),
        (Action.SECOND_FACTOR_REMOVED, "code"),
        (Action.SIGNED_IN, "password"),
    ]


def test_codes_do_not_count_before_one_was_right(browser: TestClient, client: TestClient) -> None:
    browser.post("/account/codes")
    first = read_secret(browser.get("/account/codes").text)
    wrong = browser.post("/account/codes/confirm", data={"code": "000000"})
    assert (wrong.status_code, "wrong or has expired" in wrong.text) == (422, True)
    assert give_password(new_browser(client)).headers["location"] == "/events"
    browser.post("/account/codes")  # another try has another secret
    assert read_secret(browser.get("/account/codes").text) != first
    assert browser.post("/account/codes/confirm", data={"code": pyotp.TOTP(first).now()}).status_code == 422


def test_code_works_once_even_in_another_sign_in(browser: TestClient, client: TestClient, sessions: Sessions) -> None:
    secret, _ = set_up(browser)
    forget_used_codes(sessions)
    one, other = new_browser(client), new_browser(client)
    give_password(one)
    give_password(other)
    code = pyotp.TOTP(secret).now()
    assert give_code(one, code).status_code == 303
    assert (give_code(other, code).status_code, other.get("/").status_code) == (401, 303)
    assert (Action.SIGN_IN_FAILED, "code") in actions(sessions)


def test_clock_may_be_off_by_one_step(
    browser: TestClient, sessions: Sessions, settings: Settings, aino: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, _ = set_up(browser)
    at = datetime(2026, 6, 1, 12, 0, 15, tzinfo=UTC)
    monkeypatch.setattr(code_apps, "now", lambda: at)
    taken = {}
    for steps in (-2, -1, 0, 1, 2):
        forget_used_codes(sessions)
        code = pyotp.TOTP(secret).at(at + timedelta(seconds=30 * steps))
        with transaction(sessions) as session:
            taken[steps] = use_code(session, aino.user_id, settings, f" {code[:3]} {code[3:]} ")
    assert taken == {-2: False, -1: True, 0: True, 1: True, 2: False}
    with transaction(sessions) as session:  # after the code of the next step, that of this one is too old
        session.execute(update(CodeApp).values(last_step=pyotp.TOTP(secret).timecode(at) + 1))
        assert not use_code(session, aino.user_id, settings, pyotp.TOTP(secret).at(at))


def test_recovery_code_works_once_however_it_is_typed(browser: TestClient, client: TestClient) -> None:
    _, recovery = set_up(browser)
    other = new_browser(client)
    give_password(other)
    assert give_code(other, recovery[3].replace("-", " ").upper()).status_code == 303
    third = new_browser(client)
    give_password(third)
    assert give_code(third, recovery[3]).status_code == 401
    assert "9 recovery codes" in browser.get("/account").text
    newer = read_recovery_codes(browser.post("/account/codes/recovery").text)
    assert set(newer).isdisjoint(recovery)
    assert give_code(third, recovery[4]).status_code == 401
    assert give_code(third, newer[4]).status_code == 303


def test_wrong_codes_are_slowed_and_a_right_password_does_not_begin_again(
    browser: TestClient, client: TestClient, sessions: Sessions
) -> None:
    secret, _ = set_up(browser)
    forget_used_codes(sessions)
    mallory = new_browser(client)
    give_password(mallory)
    assert [give_code(mallory, "000000").status_code for _ in range(FREE_FOR_ACCOUNT)] == [401] * FREE_FOR_ACCOUNT
    with transaction(sessions) as session:
        session.execute(update(Attempt).where(Attempt.subject.startswith("code:")).values(count=40, window_start=now()))
    give_password(mallory)
    slowed = give_code(mallory, pyotp.TOTP(secret).now())
    assert (slowed.status_code, mallory.get("/").status_code) == (429, 303)
    assert 60 < int(slowed.headers["retry-after"]) <= 15 * 60


def test_wait_is_bounded_after_any_number_of_failures() -> None:
    assert (delay_after(100_000, 5), delay_after(100_000, 5, 900.0)) == (60, 900)


def test_known_browser_is_not_slowed_by_wrong_codes_from_elsewhere(
    browser: TestClient, client: TestClient, sessions: Sessions
) -> None:
    known = new_browser(client)
    give_password(known)  # before there are codes
    secret, _ = set_up(browser)
    forget_used_codes(sessions)
    mallory = new_browser(client)
    give_password(mallory)
    for _ in range(FREE_FOR_ACCOUNT):
        give_code(mallory, "000000")
    with transaction(sessions) as session:
        session.execute(update(Attempt).where(Attempt.subject.startswith("code:")).values(count=40, window_start=now()))
    give_password(known)
    assert give_code(known, pyotp.TOTP(secret).now()).status_code == 303


def test_hostile_codes_are_refused(browser: TestClient, client: TestClient, sessions: Sessions) -> None:
    set_up(browser)
    give_password(client)
    for code in HOSTILE:
        answer = give_code(client, code)
        assert answer.status_code == (413 if len(code) > 16_000 else 401), code
        with transaction(sessions) as session:
            session.execute(delete(Attempt))
    assert client.get("/").status_code == 303


def test_pending_sign_in_is_no_session_and_ends(
    browser: TestClient, client: TestClient, settings: Settings, sessions: Sessions
) -> None:
    secret, _ = set_up(browser)
    forget_used_codes(sessions)
    assert client.get("/sign-in/code").headers["location"] == "/sign-in"
    assert give_code(client, pyotp.TOTP(secret).now()).headers["location"] == "/sign-in"
    client.cookies.set(cookie_name(settings, "pending"), "invented")
    assert give_code(client, pyotp.TOTP(secret).now()).headers["location"] == "/sign-in"
    client.cookies.clear()
    give_password(client)
    token = client.cookies[cookie_name(settings, "pending")]
    as_session = new_browser(client)
    as_session.cookies.set(session_cookie(settings), token)
    assert as_session.get("/").status_code == 303
    assert give_code(client, "").status_code == 401
    with transaction(sessions) as session:
        session.execute(update(PendingSignIn).values(expires_at=now() - timedelta(seconds=1)))
    assert give_code(client, pyotp.TOTP(secret).now()).headers["location"] == "/sign-in"


def test_new_password_and_disabling_end_pending_sign_ins(
    browser: TestClient, client: TestClient, sessions: Sessions
) -> None:
    secret, _ = set_up(browser)
    forget_used_codes(sessions)
    give_password(client)
    with transaction(sessions) as session:
        session.execute(update(User).values(disabled_at=now()))
    assert give_code(client, pyotp.TOTP(secret).now()).headers["location"] == "/sign-in"
    with transaction(sessions) as session:
        session.execute(update(User).values(disabled_at=None))
    browser.post("/account/password", data={"current": PASSWORD, "password": "another long password"})
    assert give_code(client, pyotp.TOTP(secret).now()).headers["location"] == "/sign-in"


def test_right_code_opens_nothing_once_its_pending_sign_in_has_ended(
    browser: TestClient, client: TestClient, sessions: Sessions, settings: Settings, aino: Actor
) -> None:
    secret, _ = set_up(browser)
    forget_used_codes(sessions)
    give_password(own := new_browser(client))
    token = own.cookies[cookie_name(settings, "pending")]
    with transaction(sessions) as session:
        user = owner_of_pending(session, token)
        assert user is not None
        session.execute(delete(PendingSignIn))  # as a new password does, at the same moment
        entered = EnteredCode(token, pyotp.TOTP(secret).now())
        assert not check_code(session, user, settings, entered)


def test_wrong_password_looks_the_same_with_and_without_codes(browser: TestClient, client: TestClient) -> None:
    before = give_password(new_browser(client), "wrong")
    set_up(browser)
    after = give_password(new_browser(client), "wrong")
    assert (before.status_code, before.text) == (after.status_code, after.text)
    assert "pending" not in str(after.headers)


@pytest.mark.parametrize("path", ["", "/confirm", "/recovery", "/remove"])
def test_changes_need_the_password_again(browser: TestClient, sessions: Sessions, path: str) -> None:
    with transaction(sessions) as session:
        session.execute(update(UserSession).values(authenticated_at=now() - timedelta(minutes=11)))
    assert browser.post(f"/account/codes{path}").headers["location"].startswith("/confirm")
    assert browser.get("/account/codes").headers["location"] == "/confirm?next=/account/codes"


def test_person_without_a_password_is_offered_no_codes(web: TestClient) -> None:
    assert "Codes from an app" not in web.get("/account").text
    assert web.post("/account/codes").status_code == 409
    assert web.post("/account/codes/recovery").status_code == 409


def test_code_that_counts_is_not_set_up_twice(browser: TestClient, sessions: Sessions) -> None:
    set_up(browser)
    assert browser.post("/account/codes").status_code == 409
    assert browser.post("/account/codes/confirm", data={"code": "123456"}).status_code == 409


def test_api_keys_need_no_code(browser: TestClient, client: TestClient, sessions: Sessions, aino: Actor) -> None:
    set_up(browser)
    with transaction(sessions) as session:
        key = create_api_key(session, aino, "script")
    answer = client.get("/api/v1/events", headers={"Authorization": f"Bearer {key}"})
    assert answer.status_code == 200


@pytest.mark.parametrize("removes", [False, True])
def test_reset_link_keeps_codes_unless_the_operator_says_otherwise(
    browser: TestClient, client: TestClient, settings: Settings, sessions: Sessions, aino: Actor, removes: bool
) -> None:
    with transaction(sessions) as session:
        bo = actor_of(create_account(session, "bo@example.org", hash_password(PASSWORD)))
    of_bo = signed_in_client(client, sessions, bo)
    set_up(of_bo)
    assert 'name="remove_factors"' in browser.get("/admin/accounts").text  # the first account is an operator
    made = browser.post(f"/admin/accounts/{bo.user_id}/reset", data={"remove_factors": "true"} if removes else {})
    (key,) = re.findall(r"/reset\?key=([\w-]+)", made.text)
    page = client.get(f"/reset?key={key}").text
    assert ("passkeys are removed" in page, "asked for a code" in page) == (removes, not removes)
    done = client.post("/reset", data={"key": key, "password": "another long password"})
    assert done.headers["location"] == ("/" if removes else "/sign-in/code?next=/")
    assert client.get("/").status_code == (200 if removes else 303)
    found = actions(sessions)
    assert ((Action.SECOND_FACTOR_REMOVED, "code") in found) == removes
    assert ((Action.RECOVERY_LINK_CREATED, "removes-second-step") in found) == removes


def test_command_states_what_happens_to_codes(
    browser: TestClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_up(browser)
    monkeypatch.setenv("CONVIVE_DATABASE_URL", settings.database_url)
    monkeypatch.setenv("CONVIVE_DATA_DIR", str(settings.data_dir))
    kept = CliRunner().invoke(user_command, ["reset", EMAIL])
    assert (kept.exit_code, "passkeys of this account stay" in kept.stderr) == (0, True)
    removed = CliRunner().invoke(user_command, ["reset", EMAIL, "--remove-second-step"])
    assert (removed.exit_code, "removed when it is used" in removed.stderr) == (0, True)


def test_secret_is_read_with_the_key_and_for_its_owner_only() -> None:
    sealed = seal(b"k" * 32, b"secret", b"aino")
    assert unseal(b"k" * 32, sealed, b"aino") == b"secret"
    assert b"secret" not in sealed
    changed = sealed[:-1] + bytes([sealed[-1] ^ 1])
    others = [(b"x" * 32, sealed, b"aino"), (b"k" * 32, sealed, b"bo"), (b"k" * 32, changed, b"aino")]
    assert [unseal(*other) for other in [*others, (b"k" * 32, b"", b"aino")]] == [None] * 4
    assert seal(b"k" * 32, b"secret", b"aino") != sealed


def test_with_another_key_recovery_codes_still_work(
    browser: TestClient, client: TestClient, sessions: Sessions
) -> None:
    secret, recovery = set_up(browser)
    with transaction(sessions) as session:
        session.execute(update(CodeApp).values(secret=b"x" * 60, last_step=0))  # as another key would read it
    give_password(client)
    assert give_code(client, pyotp.TOTP(secret).now()).status_code == 401
    assert give_code(client, recovery[0]).status_code == 303


def test_form_from_another_site_is_refused(browser: TestClient, client: TestClient, sessions: Sessions) -> None:
    secret, _ = set_up(browser)
    forget_used_codes(sessions)
    give_password(client)
    code, elsewhere = {"code": pyotp.TOTP(secret).now()}, {"Origin": "https://evil.example"}
    assert client.post("/sign-in/code", data=code, headers=elsewhere).status_code == 403
    token = form_token("invented")
    assert browser.post("/account/codes/remove", headers={"X-Form-Token": token}).status_code == 403
