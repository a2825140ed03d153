"""What the account page shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Session

from app.accounts import queries
from app.accounts.api_keys import USUAL_DAYS
from app.accounts.scopes import ALL_SCOPES
from app.accounts.second_factors.code_apps import asks_for_code
from app.accounts.second_factors.passkeys import passkeys_of
from app.accounts.second_factors.recovery_codes import count_recovery_codes
from app.clock import now
from app.db.models import ApiKey, Passkey, User, UserSession
from app.errors import FieldError
from app.sentences import list_in_words
from app.web.html.filters import moment
from app.web.tokens import hash_token

SCOPE_TEXT = {
    "read": ("Read", "See everything that you can see, except addresses of links and invitations"),
    "write": ("Write", "Change guests, ratings, tables, rules and plans"),
    "solve": ("Solve", "Start, follow and cancel runs; without Write, a plan waits while open links show another one"),
}


@dataclass(frozen=True)
class SessionLine:
    """Where the account is signed in."""

    id: UUID
    device: str
    network: str
    last_used: str
    is_this: bool


@dataclass(frozen=True)
class KeyLine:
    """An API key."""

    id: UUID
    name: str
    scopes: str
    event: str
    expires: str
    last_used: str


@dataclass(frozen=True)
class PasskeyLine:
    """A passkey."""

    id: UUID
    name: str
    added: str
    last_used: str


@dataclass(frozen=True)
class KeyForm:
    """What was entered for a new key."""

    name: str = ""
    scopes: Sequence[str] = ALL_SCOPES[:1]
    event: str = ""
    days: str = str(USUAL_DAYS)


@dataclass(frozen=True)
class AccountPage:
    """An account as its owner sees it."""

    name: str
    email: str
    has_password: bool
    sessions: Sequence[SessionLine]
    keys: Sequence[KeyLine]
    events: Sequence[tuple[str, str]]
    key_form: KeyForm
    asks_for_code: bool
    recovery_codes: int
    passkeys: Sequence[PasskeyLine]
    passkey_origin: str
    scope_text: dict[str, tuple[str, str]] = field(default_factory=lambda: SCOPE_TEXT)
    new_key: str = ""
    provider: str = ""
    has_openid: bool = False
    message: str = ""
    faults: Sequence[FieldError] = field(default_factory=tuple)


def show_account(
    session: Session,
    user_id: UUID,
    token: str,
    *,
    passkey_origin: str = "",
    name: str | None = None,
    key_form: KeyForm | None = None,
    new_key: str = "",
    provider: str = "",
    message: str = "",
    faults: Sequence[FieldError] = (),
) -> AccountPage:
    """Return the page of an account, opened with this session."""
    user = session.get_one(User, user_id)
    events = queries.events_with_names(session, user_id)
    return AccountPage(
        name=user.name if name is None else name,
        email=user.email or "",
        has_password=user.password_hash is not None,
        sessions=[_session_line(row, token) for row in queries.sessions_of(session, user_id, now())],
        keys=[_key_line(row, dict(events)) for row in queries.api_keys_of(session, user_id)],
        events=[("", "All events"), *((str(key), event) for key, event in events)],
        key_form=key_form or KeyForm(),
        asks_for_code=asks_for_code(session, user_id),
        recovery_codes=count_recovery_codes(session, user_id),
        passkeys=[_passkey_line(row) for row in passkeys_of(session, user_id)],
        passkey_origin=passkey_origin,
        new_key=new_key,
        provider=provider,
        has_openid=bool(provider) and queries.has_openid(session, user_id),
        message=message,
        faults=faults,
    )


def _session_line(row: UserSession, token: str) -> SessionLine:
    is_this = row.token_hash == hash_token(token)
    return SessionLine(row.id, row.device or "Unknown browser", row.network, moment(row.last_used_at), is_this)


def _passkey_line(row: Passkey) -> PasskeyLine:
    return PasskeyLine(row.id, row.name, moment(row.created_at), moment(row.last_used_at))


def _key_line(row: ApiKey, events: dict[UUID, str]) -> KeyLine:
    scopes = list_in_words([SCOPE_TEXT[scope][0].lower() for scope in row.scopes.split()]).capitalize()
    event = events.get(row.event_id, "an event you left") if row.event_id else ""
    return KeyLine(row.id, row.name, scopes, event, _expiry(row.expires_at), moment(row.last_used_at))


def _expiry(at: datetime | None) -> str:
    if at is None:
        return "Never expires"
    return f"Expired on {moment(at)}" if at < now() else f"Expires on {moment(at)}"
