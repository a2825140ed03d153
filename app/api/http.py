"""What the routes of the API share: versions, pages and answers that may be asked for twice."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Annotated, Any, Protocol
from uuid import UUID

from fastapi import Depends, Header, Query, Request, Response
from pydantic import BaseModel
from sqlalchemy.orm import Session

from app.db.models import IdempotencyKey
from app.deps import ApiWho, Db
from app.errors import Stale, VersionMissing
from app.one_hop import InThread
from app.services.idempotency import claim_key

IF_MATCH = "The ETag of what you are changing, as you read it; * changes whatever is there"


class HasVersion(Protocol):
    """A row that people edit."""

    @property
    def version(self) -> Any:
        """Its present version."""


def etag(row: HasVersion) -> str:
    """Return the ETag of a row's present version."""
    return f'"{row.version}"'


@dataclass(frozen=True)
class IfMatch:
    """The version that the client means to change, if it sent one."""

    value: str | None

    def check(self, row: HasVersion) -> None:
        """Refuse when the row has been changed since the client read it, or when the client sent no version."""
        if self.value is None:
            raise VersionMissing
        tags = [tag.strip().removeprefix("W/") for tag in self.value.split(",")]
        if "*" not in tags and etag(row) not in tags:
            raise Stale


async def read_if_match(if_match: Annotated[str | None, Header(description=IF_MATCH)] = None) -> IfMatch:
    """Take the If-Match header; whether it is missing counts only for who may change the row."""
    return IfMatch(if_match)


Match = Annotated[IfMatch, Depends(read_if_match)]
Limit = Annotated[int, Query(ge=1, le=1000, description="How many at most")]
After = Annotated[UUID | None, Query(description="The `next` of the page before")]


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
    actor: ApiWho,
    digest: Annotated[str, Depends(request_digest)],
    idempotency_key: Annotated[str | None, Header()] = None,
) -> Once:
    """Claim the Idempotency-Key in this transaction, or replay the answer it already has."""
    if idempotency_key is None:
        return Once(session, None)
    row, is_first = claim_key(session, actor, idempotency_key, digest, _event_id(request))
    if is_first:
        return Once(session, row)
    raise Replay(_json(row.body or "", row.status or 200, row.location, row.etag))


def _event_id(request: Request) -> UUID | None:
    value = request.path_params.get("event_id")
    return UUID(str(value)) if value else None


def _json(text: str, status: int, location: str | None, version: str | None) -> Response:
    headers = {name: value for name, value in (("Location", location), ("ETag", version)) if value}
    if status == 204:
        return Response(status_code=status, headers=headers)
    return Response(text, status, headers=headers, media_type="application/json")


OnlyOnce = Annotated[Once, InThread(once)]
