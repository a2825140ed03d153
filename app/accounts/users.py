"""Accounts: make, find, change."""

from __future__ import annotations

import re
from collections.abc import Iterable
from uuid import UUID

from sqlalchemy import delete, update
from sqlalchemy.orm import Session

from app.accounts import queries
from app.accounts.actor import Actor
from app.accounts.passwords import HashedPassword
from app.audit.actions import Action
from app.audit.record import record
from app.clock import now
from app.db import models
from app.db.models import NAME_LENGTH
from app.errors import FieldError, Invalid, NotFound
from app.web.names import clean_name, plain_email


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


def account_of(session: Session, email: str | None) -> Actor:
    """Return the account with that e-mail address, or without one the account of the person at this machine."""
    return actor_of(account_with(session, email) if email else local_user(session))


def account_with(session: Session, email: str) -> models.User:
    user = queries.user_by_email(session, plain_email(email))
    if user is None:
        raise NotFound("No account with that e-mail address.")
    return user


def called(name: str, email: str) -> str:
    """Return the name that was given, or what the address suggests: “Emma Wood” for emma.wood@example.org."""
    if name.strip():
        return clean_name(name, what="The name")
    local = email.partition("@")[0]
    words = [word for word in re.split(r"[._+\-\d]+", local) if word]
    return " ".join(word[0].upper() + word[1:] for word in words)[:NAME_LENGTH] or local[:NAME_LENGTH]


def create_account(session: Session, email: str, password: HashedPassword, name: str = "") -> models.User:
    """Make an account with a password; the first one takes over what the local person made.

    Browsers that signed in without a password are signed out: from now on everyone needs one.
    """
    email = clean_email(email)
    if queries.user_by_email(session, email):
        raise Invalid(FieldError("email", "An account with that e-mail address already exists."))
    user = queries.local_user(session)
    if user is None or user.email is not None:
        user = models.User(is_operator=user is None)
        session.add(user)
    user.email, user.name, user.password_hash = email, called(name, email), password
    session.flush()
    session.execute(delete(models.UserSession).where(models.UserSession.user_id == user.id))
    record(session, Action.ACCOUNT_CREATED, by=user.id, subject_id=user.id)
    return user


def make_operator(session: Session, email: str) -> None:
    """Let an account see the state of the installation: everyone's runs, by size and state."""
    user = account_with(session, email)
    user.is_operator = True
    session.flush()
    record(session, Action.OPERATOR_ADDED, by=None, subject_id=user.id)


def change_password(
    session: Session, user: models.User, password: HashedPassword, *, revoked_keys: Iterable[UUID] = ()
) -> None:
    """Change an account's password and sign it out everywhere.

    Known browsers, unused links to choose a password and these API keys end with it.
    Codes from an app and passkeys stay.
    """
    user.password_hash = password
    is_unused = (models.SignInKey.user_id == user.id, models.SignInKey.used_at.is_(None))
    session.execute(delete(models.SignInKey).where(*is_unused))
    for row in (models.UserSession, models.KnownBrowser, models.PendingSignIn):
        session.execute(delete(row).where(row.user_id == user.id))
    is_named = (models.ApiKey.user_id == user.id, models.ApiKey.id.in_(list(revoked_keys)))
    session.execute(update(models.ApiKey).where(*is_named).values(revoked_at=now()))
    session.flush()
    record(session, Action.PASSWORD_CHANGED, by=user.id, subject_id=user.id)


def clean_email(email: str, where: str = "email") -> str:
    """Return an e-mail address as it is stored, or refuse it."""
    email = email.strip().lower()
    name, _, host = email.partition("@")
    if not name or "." not in host or len(email) > 320 or any(c.isspace() or not c.isprintable() for c in email):
        raise Invalid(FieldError(where, "Enter an e-mail address in the correct format, such as name@example.org."))
    return email
