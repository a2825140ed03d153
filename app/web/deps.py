"""Dependencies of routes: a session per request (the only commit of the web side), settings, cookies, forms."""

from __future__ import annotations

import asyncio
import hmac
import os
from typing import Annotated, TypeVar
from urllib.parse import urlsplit

from anyio import to_thread
from fastapi import Depends, Request, Response
from sqlalchemy.orm import Session
from starlette.datastructures import FormData
from starlette.types import Message

from app.config import LOOPBACK_NAMES, MOST_FIELDS, Settings
from app.db.session import Sessions
from app.errors import Forbidden, NotSignedIn
from app.web.one_hop import SAFE_METHODS, InSession, InThread, OneHopRoute
from app.web.request_queue import RequestQueue
from app.web.tokens import form_token, unmask_token

LARGE_FORM = 128 * 1024
STREAM_PLACES = 4  # each takes some hundred megabytes for the largest matrix
LEAST_UPLOAD_PLACES = 2  # each account has one at a time, so that no account can keep all others waiting
T = TypeVar("T")


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
    return cookie_name(settings, "session")


def cookie_name(settings: Settings, what: str) -> str:
    """Return the name of a cookie; with HTTPS no other site of the same domain can set it."""
    # Cookies ignore ports: two servers on one host would sign each other out if theirs had the same name.
    port = urlsplit(settings.address).port
    return f"{'__Host-' if settings.is_https else ''}convive_{what}{f'_{port}' if port else ''}"


def set_secret_cookie(
    response: Response, request: Request, what: str, value: str, days: int = 0, *, seconds: int = 0
) -> None:
    """Give the browser a secret that scripts and other sites never get to see."""
    settings = get_settings(request)
    is_secure = settings.is_https or request.url.scheme == "https"
    response.set_cookie(
        cookie_name(settings, what),
        value,
        max_age=days * 24 * 60 * 60 + seconds,
        path="/",
        httponly=True,
        samesite="lax",
        secure=is_secure,
    )


def drop_cookie(response: Response, request: Request, what: str) -> None:
    settings = get_settings(request)
    response.delete_cookie(
        cookie_name(settings, what), path="/", httponly=True, samesite="lax", secure=settings.is_https
    )


def session_token(request: Request) -> str:
    """Return what the session's cookie holds, or nothing."""
    return request.cookies.get(session_cookie(get_settings(request)), "")


def own_address(request: Request) -> str:
    """Return where links lead: to the address that the settings name, else to the one that was asked."""
    return get_settings(request).base_url or str(request.base_url)


def is_only_here(request: Request) -> bool:
    """Return whether links, and so QR codes, open on the computer of the server only."""
    return urlsplit(own_address(request)).hostname in LOOPBACK_NAMES


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

    async def read_body(self, request: Request) -> None:
        """Read the form with these limits first: whoever reads it later gets what is read already."""
        if request.method not in SAFE_METHODS:
            await _read_long_form(request)


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
