"""Who is asking: the account behind a session cookie or an API key."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.accounts.api_keys import actor_of_api_key
from app.accounts.scopes import check_key
from app.accounts.sessions import actor_of_session
from app.errors import NotSignedIn
from app.web.deps import Db, Streams, session_token
from app.web.one_hop import SAFE_METHODS, InThread, read_database
from app.web.request_queue import RequestQueue
from app.web.tokens import hash_token


def signed_in(request: Request, session: Db) -> Actor:
    """Return who is signed in with this browser."""
    actor = actor_of_session(session, session_token(request))
    if actor is None:
        raise NotSignedIn
    request.state.actor = actor
    request.app.state.last_use.of_session(hash_token(session_token(request)))
    return actor


bearer = HTTPBearer(auto_error=False, scheme_name="API key", description="Create one with “convive key create”.")


Bearer = Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]


def api_key(request: Request) -> str:
    """Return the API key in the Authorization header, or nothing."""
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else ""


def with_api_key(request: Request, session: Db, _: Bearer = None) -> Actor:
    """Return on whose behalf the API key in the Authorization header acts."""
    actor = actor_of_api_key(session, api_key(request))
    if actor is None:
        raise NotSignedIn(
            "Send a valid API key as “Authorization: Bearer <key>”. Create one with “convive key create”."
        )
    check_key(request, actor)
    request.app.state.last_use.of_key(hash_token(api_key(request)))
    return actor


async def known_person(request: Request) -> UUID:
    """Return the account that is signed in; refuse whoever is not, before anything large is read."""
    return (await read_database(request, partial(signed_in, request))).user_id


async def known_caller(request: Request) -> UUID:
    """Return the account of the API key; refuse whoever has no valid one, before anything large is read."""
    return (await read_database(request, partial(with_api_key, request))).user_id


@dataclass(frozen=True)
class Credential:
    """What a stream was opened with, and how to find out who that is now."""

    find: Callable[[Session, str], Actor | None]
    token: str

    def actor(self, session: Session) -> Actor | None:
        """Return the account it belongs to, unless it was revoked or has expired."""
        return self.find(session, self.token)


async def by_cookie(request: Request) -> Credential:
    """Return what says who is signed in with this browser, for a stream to check again and again."""
    return Credential(actor_of_session, session_token(request))


async def by_api_key(request: Request, _: Bearer) -> Credential:
    """Return what says on whose behalf the API key acts, for a stream to check again and again."""
    return Credential(actor_of_api_key, api_key(request))


CurrentUser = Annotated[Actor, InThread(signed_in, is_guard=True)]
BrowserCredential = Annotated[Credential, Depends(by_cookie)]
ApiUser = Annotated[Actor, InThread(with_api_key, is_guard=True)]
ApiCredential = Annotated[Credential, Depends(by_api_key)]
Account = Annotated[UUID, Depends(known_person)]
ApiAccount = Annotated[UUID, Depends(known_caller)]


async def hold_place(request: Request, streams: Streams, account: Account) -> AsyncIterator[None]:
    """Let a person send one large body at a time, from before it is read until the answer: it stays in memory."""
    async with _place(request, streams, account):
        yield


async def hold_api_place(request: Request, streams: Streams, account: ApiAccount) -> AsyncIterator[None]:
    """Let a program send one large body at a time, from before it is read until the answer: it stays in memory."""
    async with _place(request, streams, account):
        yield


def _place(request: Request, streams: RequestQueue, account: UUID) -> AbstractAsyncContextManager[None]:
    return nullcontext() if request.method in SAFE_METHODS else streams.place(account)


LargeBody = Annotated[None, Depends(hold_place)]
ApiLargeBody = Annotated[None, Depends(hold_api_place)]
