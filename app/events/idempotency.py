"""Requests that may be sent twice: the answer to a key is kept for a day, and as long as its event."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Header, Request, Response
from pydantic import BaseModel
from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.accounts.current_user import ApiUser
from app.clock import now
from app.db.models import IdempotencyKey
from app.db.upsert import insert_new
from app.errors import Conflict, FieldError, Invalid
from app.events.context import open_event
from app.web.deps import Db
from app.web.json_api.conditional import LONGEST_KEY
from app.web.one_hop import InThread

KEPT = timedelta(days=1)


def claim_key(
    session: Session, actor: Actor, key: str, fingerprint: str, event_id: UUID | None
) -> tuple[IdempotencyKey, bool]:
    """Return the row of the key and whether this request is the first to bring it."""
    if not 1 <= len(key) <= LONGEST_KEY:
        raise Invalid(FieldError("Idempotency-Key", f"The Idempotency-Key must have 1 to {LONGEST_KEY} characters."))
    if event_id is not None:
        open_event(session, actor, event_id)
    session.execute(delete(IdempotencyKey).where(IdempotencyKey.created_at < now() - KEPT))
    own = {"user_id": actor.user_id, "key": key, "fingerprint": fingerprint, "event_id": event_id, "created_at": now()}
    is_first = insert_new(session, IdempotencyKey, own)
    row = session.get_one(IdempotencyKey, (actor.user_id, key))
    if row.fingerprint != fingerprint:
        raise Conflict("This Idempotency-Key was already used for a different request. Use a new one.")
    return row, is_first


class Replay(Exception):
    """The same request was answered before; the answer of then is the answer now."""

    def __init__(self, response: Response) -> None:
        self.response = response
        super().__init__("answered before")


async def request_digest(request: Request) -> str:
    """Return what distinguishes this request from others; nothing where it brings no Idempotency-Key."""
    if "idempotency-key" not in request.headers:
        return ""
    head = f"{request.method} {request.url.path}?{request.url.query}\n".encode()
    return hashlib.sha256(head + await request.body()).hexdigest()


class Once:
    """Answers a POST, and remembers the answer when the client sent an Idempotency-Key."""

    def __init__(self, session: Session, row: IdempotencyKey | None) -> None:
        self._session, self._row = session, row

    def answer(
        self, body: BaseModel | None, *, location: str | None = None, status: int = 201, version: str | None = None
    ) -> Response:
        """Return the answer; a repeat of the request will get the same one."""
        text = "" if body is None else body.model_dump_json()
        if self._row is not None:
            self._row.status, self._row.location, self._row.etag, self._row.body = status, location, version, text
            self._session.flush()
        return _json(text, status, location, version)


def once(
    request: Request,
    session: Db,
    actor: ApiUser,
    digest: Annotated[str, Depends(request_digest)],
    idempotency_key: Annotated[str | None, Header()] = None,
) -> Once:
    """Claim the Idempotency-Key in this transaction, or replay the answer it already has."""
    return claim_once(session, actor, idempotency_key, digest, _event_id(request))


def claim_once(session: Session, actor: Actor, key: str | None, digest: str, event_id: UUID | None = None) -> Once:
    """Claim a key in this transaction, or replay the answer it already has."""
    if key is None:
        return Once(session, None)
    row, is_first = claim_key(session, actor, key, digest, event_id)
    if is_first:
        return Once(session, row)
    raise _replay(row)


def replay_known(session: Session, user_id: UUID, key: str, digest: str) -> None:
    """Replay the answer that a key already has to the same request; writes nothing."""
    row = session.get(IdempotencyKey, (user_id, key))
    if row is not None and row.fingerprint == digest and row.created_at >= now() - KEPT:
        raise _replay(row)


def _replay(row: IdempotencyKey) -> Replay:
    return Replay(_json(row.body or "", row.status or 200, row.location, row.etag))


def _event_id(request: Request) -> UUID | None:
    value = request.path_params.get("event_id")
    return UUID(str(value)) if value else None


def _json(text: str, status: int, location: str | None, version: str | None) -> Response:
    headers = {name: value for name, value in (("Location", location), ("ETag", version)) if value}
    if status == 204:
        return Response(status_code=status, headers=headers)
    return Response(text, status, headers=headers, media_type="application/json")


OnlyOnce = Annotated[Once, InThread(once)]
