"""What people change about their own account: name, password, where they are signed in."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from app.accounts import queries
from app.accounts.actor import Actor
from app.accounts.api_keys import revoke_api_key
from app.accounts.known_browsers import forget_other_browsers
from app.accounts.passwords import HashedPassword
from app.accounts.sign_in import Matched
from app.accounts.users import change_password
from app.audit.actions import Action, Details
from app.audit.record import record
from app.db.models import User, UserSession
from app.errors import NotFound
from app.web.names import clean_name
from app.web.tokens import hash_token


def rename(session: Session, actor: Actor, name: str) -> None:
    """Change how an account is called; other members of its events see that name."""
    session.get_one(User, actor.user_id).name = clean_name(name, what="The name")
    session.flush()
    record(session, Action.ACCOUNT_CHANGED, by=actor.user_id, subject_id=actor.user_id)


def replace_password(
    session: Session, matched: Matched, password: HashedPassword, *, revoked_keys: Iterable[UUID]
) -> User:
    """Change your own password, unless it has changed meanwhile; this ends all sessions and these API keys."""
    user = matched.hold(session)
    change_password(session, user, password, revoked_keys=revoked_keys)
    return user


def end_one_session(session: Session, actor: Actor, session_id: UUID) -> None:
    """Sign one browser out."""
    row = session.get(UserSession, session_id)
    if row is None or row.user_id != actor.user_id:
        raise NotFound("This browser is signed out already.")
    session.delete(row)
    session.flush()
    record(session, Action.SESSIONS_ENDED, by=actor.user_id, details=Details(count=1))


def end_other_sessions(
    session: Session, actor: Actor, token: str, *, browser: str, revoked_keys: Iterable[UUID]
) -> int:
    """Sign out everywhere else, revoke these API keys, and return how many browsers were signed out.

    Only this browser is known from then on: tries with another one are slowed down as those of strangers are.
    """
    others = (UserSession.user_id == actor.user_id, UserSession.token_hash != hash_token(token))
    ended = session.scalar(select(func.count()).select_from(UserSession).where(*others)) or 0
    session.execute(delete(UserSession).where(*others))
    forget_other_browsers(session, actor.user_id, browser)
    there = {key.id for key in queries.api_keys_of(session, actor.user_id)}
    for key_id in there.intersection(revoked_keys):  # one that was revoked meanwhile keeps nobody signed in
        revoke_api_key(session, actor, key_id)
    record(session, Action.SESSIONS_ENDED, by=actor.user_id, details=Details(count=ended))
    return ended
