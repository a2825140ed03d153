"""Reads of users, sessions and keys."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import bindparam, func, or_, select
from sqlalchemy.orm import Session

from app.db.models import ApiKey, Event, Member, OpenIdIdentity, SignInKey, User, UserSession
from app.db.session import is_read_only

# Built once: every request asks one of these, and building a query takes as long as running it.
_OF_SESSION = (
    select(User)
    .join(UserSession, UserSession.user_id == User.id)
    .where(
        UserSession.token_hash == bindparam("token_hash"),
        UserSession.expires_at > bindparam("at"),
        UserSession.idle_until > bindparam("at"),
        User.disabled_at.is_(None),
    )
)
_OF_API_KEY = (
    select(User, ApiKey.scopes, ApiKey.event_id)
    .join(ApiKey, ApiKey.user_id == User.id)
    .where(
        ApiKey.token_hash == bindparam("token_hash"),
        ApiKey.revoked_at.is_(None),
        or_(ApiKey.expires_at.is_(None), ApiKey.expires_at > bindparam("at")),
        User.disabled_at.is_(None),
    )
)


def local_user(session: Session) -> User | None:
    """Return the oldest account, which is the one of the person at this machine."""
    return session.scalars(select(User).order_by(User.id).limit(1)).first()


def user_by_email(session: Session, email: str) -> User | None:
    return session.scalars(select(User).where(User.email == email)).one_or_none()


def has_password_account(session: Session) -> bool:
    return bool(session.scalar(select(func.count()).where(User.password_hash.is_not(None))))


def has_openid(session: Session, user_id: UUID) -> bool:
    """Return whether an account is connected to a provider."""
    return session.scalar(select(OpenIdIdentity.subject).where(OpenIdIdentity.user_id == user_id)) is not None


def has_used_key(session: Session) -> bool:
    return bool(session.scalar(select(func.count()).where(SignInKey.used_at.is_not(None))))


def session_by_hash(session: Session, token_hash: str) -> UserSession | None:
    """Return the row of a signed-in browser."""
    return session.scalars(select(UserSession).where(UserSession.token_hash == token_hash)).one_or_none()


def user_of_session(session: Session, token_hash: str, at: datetime) -> User | None:
    """Return whose session that is, if it is still valid."""
    return session.scalars(_OF_SESSION, {"token_hash": token_hash, "at": at}).one_or_none()


def account_of_key(session: Session, token_hash: str, at: datetime) -> tuple[User, str, UUID | None] | None:
    """Return whose API key that is, its scopes and the only event that it works for, if it is still valid."""
    row = session.execute(_OF_API_KEY, {"token_hash": token_hash, "at": at}).one_or_none()
    return (row[0], row[1], row[2]) if row else None


def sessions_of(session: Session, user_id: UUID, at: datetime) -> Sequence[UserSession]:
    """Return where an account is signed in, the one used last first."""
    query = select(UserSession).where(UserSession.user_id == user_id, UserSession.idle_until > at)
    return session.scalars(query.order_by(UserSession.last_used_at.desc(), UserSession.id)).all()


def events_with_names(session: Session, user_id: UUID) -> list[tuple[UUID, str]]:
    """Return the id and name of each event of an account, the newest first."""
    query = select(Event.id, Event.name).join(Member, Member.event_id == Event.id).where(Member.user_id == user_id)
    return [(row[0], row[1]) for row in session.execute(query.order_by(Event.id.desc()))]


def api_keys_of(session: Session, user_id: UUID) -> Sequence[ApiKey]:
    """Return the API keys of an account that were not revoked, the oldest first."""
    query = select(ApiKey).where(ApiKey.user_id == user_id, ApiKey.revoked_at.is_(None)).order_by(ApiKey.id)
    return session.scalars(query).all()


def unused_sign_in_key(session: Session, token_hash: str, purpose: str, at: datetime) -> SignInKey | None:
    """Return the one-time key if it can still be used, and hold it for whoever writes.

    To hold it while only reading would fail on PostgreSQL whenever somebody else uses it at that moment.
    """
    query = select(SignInKey).where(
        SignInKey.token_hash == token_hash,
        SignInKey.purpose == purpose,
        SignInKey.used_at.is_(None),
        SignInKey.expires_at > at,
    )
    return session.scalars(query if is_read_only(session) else query.with_for_update()).one_or_none()


def hold_accounts(session: Session, user_ids: Collection[UUID]) -> dict[UUID, User]:
    """Return these accounts as they are now, held until the transaction ends; whoever holds events held them before."""
    query = select(User).where(User.id.in_(user_ids)).order_by(User.id).with_for_update(key_share=True)
    found = session.scalars(query, execution_options={"populate_existing": True})
    return {user.id: user for user in found}
