"""Six-digit codes from an app (TOTP, RFC 6238): set up, checked, removed."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from uuid import UUID

import pyotp
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.accounts.second_factors.recovery_codes import remove_recovery_codes, replace_recovery_codes
from app.accounts.second_factors.sealing import seal, unseal
from app.audit.actions import Action, Details
from app.audit.record import record
from app.clock import now
from app.config import Settings
from app.db.models import CodeApp, User
from app.errors import Conflict, FieldError, Invalid
from app.web.link_tokens import has_lasting_key, link_key

DIGITS = 6
DRIFT = 1
"""Steps of 30 seconds that the clock of a phone may be off."""
NOT_SET_UP = "Codes from an app are not set up for this account."


@dataclass(frozen=True)
class NewSecret:
    """What a person gives to their app: as an address for a QR code, and as text."""

    address: str
    text: str


def start_set_up(session: Session, actor: Actor, settings: Settings) -> None:
    """Make a secret, which counts once a code from it was entered; an earlier one that never counted ends."""
    user = session.get_one(User, actor.user_id)
    if user.password_hash is None:
        raise Conflict("Codes are asked for after the password, and this account has none.")
    if not has_lasting_key(settings):
        raise Conflict("The server cannot store its key, so codes would stop working. Ask your administrator.")
    found = _app_of(session, user.id)
    if found is not None and found.confirmed_at is not None:
        raise Conflict("Codes from an app are already set up. Remove them first to use another app.")
    app = found or CodeApp(user_id=user.id)
    app.secret, app.last_step = seal(link_key(settings), pyotp.random_base32().encode(), user.id.bytes), 0
    session.add(app)
    session.flush()


def secret_to_confirm(session: Session, actor: Actor, settings: Settings) -> NewSecret | None:
    """Return the secret that waits for its first code; one that counts is never shown again."""
    app = session.get(CodeApp, actor.user_id)
    secret = _secret_of(app, settings) if app and app.confirmed_at is None else None
    if secret is None:
        return None
    user = session.get_one(User, actor.user_id)
    address = pyotp.TOTP(secret).provisioning_uri(user.email or user.name, issuer_name="Convive")
    return NewSecret(address, " ".join(secret[at : at + 4] for at in range(0, len(secret), 4)))


def confirm_set_up(session: Session, actor: Actor, settings: Settings, code: str) -> list[str]:
    """Ask for codes from now on, once one was right; return the recovery codes to show this once."""
    app = _app_of(session, actor.user_id)
    if app is None or app.confirmed_at is not None:
        raise Conflict(NOT_SET_UP)
    if not _use_code(app, settings, code):
        raise Invalid(FieldError("code", "This code is wrong or has expired. Enter the one that your app shows now."))
    app.confirmed_at = now()
    session.flush()
    record(session, Action.SECOND_FACTOR_ADDED, by=actor.user_id, subject_id=actor.user_id, details=Details(way="code"))
    return replace_recovery_codes(session, actor.user_id)


def new_recovery_codes(session: Session, actor: Actor) -> list[str]:
    """Return new recovery codes to show this once; the earlier ones end."""
    if not asks_for_code(session, actor.user_id):
        raise Conflict(NOT_SET_UP)
    record(session, Action.ACCOUNT_CHANGED, by=actor.user_id, subject_id=actor.user_id, details=Details(way="code"))
    return replace_recovery_codes(session, actor.user_id)


def remove_code_app(session: Session, user_id: UUID, *, by: UUID | None) -> None:
    """Ask this account for no codes any more; its recovery codes end as well."""
    app = _app_of(session, user_id)
    if app is None:
        return
    if app.confirmed_at is not None:
        record(session, Action.SECOND_FACTOR_REMOVED, by=by, subject_id=user_id, details=Details(way="code"))
    session.delete(app)
    remove_recovery_codes(session, user_id)
    session.flush()


def asks_for_code(session: Session, user_id: UUID) -> bool:
    """Return whether this account needs a code after its password."""
    app = session.get(CodeApp, user_id)
    return app is not None and app.confirmed_at is not None


def use_code(session: Session, user_id: UUID, settings: Settings, code: str) -> bool:
    """Return whether the app of the account shows this code now, and accept it this once."""
    app = _app_of(session, user_id)
    return app is not None and app.confirmed_at is not None and _use_code(app, settings, code)


def _app_of(session: Session, user_id: UUID) -> CodeApp | None:
    """Return the row, locked: of two requests with the same code, the later one sees that it was used."""
    return session.get(CodeApp, user_id, with_for_update=True, populate_existing=True)


def _use_code(app: CodeApp, settings: Settings, code: str) -> bool:
    secret = _secret_of(app, settings)
    digits = "".join(code.split())
    if secret is None or len(digits) != DIGITS or not (digits.isascii() and digits.isdigit()):
        return False
    codes = pyotp.TOTP(secret)
    current = codes.timecode(now())
    for step in range(max(current - DRIFT, app.last_step + 1), current + DRIFT + 1):
        if hmac.compare_digest(codes.generate_otp(step), digits):
            app.last_step = step
            return True
    return False


def _secret_of(app: CodeApp, settings: Settings) -> str | None:
    """Return the secret, or None if the server has another key now: recovery codes still work."""
    plain = unseal(link_key(settings), app.secret, app.user_id.bytes)
    return plain.decode() if plain else None
