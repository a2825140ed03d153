"""Entering the password again before a risky action: exporting everything, deletion, new API keys."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from fastapi import Request
from sqlalchemy.orm import Session

from app.accounts import queries
from app.accounts.current_user import CurrentUser
from app.clock import now
from app.db.models import User
from app.errors import ConfirmFirst
from app.web.deps import Db, session_token
from app.web.one_hop import InThread
from app.web.tokens import hash_token

RECENT = timedelta(minutes=10)


def require_recent(request: Request, session: Db, actor: CurrentUser) -> None:
    """Refuse if the password was last entered more than ten minutes ago; accounts without a password pass."""
    if needs_confirmation(session, session.get_one(User, actor.user_id), session_token(request)):
        raise ConfirmFirst


def needs_confirmation(session: Session, user: User, token: str) -> bool:
    """Return whether this session has to confirm who it is first."""
    if user.password_hash is None and not queries.has_openid(session, user.id):
        return False
    row = queries.session_by_hash(session, hash_token(token))
    return row is None or row.authenticated_at + RECENT < now()


def confirm_session(session: Session, token: str) -> None:
    """Note that the password was entered just now."""
    row = queries.session_by_hash(session, hash_token(token))
    if row is not None:
        row.authenticated_at = now()
        session.flush()


RecentlyConfirmed = Annotated[None, InThread(require_recent)]
