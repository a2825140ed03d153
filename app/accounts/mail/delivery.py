"""Handing an e-mail over to the mail server: always encrypted, except to a server on this machine."""

from __future__ import annotations

import ssl
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, unquote, urlsplit

from app.accounts.mail.letters import Letter
from app.config import Settings, is_loopback

if TYPE_CHECKING:
    import smtplib
    from collections.abc import Iterator
    from email.message import EmailMessage

PATIENCE_SECONDS = 15.0
PLAIN_PORT, TLS_PORT = 587, 465


class NotEncrypted(Exception):
    """The mail server offers no encryption (STARTTLS)."""


def deliver(settings: Settings, letter: Letter) -> None:
    """Send one e-mail; slow, so never in a request or a transaction."""
    message = _write(settings, letter)
    with open_server(settings) as server:
        server.send_message(message, to_addrs=[letter.to])


@contextmanager
def open_server(settings: Settings) -> Iterator[smtplib.SMTP]:
    """Connect to the mail server and sign in, if it has a user name."""
    address = urlsplit(settings.smtp_url.get_secret_value())
    server = _connect(address)
    try:
        user = unquote(address.username or "")
        if user:
            server.login(user, unquote(address.password or "") or settings.smtp_password.get_secret_value())
        yield server
    finally:
        server.close()


def _connect(address: SplitResult) -> smtplib.SMTP:
    import smtplib  # noqa: PLC0415  loaded only where mail is sent

    host = address.hostname or ""
    if address.scheme == "smtps":
        tls = ssl.create_default_context()
        return smtplib.SMTP_SSL(host, address.port or TLS_PORT, timeout=PATIENCE_SECONDS, context=tls)
    server = smtplib.SMTP(host, address.port or PLAIN_PORT, timeout=PATIENCE_SECONDS)
    try:
        server.ehlo()
        if not is_loopback(host):
            if not server.has_extn("starttls"):
                raise NotEncrypted
            server.starttls(context=ssl.create_default_context())
    except BaseException:
        server.close()
        raise
    return server


def _write(settings: Settings, letter: Letter) -> EmailMessage:
    from email.headerregistry import Address  # noqa: PLC0415  loaded only where mail is sent
    from email.message import EmailMessage  # noqa: PLC0415  as above
    from email.utils import formatdate, make_msgid, parseaddr  # noqa: PLC0415  as above

    sender = parseaddr(settings.mail_from)[1]
    message = EmailMessage()
    message["From"] = settings.mail_from
    message["To"] = Address(addr_spec=letter.to)
    message["Subject"] = letter.subject
    message["Date"] = formatdate()
    message["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(letter.text, cte="quoted-printable" if not letter.text.isascii() else "7bit")
    return message
