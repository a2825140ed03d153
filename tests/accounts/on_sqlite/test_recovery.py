"""Recovery by e-mail, with a real mail server: who gets a link, how often, and what nobody learns."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable, Iterator
from email import message_from_bytes
from email.message import Message
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import SecretStr
from sqlalchemy import func, select
from structlog.testing import capture_logs

from app.accounts.actor import Actor
from app.accounts.mail.delivery import NotEncrypted, deliver
from app.accounts.mail.letters import Letter
from app.accounts.mail.mailer import Mailer
from app.accounts.passwords import hash_password
from app.accounts.recovery import MOST_FOR_ADDRESS, MOST_FOR_NETWORK
from app.accounts.users import account_with, actor_of, create_account
from app.cli.checks.mail import check_mail
from app.clock import now
from app.config import Settings, SettingsError, load_settings
from app.db.models import SignInKey
from app.db.session import Sessions, transaction
from app.main import use_database
from tests.conftest import api_client, signed_in_client
from tests.pages import faults_of, words_of

EMAIL, PASSWORD, NEW = "aino@example.org", "a long password", "another long password"
LETTER = Letter("recovery", EMAIL, "Subject", "Text\n")


class MailServer:
    """A mail server that keeps what it gets; `answers` refuses the first ones."""

    def __init__(self) -> None:
        self.mails: list[Envelope] = []
        self.answers: list[str] = []
        self.signed_in: list[bytes] = []
        self.controller = Controller(
            self, hostname="127.0.0.1", port=free_port(), authenticator=self.check, auth_require_tls=False
        )
        self.controller.start()

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802  aiosmtpd's name
        if self.answers:
            return self.answers.pop(0)
        self.mails.append(envelope)
        return "250 OK"

    def check(self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any) -> AuthResult:
        assert isinstance(data, LoginPassword)
        self.signed_in.append(data.password)
        return AuthResult(success=data.password == b"s3cret/word")

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.controller.port}"

    def wait_for(self, count: int) -> list[Message]:
        """Return the mails as soon as there are so many."""
        until(lambda: len(self.mails) >= count)
        assert len(self.mails) == count
        return [message_from_bytes(mail.original_content or b"") for mail in self.mails]


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def text_of(mail: Message) -> str:
    return bytes(mail.get_payload(decode=True)).decode()


@pytest.fixture
def server() -> Iterator[MailServer]:
    found = MailServer()
    yield found
    found.controller.stop()


@pytest.fixture
def settings(settings: Settings, server: MailServer) -> Settings:
    """The usual settings with a mail server."""
    return settings.model_copy(update={"smtp_url": SecretStr(server.url), "mail_from": "Convive <convive@example.org>"})


@pytest.fixture
def down(settings: Settings) -> Settings:
    """The usual settings with a mail server that is not there."""
    return settings.model_copy(update={"smtp_url": SecretStr(f"smtp://127.0.0.1:{free_port()}")})


@pytest.fixture
def account(sessions: Sessions) -> None:
    with transaction(sessions) as session:
        create_account(session, EMAIL, hash_password(PASSWORD))


def ask(client: TestClient, email: str) -> Any:
    return client.post("/sign-in/forgot", data={"email": email})


@pytest.mark.usefixtures("account")
def test_link_by_mail_changes_the_password_once(client: TestClient, server: MailServer, sessions: Sessions) -> None:
    assert "/sign-in/forgot" in client.get("/sign-in").text
    assert client.get("/sign-in/forgot").status_code == 200
    with capture_logs() as logged:
        assert ask(client, " Aino@Example.org ").status_code == 200
        (mail,) = server.wait_for(1)
        until(lambda: "e-mail sent" in str(logged))
    assert (server.mails[0].rcpt_tos, mail["To"], mail["From"]) == ([EMAIL], EMAIL, "Convive <convive@example.org>")
    found = re.search(r"http://\S+/reset\?key=(\S+)", text_of(mail))
    assert found
    with transaction(sessions) as session:
        life = session.scalars(select(SignInKey.expires_at)).one() - now()
    assert 3500 < life.total_seconds() <= 3600
    form = {"key": found[1], "password": NEW}
    assert [client.post("/reset", data=form).status_code for _ in range(2)] == [303, 404]
    assert not [secret for secret in (EMAIL, found[1], "aino") if secret in str(logged)]


@pytest.mark.usefixtures("account")
def test_answer_is_the_same_for_unknown_and_disabled_accounts(
    client: TestClient, server: MailServer, sessions: Sessions
) -> None:
    known = ask(client, EMAIL)
    server.wait_for(1)
    with transaction(sessions) as session:
        account_with(session, EMAIL).disabled_at = now()
    others = [ask(client, email) for email in (EMAIL, "nobody@example.org")]
    assert [(other.status_code, other.text) for other in others] == [(known.status_code, known.text)] * 2
    with transaction(sessions) as session:
        assert session.scalar(select(func.count()).select_from(SignInKey)) == 1
    assert len(server.mails) == 1


@pytest.mark.usefixtures("account")
def test_requests_are_limited_by_address_and_by_network(client: TestClient, server: MailServer) -> None:
    answers = [ask(client, EMAIL) for _ in range(MOST_FOR_ADDRESS + 1)]
    assert [answer.status_code for answer in answers] == [200] * MOST_FOR_ADDRESS + [429]
    assert "spam folder" in faults_of(answers[-1].text)[0]
    assert answers[-1].headers["retry-after"] == "3600"
    server.wait_for(MOST_FOR_ADDRESS)
    visitor = TestClient(client.app, "http://localhost", client=("203.0.113.9", 1), follow_redirects=False)
    visitor.portal = client.portal
    found = [ask(visitor, f"nobody{n}@example.org").status_code for n in range(MOST_FOR_NETWORK + 1)]
    assert found == [200] * MOST_FOR_NETWORK + [429]


def test_what_is_no_address_is_refused(client: TestClient) -> None:
    for typed in ("", "aino", "a@b.c\r\nBcc: x@example.org", "x" * 400 + "@example.org"):
        assert ask(client, typed).status_code == 422


@pytest.mark.usefixtures("account")
def test_mailed_link_leaves_that_of_the_administrator_until_one_is_used(
    client: TestClient, server: MailServer, sessions: Sessions, settings: Settings
) -> None:
    from app.accounts.reset_links import create_reset_link  # noqa: PLC0415

    with transaction(sessions) as session:
        made = create_reset_link(session, account_with(session, EMAIL), settings, by=None)
    ask(client, EMAIL)
    link = re.search(r"key=(\S+)", text_of(server.wait_for(1)[0]))
    assert link
    assert client.get("/reset", params={"key": made.partition("=")[2]}).status_code == 200
    assert client.post("/reset", data={"key": link[1], "password": NEW}).status_code == 303
    assert client.get("/reset", params={"key": made.partition("=")[2]}).status_code == 404


def test_without_a_mail_server_there_is_no_such_page(client: TestClient, app: FastAPI, settings: Settings) -> None:
    use_database(app, settings.model_copy(update={"smtp_url": SecretStr("")}), app.state.sessions)
    assert "/sign-in/forgot" not in client.get("/sign-in").text
    assert [client.get("/sign-in/forgot").status_code, ask(client, EMAIL).status_code] == [404, 404]


def test_mail_server_that_is_down_delays_no_answer(
    app: FastAPI, client: TestClient, down: Settings, account: None
) -> None:
    use_database(app, down, app.state.sessions)
    with capture_logs() as logged:
        assert ask(client, EMAIL).status_code == 200
        until(lambda: "ConnectionRefusedError" in str(logged))


def test_mail_is_tried_again_and_given_up_after_a_few_times(settings: Settings, server: MailServer) -> None:
    mailer = Mailer(settings, waits=(0.01, 0.01))
    server.answers = ["451 later", "451 later"]
    mailer.post(LETTER)
    server.wait_for(1)
    server.answers = ["451 later"] * 4
    mailer.post(LETTER)
    until(lambda: len(server.answers) == 1)
    mailer.post(LETTER)  # takes the last refusal, and arrives
    server.wait_for(2)
    mailer.close()
    mailer.post(LETTER)
    assert len(server.mails) == 2


def test_full_line_drops_the_newest_and_the_end_does_not_wait_for_it(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, capture_logs() as logged:
        url = SecretStr(f"smtp://127.0.0.1:{silent.getsockname()[1]}")
        mailer = Mailer(settings.model_copy(update={"smtp_url": url}), most=5, farewell=0.01)
        mailer.post(LETTER)
        silent.accept()  # the first letter is with a server that says nothing
        for _ in range(8):
            mailer.post(LETTER)
        mailer.close()
    assert (str(logged).count("e-mail dropped"), logged[-1]["count"]) == (3, 5)


def test_password_comes_from_its_own_setting_and_plain_servers_elsewhere_are_refused(
    settings: Settings, server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = server.url.replace("//", "//convive@")
    named = settings.model_copy(update={"smtp_url": SecretStr(url), "smtp_password": SecretStr("s3cret/word")})
    deliver(named, LETTER)
    assert (server.signed_in, len(server.mails)) == ([b"s3cret/word"], 1)
    monkeypatch.setattr("app.accounts.mail.delivery.is_loopback", lambda host: False)  # as a server elsewhere
    with pytest.raises(NotEncrypted):
        deliver(named, LETTER)


@pytest.mark.parametrize("email", ["a,b@example.org", "<a>b@example.org", "a@example.org;c@example.org"])
def test_address_that_is_several_reaches_nobody(settings: Settings, server: MailServer, email: str) -> None:
    mailer = Mailer(settings, waits=())
    mailer.post(Letter("recovery", email, "Subject", "Text"))
    mailer.post(LETTER)
    server.wait_for(1)
    assert server.mails[0].rcpt_tos == [EMAIL]
    mailer.close()


def test_invitation_of_the_operator_is_mailed(
    client: TestClient, server: MailServer, sessions: Sessions, account: None
) -> None:
    with transaction(sessions) as session:
        user = account_with(session, EMAIL)
        operator = Actor(user.id, user.name, user.is_operator)
    page = signed_in_client(client, sessions, operator).post("/admin/accounts", data={"email": "Bo@example.org"})
    assert (page.status_code, "by e-mail" in words_of(page.text)) == (200, True)
    (mail,) = server.wait_for(1)
    assert mail["To"] == "bo@example.org"
    link = re.search(r"/reset\?key=\S+", text_of(mail))
    assert link
    assert link[0] in page.text


def test_invitation_through_the_api_is_mailed_once_unless_the_program_sends_it(
    client: TestClient, server: MailServer, sessions: Sessions, account: None
) -> None:
    with transaction(sessions) as session:
        owner = actor_of(account_with(session, EMAIL))
    api = api_client(client, sessions, owner)
    path = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}/invitations"
    body, once = {"role": "editor", "email": "bo@example.org", "days": 2}, {"Idempotency-Key": "first"}
    assert api.post(path, json={**body, "send": False}).json()["is_sent"] is False
    assert api.post(path, json={"role": "editor"}).json()["is_sent"] is False
    made, again = (api.post(path, json=body, headers=once).json() for _ in range(2))
    assert (made["is_sent"], again["is_sent"], made["url"] == again["url"]) == (True, False, True)
    (mail,) = server.wait_for(1)
    assert mail["To"] == "bo@example.org"
    assert made["url"].rpartition("/join/")[2] in text_of(mail)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SMTP_URL", "mail.example.org"),
        ("SMTP_URL", "http://mail.example.org"),
        ("SMTP_URL", "smtp://mail.example.org:99999"),
        ("MAIL_FROM", "nobody"),
    ],
)
def test_settings_of_mail_are_checked(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"CONVIVE_{name}", value)
    with pytest.raises(SettingsError, match=f"CONVIVE_{name}"):
        load_settings()


def test_mail_server_needs_a_sender(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVIVE_SMTP_URL", "smtps://convive:s3cret@mail.example.org")
    with pytest.raises(SettingsError, match="CONVIVE_MAIL_FROM"):
        load_settings()
    monkeypatch.setenv("CONVIVE_MAIL_FROM", "convive@example.org")
    assert "s3cret" not in repr(load_settings())


def test_doctor_connects_to_the_mail_server_and_sends_nothing(settings: Settings, down: Settings) -> None:
    public = {"base_url": "https://seating.example.org"}
    assert [finding.status for finding in check_mail(settings.model_copy(update=public))] == ["ok"]
    assert [finding.status for finding in check_mail(settings)] == ["ok", "warning"]
    assert next(check_mail(down)).status == "problem"
    assert list(check_mail(settings.model_copy(update={"smtp_url": SecretStr("")}))) == []
