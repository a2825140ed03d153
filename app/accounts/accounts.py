"""Accounts, sign-in and keys."""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from typing import Literal
from uuid import UUID

from pwdlib import PasswordHash
from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.accounts import queries
from app.accounts.actor import Actor
from app.accounts.attempts import clear_attempts, count_attempt
from app.audit.actions import Action, Details
from app.audit.record import record
from app.clock import now
from app.db import models
from app.errors import FieldError, Invalid, NotFound, NotSignedIn
from app.web.names import clean_name, without_controls
from app.web.tokens import hash_token, new_token

SIGN_IN_KEY_LIFE = timedelta(hours=24)
SHORTEST_PASSWORD = 10
TRIES_WINDOW = timedelta(minutes=15)
MOST_TRIES, MOST_TRIES_OF_A_CLIENT = 10, 50
Purpose = Literal["local", "setup"]


@cache
def _passwords() -> PasswordHash:
    return PasswordHash.recommended()


def local_user(session: Session) -> models.User:
    """Return the account of the person at this machine, made at the first call."""
    user = queries.local_user(session)
    if user is None:
        user = models.User(name="You", is_operator=True)
        session.add(user)
        session.flush()
    return user


def actor_of(user: models.User) -> Actor:
    return Actor(user.id, user.name or user.email or "You", user.is_operator)


def create_sign_in_key(session: Session, purpose: Purpose) -> str:
    """Make a one-time key and return it; earlier unused ones of that purpose end."""
    session.execute(
        delete(models.SignInKey).where(models.SignInKey.purpose == purpose, models.SignInKey.used_at.is_(None))
    )
    token = new_token()
    session.add(models.SignInKey(purpose=purpose, token_hash=hash_token(token), expires_at=now() + SIGN_IN_KEY_LIFE))
    session.flush()
    return token


def use_sign_in_key(session: Session, token: str, purpose: Purpose) -> None:
    """Use up a one-time key, or refuse it."""
    key = queries.unused_sign_in_key(session, hash_token(token), purpose, now())
    if key is None:
        raise NotSignedIn(
            "This sign-in address has already been used or has expired. Run “convive sign-in” to get a new one."
        )
    key.used_at = now()
    session.flush()


def set_up_first_account(session: Session, key: str, email: str, password: str) -> models.User:
    """Create the first account with the set-up key; bad entries leave the key as it was."""
    if not may_set_up(session, key):
        raise NotSignedIn(
            "This set-up address has already been used or has expired. Sign in, or run “convive user create”."
        )
    user = create_account(session, email, password)
    use_sign_in_key(session, key, "setup")
    return user


def may_set_up(session: Session, key: str) -> bool:
    """Tell whether the set-up key still opens the form for the first account."""
    unused = queries.unused_sign_in_key(session, hash_token(key), "setup", now())
    return unused is not None and not queries.has_password_account(session)


def has_signed_in(session: Session) -> bool:
    """Tell whether anybody ever signed in with a browser."""
    return queries.has_used_key(session) or queries.has_password_account(session)


def start_session(session: Session, user: models.User, days: int) -> str:
    """Sign a browser in and return the secret for its cookie."""
    session.execute(delete(models.UserSession).where(models.UserSession.expires_at < now()))
    token = new_token()
    session.add(
        models.UserSession(user_id=user.id, token_hash=hash_token(token), expires_at=now() + timedelta(days=days))
    )
    session.flush()
    return token


def end_session(session: Session, token: str) -> None:
    row = queries.session_by_hash(session, hash_token(token))
    if row is not None:
        session.delete(row)
        session.flush()


def actor_of_session(session: Session, token: str) -> Actor | None:
    """Return who is signed in with that cookie."""
    user = queries.user_with(session, queries.USER_OF_SESSION, hash_token(token), now())
    return actor_of(user) if user else None


def actor_of_api_key(session: Session, token: str) -> Actor | None:
    """Return on whose behalf that API key acts."""
    user = queries.user_with(session, queries.USER_OF_API_KEY, hash_token(token), now())
    return actor_of(user) if user else None


def create_api_key(session: Session, actor: Actor, name: str, days: int | None = None) -> str:
    """Make an API key and return it; only its hash is stored."""
    token = new_token("cv_")
    name = clean_name(name, what="The key name")
    end = now() + timedelta(days=days) if days else None
    key = models.ApiKey(user_id=actor.user_id, name=name, token_hash=hash_token(token), expires_at=end)
    session.add(key)
    session.flush()
    record(session, Action.KEY_CREATED, by=actor.user_id, subject_id=key.id, details=Details(days=days))
    return token


def revoke_api_key(session: Session, actor: Actor, key_id: UUID) -> None:
    """End an API key at once."""
    key = session.get(models.ApiKey, key_id)
    if key is None or key.user_id != actor.user_id or key.revoked_at is not None:
        raise NotFound("Key not found.")
    key.revoked_at = now()
    session.flush()
    record(session, Action.KEY_REVOKED, by=actor.user_id, subject_id=key.id)


def account_of(session: Session, email: str | None) -> Actor:
    """Return the account with that e-mail address, or without one the account of the person at this machine."""
    return actor_of(_account_with(session, email) if email else local_user(session))


def create_account(session: Session, email: str, password: str) -> models.User:
    """Make an account with a password; the first one takes over what the local person made."""
    email = _clean_email(email)
    _check_password(password)
    if queries.user_by_email(session, email):
        raise Invalid(FieldError("email", "An account with that e-mail address already exists."))
    user = queries.local_user(session)
    if user is None or user.email is not None:
        user = models.User(is_operator=user is None)
        session.add(user)
    user.email, user.name, user.password_hash = email, email.split("@")[0], _passwords().hash(password)
    session.flush()
    return user


def make_operator(session: Session, email: str) -> None:
    """Let an account see how the installation is doing: the runs of everybody, by size and state."""
    _account_with(session, email).is_operator = True
    session.flush()


def change_password(session: Session, email: str, password: str) -> None:
    """Change an account's password and sign it out everywhere."""
    _check_password(password)
    user = _account_with(session, email)
    user.password_hash = _passwords().hash(password)
    session.execute(delete(models.UserSession).where(models.UserSession.user_id == user.id))
    session.flush()


def _account_with(session: Session, email: str) -> models.User:
    user = queries.user_by_email(session, email.strip().lower())
    if user is None:
        raise NotFound("No account with that e-mail address.")
    return user


def check_password(session: Session, email: str, password: str, *, client: str) -> models.User:
    """Return the account that the e-mail address and password open, or refuse both alike."""
    email = without_controls(email).strip().lower()
    subject = f"sign-in:{email[:150]}"
    count_attempt(session, f"sign-in from:{client[:150]}", most=MOST_TRIES_OF_A_CLIENT, window=TRIES_WINDOW)
    count_attempt(session, subject, most=MOST_TRIES, window=TRIES_WINDOW)
    user = queries.user_by_email(session, email)
    stored = user.password_hash if user and user.password_hash else _decoy_hash()
    if not _passwords().verify(password, stored) or user is None or user.password_hash is None:
        raise NotSignedIn("Incorrect e-mail or password.")
    clear_attempts(session, subject)
    return user


@cache
def _decoy_hash() -> str:
    # Checked when the account does not exist, so that the time taken does not tell.
    return _passwords().hash(new_token())


def _clean_email(email: str) -> str:
    email = email.strip().lower()
    name, _, host = email.partition("@")
    if not name or "." not in host or len(email) > 320 or any(c.isspace() or not c.isprintable() for c in email):
        raise Invalid(FieldError("email", "Enter an e-mail address in the correct format, such as name@example.org."))
    return email


def _check_password(password: str) -> None:
    if len(password) < SHORTEST_PASSWORD:
        raise Invalid(FieldError("password", f"The password must have at least {SHORTEST_PASSWORD} characters."))
    if len(password) > 1000:
        raise Invalid(FieldError("password", "The password must have 1,000 characters or fewer."))
