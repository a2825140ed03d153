"""One-time keys in addresses that the server prints: to sign in on this machine, and to create the first account."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.accounts import queries
from app.accounts.passwords import HashedPassword
from app.accounts.users import create_account
from app.clock import now
from app.config import Settings
from app.db import models
from app.errors import NotSignedIn
from app.web.tokens import hash_token, new_token

SIGN_IN_KEY_LIFE = timedelta(hours=24)
Purpose = Literal["local", "setup", "reset"]


def create_sign_in_key(session: Session, purpose: Purpose) -> str:
    """Make a one-time key and return it; earlier unused ones of that purpose end."""
    session.execute(
        delete(models.SignInKey).where(models.SignInKey.purpose == purpose, models.SignInKey.used_at.is_(None))
    )
    token = new_token()
    session.add(models.SignInKey(purpose=purpose, token_hash=hash_token(token), expires_at=now() + SIGN_IN_KEY_LIFE))
    session.flush()
    return token


def has_local_keys(session: Session, settings: Settings) -> bool:
    """Return whether the person at this machine signs in without a password.

    Not with a public address, where the key would be in a log of the server, and not once somebody has a password.
    """
    return settings.is_only_here and not queries.has_password_account(session)


def use_sign_in_key(session: Session, token: str, purpose: Purpose) -> None:
    """Use up a one-time key, or refuse it."""
    key = queries.unused_sign_in_key(session, hash_token(token), purpose, now())
    if key is None:
        raise NotSignedIn(
            "This sign-in address has already been used or has expired. Run “convive sign-in” to get a new one."
        )
    key.used_at = now()
    session.flush()


def may_set_up(session: Session, key: str) -> bool:
    """Return whether the set-up key still opens the form for the first account."""
    unused = queries.unused_sign_in_key(session, hash_token(key), "setup", now())
    return unused is not None and not queries.has_password_account(session)


def require_set_up_key(session: Session, key: str) -> None:
    """Refuse a set-up key that is used up, before anything is done with what was entered."""
    if not may_set_up(session, key):
        raise NotSignedIn(
            "This set-up address has already been used or has expired. Sign in, or run “convive user create”."
        )


def set_up_first_account(
    session: Session, key: str, email: str, password: HashedPassword, name: str = ""
) -> models.User:
    """Create the first account with the set-up key; bad entries leave the key as it was."""
    require_set_up_key(session, key)
    user = create_account(session, email, password, name)
    use_sign_in_key(session, key, "setup")
    return user


def has_signed_in(session: Session) -> bool:
    """Return whether anybody ever signed in with a browser."""
    return queries.has_used_key(session) or queries.has_password_account(session)
