"""Requests that may be sent twice: the answer to a key is kept for a day, and as long as its event."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.clock import now
from app.db.models import IdempotencyKey
from app.db.upsert import insert_new
from app.errors import Conflict, Fault, Invalid
from app.services.access import Actor, require_event

KEPT = timedelta(days=1)
LONGEST_KEY = 200


def claim_key(
    session: Session, actor: Actor, key: str, fingerprint: str, event_id: UUID | None
) -> tuple[IdempotencyKey, bool]:
    """Return the row of the key and whether this request is the first to bring it."""
    if not 1 <= len(key) <= LONGEST_KEY:
        raise Invalid(Fault("Idempotency-Key", f"The Idempotency-Key needs 1 to {LONGEST_KEY} characters."))
    if event_id is not None:
        require_event(session, actor, event_id)
    session.execute(delete(IdempotencyKey).where(IdempotencyKey.created_at < now() - KEPT))
    own = {"user_id": actor.user_id, "key": key, "fingerprint": fingerprint, "event_id": event_id, "created_at": now()}
    is_first = insert_new(session, IdempotencyKey, own)
    row = session.get_one(IdempotencyKey, (actor.user_id, key))
    if row.fingerprint != fingerprint:
        raise Conflict("This Idempotency-Key was used with another request. Use a new one.")
    return row, is_first
