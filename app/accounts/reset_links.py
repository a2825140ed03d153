"""Links with which somebody chooses a password: after they forgot it, or for an account that they were invited to."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from uuid import UUID

from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.accounts import queries
from app.accounts.passwords import HashedPassword
from app.accounts.second_factors.factors import remove_second_factors
from app.accounts.users import change_password
from app.audit.actions import Action, Details
from app.audit.record import record
from app.clock import now
from app.config import Settings
from app.db.models import SignInKey, User
from app.errors import NotFound
from app.web.tokens import hash_token, new_token

RESET_DAYS, INVITATION_DAYS = 1, 7
MAILED_LIFE = timedelta(hours=1)


def create_reset_link(
    session: Session, user: User, settings: Settings, *, by: UUID | None, removes_factors: bool = False
) -> str:
    """Return a link that works once; earlier ones of this account end. Invited people have longer to use it.

    Codes and passkeys stay, unless it `removes_factors` when it is used.
    """
    days = RESET_DAYS if user.password_hash else INVITATION_DAYS
    is_unused = (SignInKey.purpose == "reset", SignInKey.user_id == user.id, SignInKey.used_at.is_(None))
    session.execute(delete(SignInKey).where(*is_unused))
    details = Details(days=days, way="removes-second-step" if removes_factors else None)
    record(session, Action.RECOVERY_LINK_CREATED, by=by, subject_id=user.id, details=details)
    return _new_link(session, user, settings, timedelta(days=days), removes_factors=removes_factors)


def create_mailed_link(session: Session, email: str, settings: Settings) -> str | None:
    """Return a link to send to that e-mail address, or None where no account may have one.

    Anybody can ask for it, so it ends none of the links that an administrator made.
    """
    user = queries.user_by_email(session, email)
    if user is None or user.disabled_at is not None:
        return None
    record(session, Action.RECOVERY_LINK_CREATED, by=None, subject_id=user.id)
    return _new_link(session, user, settings, MAILED_LIFE)


def _new_link(
    session: Session, user: User, settings: Settings, life: timedelta, *, removes_factors: bool = False
) -> str:
    token = new_token()
    key = SignInKey(purpose="reset", user_id=user.id, token_hash=hash_token(token), expires_at=now() + life)
    key.removes_factors = removes_factors
    session.add(key)
    session.flush()
    return f"{settings.address}/reset?key={token}"


def owner_of_link(session: Session, token: str) -> User:
    """Return whose password the link changes, or refuse it."""
    key = queries.unused_sign_in_key(session, hash_token(token), "reset", now())
    user = session.get(User, key.user_id) if key and key.user_id else None
    if user is None or user.disabled_at is not None:
        raise NotFound("This link has already been used or has expired. Ask for a new one.")
    return user


def removes_factors(session: Session, token: str) -> bool:
    """Return whether codes and passkeys are removed when the link is used."""
    key = queries.unused_sign_in_key(session, hash_token(token), "reset", now())
    return key is not None and key.removes_factors


def use_reset_link(session: Session, token: str, password: HashedPassword, *, revoked_keys: Iterable[UUID]) -> User:
    """Set the password with a link, which is used up; all sessions end, other links, and these API keys."""
    user = owner_of_link(session, token)
    key = queries.unused_sign_in_key(session, hash_token(token), "reset", now())
    if key is not None:
        key.used_at = now()
        if key.removes_factors:
            remove_second_factors(session, user.id, by=user.id)
    change_password(session, user, password, revoked_keys=revoked_keys)
    return user
