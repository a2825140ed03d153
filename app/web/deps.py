"""What routes ask for: a session per request (the only commit of the web side) and who is asking."""

from __future__ import annotations

import asyncio
import hmac
import os
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit
from uuid import UUID

from anyio import to_thread
from fastapi import Depends, Request, Response
from sqlalchemy.orm import Session
from sqlalchemy.orm.exc import StaleDataError
from starlette.datastructures import FormData
from starlette.types import Message

from app.config import LOOPBACK_NAMES, MOST_FIELDS, Settings
from app.db.session import Sessions, transaction
from app.errors import Forbidden, NotSignedIn, Stale
from app.web.one_hop import SAFE_METHODS, InSession, InThread, OneHopRoute
from app.web.request_queue import RequestQueue
from app.web.server.admission import Doors
from app.web.tokens import form_token, unmask_token

LARGE_FORM = 128 * 1024
STREAM_PLACES = 4  # each takes some hundred megabytes for the largest matrix
LEAST_UPLOAD_PLACES = 2  # each account has one at a time, so that no account can keep all others waiting
T = TypeVar("T")


class RequestDatabase:
    """The database as requests use it: behind the doors, in a thread, in one transaction that commits at the end."""

    def __init__(self, sessions: Sessions, doors: Doors) -> None:
        self.doors = doors
        self._sessions = sessions

    async def run(self, work: Callable[[], T], *, writes: bool) -> T:
        """Do the work in a thread as soon as there is a place."""
        return await self.doors.run(work, writes=writes)

    async def read(self, work: Callable[[Session], T]) -> T:
        """Do some work in a short read-only transaction of its own."""
        return await self.doors.run(partial(self._in_session, work), writes=False)

    async def prepare(self, account: UUID | None, work: Callable[[Session], T]) -> T:
        """Do long work for an account before a write, in a read-only transaction; pages do not wait for it."""
        return await self.doors.prepare(account, partial(self._in_session, work))

    def _in_session(self, work: Callable[[Session], T]) -> T:
        with self.session(writes=False) as session:
            return work(session)

    @contextmanager
    def session(self, *, writes: bool) -> Iterator[Session]:
        """Give a session that commits at the end; reads take no write lock."""
        try:
            with transaction(self._sessions, read_only=not writes) as session:
                yield session
        except StaleDataError:
            raise Stale from None


def get_settings(request: Request) -> Settings:
    return request.app.state.settings  # type: ignore[no-any-return]  # Starlette's state is untyped


def get_sessions(request: Request) -> Sessions:
    """Return the maker of sessions, for streams that open short ones by themselves."""
    return request.app.state.sessions  # type: ignore[no-any-return]  # Starlette's state is untyped


async def get_uploads(request: Request) -> RequestQueue:
    """Return the line in which files that have arrived wait to be read."""
    state = request.app.state
    if not hasattr(state, "uploads"):
        places = get_settings(request).upload_places or max(LEAST_UPLOAD_PLACES, os.cpu_count() or 1)
        state.uploads = RequestQueue(places)
    return state.uploads  # type: ignore[no-any-return]  # Starlette's state is untyped


async def get_streams(request: Request) -> RequestQueue:
    """Return the line for large bodies, which hold a place while they arrive, however slowly: files pass it."""
    state = request.app.state
    if not hasattr(state, "streams"):
        state.streams = RequestQueue(STREAM_PLACES)
    return state.streams  # type: ignore[no-any-return]  # Starlette's state is untyped


Db = Annotated[Session, InSession()]
WritingDb = Annotated[Session, InSession(writes=lambda request: True)]
AppSettings = Annotated[Settings, InThread(get_settings)]
Uploads = Annotated[RequestQueue, Depends(get_uploads)]
Streams = Annotated[RequestQueue, Depends(get_streams)]


def session_cookie(settings: Settings) -> str:
    # Cookies know no ports: two servers on one host would sign each other out if theirs had the same name.
    port = urlsplit(settings.address).port
    return f"convive_session_{port}" if port else "convive_session"


def session_token(request: Request) -> str:
    """Return what the session's cookie holds, or nothing."""
    return request.cookies.get(session_cookie(get_settings(request)), "")


def own_address(request: Request) -> str:
    """Return where links lead: to the address that the settings name, else to the one that was asked."""
    return get_settings(request).base_url or str(request.base_url)


def is_only_here(address: str) -> bool:
    """Say whether an address opens on this computer only."""
    return urlsplit(address).hostname in LOOPBACK_NAMES


async def guard_origin(request: Request) -> None:
    """Refuse a write that another site's page sent."""
    if request.method in SAFE_METHODS:
        return
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin")
    if site not in ("same-origin", "none") or (origin and urlsplit(origin).netloc != request.headers.get("host")):
        raise Forbidden("This form was sent from another site. Open it here and try again.")


class LongFormRoute(OneHopRoute):
    """A route whose form may have a field for each guest, and fields as long as a body; others take 1,000 and 1 MiB."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Read the form with these limits first: whoever reads it later gets what is read already."""
        handle = super().get_route_handler()

        async def read_and_handle(request: Request) -> Response:
            if request.method not in SAFE_METHODS:
                await _read_long_form(request)
            return await handle(request)

        return read_and_handle


async def _read_long_form(request: Request) -> None:
    """Read the form, a large one in a thread: half a second in the event loop would hold up everyone."""
    limits = {"max_fields": MOST_FIELDS, "max_part_size": get_settings(request).max_body_bytes}
    body = await request.body()
    if len(body) <= LARGE_FORM:
        await request.form(**limits)
        return

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def parse() -> FormData:
        return await Request(request.scope, receive).form(**limits)

    request._form = await to_thread.run_sync(asyncio.run, parse())


async def guard_form(request: Request) -> None:
    """Refuse a write without the form token of this session."""
    await guard_origin(request)
    if request.method in SAFE_METHODS:
        return
    cookie = session_token(request)
    if not cookie:
        raise NotSignedIn
    sent = request.headers.get("x-form-token") or (await request.form()).get("form_token")
    if not hmac.compare_digest(unmask_token(str(sent or "")).encode(), form_token(cookie).encode()):
        raise Forbidden("This form has expired. Go back, reload the page and try again. Nothing was changed.")
