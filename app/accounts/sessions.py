"""Signed-in browsers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.accounts import queries
from app.accounts.actor import Actor
from app.accounts.users import actor_of
from app.clock import now
from app.db import models
from app.errors import NotSignedIn
from app.web.tokens import hash_token, new_token


@dataclass(frozen=True)
class SignedInFrom:
    """Where somebody signs in, as it is stored: the browser in words, and the network of the address."""

    device: str = ""
    network: str = ""


UNKNOWN = SignedInFrom()


def start_session(
    session: Session,
    user: models.User,
    days: int,
    *,
    idle_days: int | None = None,
    signed_in_from: SignedInFrom = UNKNOWN,
) -> str:
    """Sign a browser in and return the secret for its cookie; it ends after `days`, or unused after `idle_days`.

    The account is held: whoever disables it or changes its password at this moment ends this session, too.
    """
    held = queries.hold_accounts(session, [user.id]).get(user.id)
    if held is None or held.disabled_at is not None:
        raise NotSignedIn("This account was disabled or deleted a moment ago.")
    at = now()
    session.execute(delete(models.UserSession).where(models.UserSession.idle_until < at))
    token = new_token()
    row = models.UserSession(
        user_id=user.id,
        token_hash=hash_token(token),
        expires_at=at + timedelta(days=days),
        idle_until=at + timedelta(days=min(days, idle_days or days)),
        device=signed_in_from.device,
        network=signed_in_from.network,
    )
    session.add(row)
    session.flush()
    return token


def end_session(session: Session, token: str) -> None:
    row = queries.session_by_hash(session, hash_token(token))
    if row is not None:
        session.delete(row)
        session.flush()


def actor_of_session(session: Session, token: str) -> Actor | None:
    """Return who is signed in with that cookie."""
    user = queries.user_of_session(session, hash_token(token), now())
    return actor_of(user) if user else None
