"""What routes ask for: a session per request (the only commit of the web side) and who is asking."""

from __future__ import annotations

import hmac
import os
from collections.abc import Callable, Coroutine, Iterator
from functools import partial
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import Depends, Request, Response
from fastapi.routing import APIRoute
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy.orm import Session
from sqlalchemy.orm.exc import StaleDataError

from app.config import Settings
from app.db.session import Sessions, transaction
from app.errors import Forbidden, NotSignedIn, Stale
from app.formats.upload_queue import UploadQueue
from app.services.access import Actor
from app.services.accounts import actor_of_api_key, actor_of_session
from app.services.guest_entries import MAX_GUESTS
from app.services.runs import Asker, Engine
from app.services.tokens import form_token

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
MOST_FIELDS = MAX_GUESTS + 100
STREAM_PLACES = 4  # each takes up to 300 MB, for the numbers of the largest matrix
LEAST_UPLOAD_PLACES = 2  # each account has one at a time, so that no account can keep all others waiting


def get_settings(request: Request) -> Settings:
    """Return the settings of this server."""
    return request.app.state.settings  # type: ignore[no-any-return]  # Starlette's state is untyped


def get_sessions(request: Request) -> Sessions:
    """Return the maker of sessions, for streams that open short ones by themselves."""
    return request.app.state.sessions  # type: ignore[no-any-return]  # Starlette's state is untyped


def get_engine(request: Request) -> Engine:
    """Return the engine that carries runs to a worker."""
    return request.app.state.engine  # type: ignore[no-any-return]  # Starlette's state is untyped


async def get_uploads(request: Request) -> UploadQueue:
    """Return the line in which files that have arrived wait to be read."""
    state = request.app.state
    if not hasattr(state, "uploads"):
        places = get_settings(request).upload_places or max(LEAST_UPLOAD_PLACES, os.cpu_count() or 1)
        state.uploads = UploadQueue(places)
    return state.uploads  # type: ignore[no-any-return]  # Starlette's state is untyped


async def get_streams(request: Request) -> UploadQueue:
    """Return the line for what is read while it arrives, however slowly: a line of its own, so that files pass it."""
    state = request.app.state
    if not hasattr(state, "streams"):
        state.streams = UploadQueue(STREAM_PLACES)
    return state.streams  # type: ignore[no-any-return]  # Starlette's state is untyped


def get_session(request: Request) -> Iterator[Session]:
    """Give the session of this request; reads take no write lock."""
    try:
        with transaction(get_sessions(request), read_only=request.method in SAFE_METHODS) as session:
            yield session
    except StaleDataError:
        raise Stale from None


def get_writing_session(request: Request) -> Iterator[Session]:
    """Give a session that may write, for the one GET that does: the sign-in address."""
    with transaction(get_sessions(request)) as session:
        yield session


# With the default scope the commit could come after the response was sent, and a redirect would miss it.
Db = Annotated[Session, Depends(get_session, scope="function")]
WritingDb = Annotated[Session, Depends(get_writing_session, scope="function")]
AppSettings = Annotated[Settings, Depends(get_settings)]
AppSessions = Annotated[Sessions, Depends(get_sessions)]
AppEngine = Annotated[Engine, Depends(get_engine)]
Uploads = Annotated[UploadQueue, Depends(get_uploads)]
Streams = Annotated[UploadQueue, Depends(get_streams)]


def session_cookie(settings: Settings) -> str:
    """Return the name of the session's cookie."""
    # Cookies know no ports: two servers on one host would sign each other out if theirs had the same name.
    port = urlsplit(settings.address).port
    return f"convive_session_{port}" if port else "convive_session"


def session_token(request: Request) -> str:
    """Return what the session's cookie holds, or nothing."""
    return request.cookies.get(session_cookie(get_settings(request)), "")


def signed_in(request: Request, session: Db) -> Actor:
    """Return who is signed in with this browser."""
    actor = actor_of_session(session, session_token(request))
    if actor is None:
        raise NotSignedIn
    request.state.actor = actor
    return actor


bearer = HTTPBearer(auto_error=False, scheme_name="API key", description="“convive key create” makes one.")
Bearer = Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]


def with_api_key(session: Db, sent: Bearer) -> Actor:
    """Return on whose behalf the API key in the Authorization header acts."""
    actor = actor_of_api_key(session, sent.credentials.strip()) if sent else None
    if actor is None:
        raise NotSignedIn("Send a valid API key as “Authorization: Bearer <key>”. “convive key create” makes one.")
    return actor


def by_cookie(request: Request) -> Asker:
    """Return who is signed in with this browser, to be asked again and again by a stream."""
    return partial(actor_of_session, token=session_token(request))


def by_api_key(sent: Bearer) -> Asker:
    """Return on whose behalf the API key acts, to be asked again and again by a stream."""
    return partial(actor_of_api_key, token=sent.credentials.strip() if sent else "")


Who = Annotated[Actor, Depends(signed_in)]
WhoNow = Annotated[Asker, Depends(by_cookie)]
ApiWho = Annotated[Actor, Depends(with_api_key)]
ApiWhoNow = Annotated[Asker, Depends(by_api_key)]


def guard_origin(request: Request) -> None:
    """Refuse a write that another site's page sent."""
    if request.method in SAFE_METHODS:
        return
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin")
    if site not in ("same-origin", "none") or (origin and urlsplit(origin).netloc != request.headers.get("host")):
        raise Forbidden("This form was sent from another site. Open it here and send it again.")


class LongFormRoute(APIRoute):
    """A route whose form may have a field for each guest, and fields as long as a body; others take 1,000 and 1 MiB."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Read the form with these limits first: whoever reads it later gets what is read already."""
        handle = super().get_route_handler()

        async def read_and_handle(request: Request) -> Response:
            if request.method not in SAFE_METHODS:
                await request.form(max_fields=MOST_FIELDS, max_part_size=get_settings(request).max_body_bytes)
            return await handle(request)

        return read_and_handle


async def guard_form(request: Request) -> None:
    """Refuse a write without the form token of this session."""
    guard_origin(request)
    if request.method in SAFE_METHODS:
        return
    cookie = session_token(request)
    if not cookie:
        raise NotSignedIn
    sent = request.headers.get("x-form-token") or (await request.form()).get("form_token")
    if not hmac.compare_digest(str(sent or "").encode(), form_token(cookie).encode()):
        raise Forbidden("This form has expired. Go back, reload the page and send it again; nothing was changed.")
