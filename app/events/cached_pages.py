"""Pages that are kept until what they show changes, and checked by browsers instead of being sent again.

Each page of an event has a tag made of all that it depends on: the event's revision and its runs (without changes of
parts that the page does not show), who looks at it with which role, session and language, the address, and the program
itself. The tag is worked out first, with one or two short reads that also check the right to see the page. A browser
that has the page gets 304; otherwise the kept bytes are sent, or the page is built.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

from fastapi import Request, Response

from app.bounded_cache import BoundedCache
from app.config import MEBIBYTE
from app.db.models.events import Part
from app.events.context import EventContext
from app.events.erasure_day import erasure_warning
from app.events.queries import progress_state, revision_without, runs_and_plans_state
from app.web.deps import get_settings, session_token
from app.web.html.rendering import program_version
from app.web.json_api.conditional import has_tag
from app.web.server.compression import pack, unpack_for

MOST_BYTES = 32 * MEBIBYTE
MOST_BYTES_OF_TAGS, KEY_BYTES = 2 * MEBIBYTE, 300
PRIVATE = "private, no-cache"
"""Browsers may keep the page, but ask before each use; caches that people share may not."""
PASSING = "no-store"
"""What the endpoint of a kept page sets as Cache-Control of a page that must not be kept."""
VARY = "Cookie, Accept-Language, Accept-Encoding"


@dataclass(frozen=True)
class EventState:
    """What somebody's pages of an event depend on. Each run counts: pages carry the id that the next one will have."""

    role: str
    revision: int
    version: int
    runs_and_plans: tuple[Any, ...]


@dataclass(frozen=True)
class CachedPage:
    """A page as it is sent to most browsers: compressed."""

    packed: bytes
    media_type: str

    def answer(self, request: Request, headers: dict[str, str]) -> Response:
        """Return the page, as the client can read it."""
        body, encoding = unpack_for(request.headers, self.packed)
        return Response(body, headers={**headers, **encoding, "Content-Type": self.media_type})


class CachedPages(BoundedCache[str, CachedPage]):
    """The pages that were used last, by their tags."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        super().__init__(most_bytes, lambda page: len(page.packed))


class CachedTags(BoundedCache[str, str]):
    """Tags made of what pages show, by what that was read from: so that asking again reads nothing."""

    def __init__(self, most_bytes: int = MOST_BYTES_OF_TAGS) -> None:
        super().__init__(most_bytes, lambda tag: len(tag) + KEY_BYTES)


def read_state(ctx: EventContext, without: Sequence[Part] = (), *, shows_progress: bool = False) -> EventState:
    """Return the state of an event for somebody who may see it; a page `without` some parts stays as they change.

    What depends on plans depends on how settled they are, too; other pages that show it say so.
    """
    runs_and_plans: tuple[Any, ...] = ()
    if "plans" not in without:
        runs_and_plans = runs_and_plans_state(ctx.session, ctx.event_id)
    elif shows_progress:
        runs_and_plans = progress_state(ctx.session, ctx.event_id)
    return EventState(ctx.role, revision_without(ctx.event, without), ctx.event.version, runs_and_plans)


def kept(endpoint: Callable[..., Response]) -> Callable[..., Response]:
    """Keep the page of an event that an endpoint shows. It must depend on nothing but what the tag is made of."""
    return kept_without()(endpoint)


def kept_without(
    *parts: Part, shows_progress: bool = False
) -> Callable[[Callable[..., Response]], Callable[..., Response]]:
    """Keep a page that shows nothing of these parts of the event: it stays when nothing else changes."""

    def wrap(endpoint: Callable[..., Response]) -> Callable[..., Response]:
        @wraps(endpoint)
        def answer(*, request: Request, ctx: EventContext, **rest: Any) -> Response:
            tag = _event_tag(request, ctx, read_state(ctx, parts, shows_progress=shows_progress))
            if found := find_kept(request, tag):
                return found
            made = endpoint(request=request, ctx=ctx, **rest)
            return keep(request, tag, made)

        return answer

    return wrap


def find_kept(request: Request, tag: str, *, is_public: bool = False) -> Response | None:
    """Return 304 to whoever shows the page of this tag, or the page if it is kept.

    No browser keeps a public page, but one that is open asks now and then whether it is still the same.
    """
    headers = _public_headers(tag) if is_public else _headers(tag, _may_stay_in_browser(request))
    if "ETag" in headers and has_tag(request.headers.get("if-none-match", ""), tag):
        return Response(status_code=304, headers=headers)
    found = cached_pages(request).get(tag)
    return found.answer(request, headers) if found else None


def keep(request: Request, tag: str, made: Response, *, is_public: bool = False) -> Response:
    """Keep a page that was just built and return it with its tag; errors and redirects go out as they are.

    So does a page that an endpoint marked as passing: one that may show something else though nothing has changed.
    """
    if made.status_code != 200 or made.headers.get("cache-control") == PASSING:
        return made
    page = CachedPage(pack(bytes(made.body)), made.headers["content-type"])
    cached_pages(request).keep(tag, page)
    headers = _public_headers(tag) if is_public else _headers(tag, _may_stay_in_browser(request))
    return page.answer(request, headers)


def _public_headers(tag: str) -> dict[str, str]:
    # A phone that is passed around must not keep who sits where.
    return {"ETag": tag, "Cache-Control": "no-store", "Vary": "Accept-Language, Accept-Encoding"}


def _headers(tag: str, in_browser: bool) -> dict[str, str]:
    if not in_browser:
        return {"Cache-Control": "no-store", "Vary": "Accept-Encoding"}
    return {"ETag": tag, "Cache-Control": PRIVATE, "Vary": VARY}


def _may_stay_in_browser(request: Request) -> bool:
    """Return whether signing out clears the browser's cache: it does so over HTTPS and on this machine alone."""
    settings = get_settings(request)
    return settings.address.startswith("https:") or request.url.scheme == "https" or settings.is_loopback


def cached_pages(request: Request) -> CachedPages:
    return request.app.state.cached_pages  # type: ignore[no-any-return]  # Starlette's state is untyped


def cached_tags(request: Request) -> CachedTags:
    return request.app.state.cached_tags  # type: ignore[no-any-return]  # Starlette's state is untyped


def make_tag(*parts: object, length: int = 32) -> str:
    """Return a tag of all these parts and of the program; weak, because an answer may be compressed."""
    digest = hashlib.sha256(repr((program_version(), *parts)).encode()).hexdigest()[:length]
    return f'W/"{digest}"'


def _event_tag(request: Request, ctx: EventContext, state: EventState) -> str:
    headers = request.headers
    seen_by = ctx.actor, session_token(request), headers.get("accept-language", ""), headers.get("host", "")
    about = get_settings(request).address, erasure_warning(ctx.event)
    return make_tag(request.scope["path"], request.scope["query_string"], seen_by, state, about)
