"""Keys for programs: make, find, revoke."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from sqlalchemy.orm import Session

from app.accounts import queries
from app.accounts.actor import Actor
from app.accounts.users import actor_of
from app.audit.actions import Action, Details
from app.audit.record import record
from app.clock import now
from app.db import models
from app.errors import NotFound
from app.web.names import clean_name
from app.web.tokens import hash_token, new_token


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


def actor_of_api_key(session: Session, token: str) -> Actor | None:
    """Return on whose behalf that API key acts."""
    user = queries.user_with(session, queries.USER_OF_API_KEY, hash_token(token), now())
    return actor_of(user) if user else None


def revoke_api_key(session: Session, actor: Actor, key_id: UUID) -> None:
    """End an API key at once."""
    key = session.get(models.ApiKey, key_id)
    if key is None or key.user_id != actor.user_id or key.revoked_at is not None:
        raise NotFound("Key not found.")
    key.revoked_at = now()
    session.flush()
    record(session, Action.KEY_REVOKED, by=actor.user_id, subject_id=key.id)
