"""Checks of the mail server, where one is set up: whether it answers and lets Convive sign in. Nothing is sent."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from app.accounts.mail.delivery import NotEncrypted, open_server
from app.cli.checks import Finding, ok, problem, warning
from app.config import LOOPBACK_NAMES, Settings

CHECK = "e-mail"


def check_mail(settings: Settings) -> Iterator[Finding]:
    if not settings.sends_mail:
        return
    yield _check_server(settings)
    if (urlsplit(settings.address).hostname or "") in LOOPBACK_NAMES:
        yield warning(CHECK, f"Links in e-mails say {settings.address}. Set CONVIVE_BASE_URL.")


def _check_server(settings: Settings) -> Finding:
    host = urlsplit(settings.smtp_url.get_secret_value()).hostname
    try:
        with open_server(settings) as server:
            server.noop()
    except NotEncrypted:
        return problem(CHECK, f"{host} offers no encryption (STARTTLS). Use smtps://… or another port.")
    except OSError as error:  # smtplib's errors are among them, and quote no password
        return problem(
            CHECK, f"{host} cannot be used ({type(error).__name__}). Check CONVIVE_SMTP_URL and the password."
        )
    return ok(CHECK, f"{host} answers; the sender is {settings.mail_from}.")
