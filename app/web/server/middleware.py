"""What surrounds every request: id, log line, limits on bodies, security headers, counters."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Sequence
from typing import NoReturn

import structlog
from fastapi import HTTPException, Request, Response
from prometheus_client import Counter, Histogram
from starlette.datastructures import Headers
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.config import MEBIBYTE, MOST_FIELDS, Settings, is_loopback
from app.errors import ConviveError, UnknownHost
from app.logs import logger
from app.web.server.for_requests import ForRequests

REQUESTS = Counter("convive_requests_total", "Requests served", ["method", "route", "status"])
SECONDS = Histogram("convive_request_seconds", "Time until the response is complete", ["method", "route"])
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # no-referrer would make browsers send “Origin: null” with forms
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
ENCODED_HEADERS = [(name.lower().encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]
PUBLIC_HEADERS = [
    *((name, value) for name, value in ENCODED_HEADERS if name != b"referrer-policy"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-robots-tag", b"noindex, nofollow"),
]
# The address of these pages may hold a key. Our own files do not need it, and forms need a real Origin.
KEY_PATHS = ("/sign-in", "/setup", "/reset", "/join/")
KEY_HEADERS = [
    *((name, value) for name, value in ENCODED_HEADERS if name != b"referrer-policy"),
    (b"referrer-policy", b"strict-origin"),
]
# Browsers ignore this one over plain HTTP, with a warning, unless the page is on their own computer.
OPENER = b"cross-origin-opener-policy"
HSTS = (b"strict-transport-security", b"max-age=31536000")
HEALTH_PATHS = ("/healthz", "/readyz")
KNOWN_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
MOST_DISCARDED = 64 * MEBIBYTE
BOOK_PATHS = ("/import", "/api/v1/import")
PUBLIC_PREFIXES = ("/s/", "/w/", "/d/", "/api/v1/shared/")
SMALL_FORMS = (*KEY_PATHS, *PUBLIC_PREFIXES, "/account", "/confirm", "/sign-out")
MOST_WITHOUT_SIGN_IN = 16 * 1024
URLENCODED = "application/x-www-form-urlencoded"
log = logger(__name__)


class LogRequests(ForRequests):
    """Give each request an id, count it and log it by its route, never by its address: that may hold a secret."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        started, status = time.perf_counter(), 500
        request_id = uuid.uuid4().hex
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        scope.setdefault("state", {})["request_id"] = request_id

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message.setdefault("headers", []).append((b"x-request-id", request_id.encode()))
            await send(message)

        try:
            await self.app(scope, receive, send_with_id)
        finally:
            self._tell(scope, status, time.perf_counter() - started)

    def _tell(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "none")
        method = scope["method"] if scope["method"] in KNOWN_METHODS else "other"
        REQUESTS.labels(method, route, status).inc()
        SECONDS.labels(method, route).observe(seconds)
        level = logging.DEBUG if scope["path"].startswith("/static/") else logging.INFO
        log.log(level, "request", method=method, route=route, status=status, milliseconds=round(seconds * 1000, 1))


class AddSecurityHeaders(ForRequests):
    """Send the security headers with every answer, and keep pages out of caches."""

    def __init__(self, app: ASGIApp, *, is_https: bool = False) -> None:
        super().__init__(app)
        self._is_https = is_https
        self._always = [HSTS] if is_https else []

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message.setdefault("headers", [])
                present = {name.lower() for name, _ in headers}
                if not self._is_https and not _is_loopback(scope):
                    present.add(OPENER)
                headers.extend(pair for pair in (*_headers_for(path), *self._always) if pair[0] not in present)
                if b"cache-control" not in present:
                    headers.append((b"cache-control", _cache_rule(path, scope["query_string"])))
            await send(message)

        await self.app(scope, receive, send_with_headers)


def _is_loopback(scope: Scope) -> bool:
    host = next((value for name, value in scope["headers"] if name == b"host"), b"").decode("latin-1")
    return is_loopback(host.rsplit(":", 1)[0].strip("[]") if not host.endswith("]") else host.strip("[]"))


def _headers_for(path: str) -> list[tuple[bytes, bytes]]:
    if path.startswith(PUBLIC_PREFIXES):
        return PUBLIC_HEADERS
    return KEY_HEADERS if path.startswith(KEY_PATHS) else ENCODED_HEADERS


def _cache_rule(path: str, query: bytes) -> bytes:
    if not path.startswith("/static/"):
        return b"no-store"
    # A page asks for its files by version; what modules import by themselves has none and is asked about each time.
    return b"public, max-age=31536000, immutable" if query.startswith(b"v=") else b"no-cache"


class CheckHost(ForRequests):
    """Answer only to the server's own names, except for health checks: load balancers ask machines by address."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str], answer: Callable[[Request, ConviveError], Response]) -> None:
        super().__init__(app)
        self.hosts, self.answer = hosts, answer

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_known = scope["path"] in HEALTH_PATHS

        async def note_known(*_: object) -> None:
            nonlocal is_known
            is_known = True

        async def drop(_: Message) -> None:
            """Leave out the answer in plain text, which does not say what to do."""

        if not is_known and sum(name == b"host" for name, _ in scope["headers"]) == 1:  # a proxy may read the other
            checked = TrustedHostMiddleware(note_known, allowed_hosts=self.hosts, www_redirect=False)
            await checked(scope, receive, drop)
        if is_known:
            await self.app(scope, receive, send)
            return
        # The answer is made without that name, which may be anything.
        nameless = {**scope, "headers": [pair for pair in scope["headers"] if pair[0].lower() != b"host"]}
        await self.answer(Request(nameless), UnknownHost())(scope, receive, send)


class LimitBodies(ForRequests):
    """Refuse bodies and forms past their limits, whether they announce their length or not."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        super().__init__(app)
        self.settings = settings

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        most = self._most(scope["path"], headers)
        announced = headers.get("content-length", "0")
        too_much_announced = announced.isdigit() and int(announced) > most
        is_form = headers.get("content-type", "").partition(";")[0].strip().lower() == URLENCODED
        seen = fields = 0

        async def receive_counted() -> Message:
            nonlocal seen, fields
            message = await receive()
            body = message.get("body", b"")
            seen += len(body)
            if seen > most or too_much_announced:
                await _refuse(receive, message, f"The request is too large; maximum {most // 1024:,} KiB.")
            fields += body.count(b"&") if is_form else 0
            if fields > MOST_FIELDS:
                # Starlette does not count empty fields, and each costs time.
                await _refuse(receive, message, f"The form has too many fields; maximum {MOST_FIELDS:,}.")
            return message

        await self.app(scope, receive_counted, send)

    def _most(self, path: str, headers: Headers) -> int:
        # Whether the cookie or the key is valid is known only later; whoever sends neither is nobody.
        if path.startswith(SMALL_FORMS) or not ("authorization" in headers or "cookie" in headers):
            return MOST_WITHOUT_SIGN_IN
        if path.endswith("/ratings/matrix"):
            return self.settings.max_matrix_bytes
        return self.settings.max_book_bytes if path in BOOK_PATHS else self.settings.max_body_bytes


async def _refuse(receive: Receive, message: Message, detail: str) -> NoReturn:
    # A browser shows our answer only after it has sent all; past this much we hang up on it.
    left = MOST_DISCARDED
    while left > 0 and message.get("more_body", False):
        message = await receive()
        left -= len(message.get("body", b""))
    # FastAPI passes its own exceptions on from where it reads bodies, and no others.
    raise HTTPException(413, f"{detail} Nothing was changed.")


class AnswerErrors(ForRequests):
    """Answer unhandled exceptions; inside the other middleware, so that the answer has its headers and id."""

    def __init__(self, app: ASGIApp, answer: Callable[[Request, Exception], Response]) -> None:
        super().__init__(app)
        self.answer = answer

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def send_watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, send_watched)
        except Exception as error:
            if started:
                raise
            await self.answer(Request(scope), error)(scope, receive, send)
