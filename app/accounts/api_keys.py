"""Keys for programs: make, find, revoke."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

from sqlalchemy.orm import Session

from app.accounts import queries
from app.accounts.actor import Actor
from app.accounts.scopes import ALL_SCOPES, clean_scopes
from app.accounts.users import actor_of
from app.audit.actions import Action, Details
from app.audit.record import record
from app.clock import now
from app.db import models
from app.errors import FieldError, Invalid, NotFound
from app.web.names import clean_name
from app.web.tokens import hash_token, new_token

USUAL_DAYS, MOST_DAYS = 90, 3660
MOST_KEYS = 100


def create_api_key(
    session: Session,
    actor: Actor,
    name: str,
    days: int | None = None,
    *,
    scopes: Iterable[str] = ALL_SCOPES,
    event_id: UUID | None = None,
) -> str:
    """Make an API key and return it; only its hash is stored. Without `days` it never expires."""
    if len(queries.api_keys_of(session, actor.user_id)) >= MOST_KEYS:
        raise Invalid(FieldError("name", f"You have {MOST_KEYS} keys already. Revoke one that you no longer need."))
    if event_id is not None and event_id not in {key for key, _ in queries.events_with_names(session, actor.user_id)}:
        raise Invalid(FieldError("event", "Choose one of your events."))
    token = new_token("cv_")
    key = models.ApiKey(
        user_id=actor.user_id,
        name=clean_name(name, what="The key name"),
        token_hash=hash_token(token),
        scopes=clean_scopes(scopes),
        event_id=event_id,
        expires_at=now() + timedelta(days=days) if days else None,
    )
    session.add(key)
    session.flush()
    created = Details(days=days)
    record(session, Action.KEY_CREATED, by=actor.user_id, event_id=event_id, subject_id=key.id, details=created)
    return token


def actor_of_api_key(session: Session, token: str) -> Actor | None:
    """Return on whose behalf that API key acts, and what it allows."""
    found = queries.account_of_key(session, hash_token(token), now())
    if found is None:
        return None
    user, scopes, event_id = found
    return replace(actor_of(user), scopes=frozenset(scopes.split()), only_event=event_id)


def revoke_api_key(session: Session, actor: Actor, key_id: UUID) -> None:
    """End an API key at once."""
    key = session.get(models.ApiKey, key_id)
    if key is None or key.user_id != actor.user_id or key.revoked_at is not None:
        raise NotFound("Key not found.")
    key.revoked_at = now()
    session.flush()
    record(session, Action.KEY_REVOKED, by=actor.user_id, subject_id=key.id)
