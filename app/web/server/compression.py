"""Answers compressed with gzip, where the client takes that and it pays.

Compressed sizes give away what a page holds to whoever can put text of their own beside it and watch the line (BREACH).
So the form token is masked differently on each page (`mask_token`), and what another site's page asks for is never
compressed. Streams are sent as they are.
"""

from __future__ import annotations

import gzip

from anyio import to_thread
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from app.web.server.for_requests import ForRequests

LEAST_BYTES, MOST_BYTES = 1024, 8 * 1024 * 1024
LEVEL = 4
"""Level 6 takes twice the time for pages that are 4 % smaller."""
IN_A_THREAD = 32 * 1024
"""From this size on compressing takes longer than a change of threads."""
TYPES = (
    "text/",
    "application/json",
    "application/problem+json",
    "application/javascript",
    "application/manifest+json",
    "image/svg+xml",
)
STREAMS = "text/event-stream"


def pack(body: bytes) -> bytes:
    """Compress a body; the same body always gives the same bytes."""
    return gzip.compress(body, LEVEL, mtime=0)


def unpack_for(headers: Headers, packed: bytes) -> tuple[bytes, dict[str, str]]:
    """Return a packed body as a client that sent these headers may get it, and the headers that say how."""
    if may_compress(headers):
        return packed, {"Content-Encoding": "gzip"}
    return gzip.decompress(packed), {}


class Compress(ForRequests):
    """Compress whole answers of text. Those that are compressed already go out as they are."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, receive, _Sender(send).send if may_compress(Headers(scope=scope)) else send)


def may_compress(headers: Headers) -> bool:
    """Return whether an answer to a request with these headers may be compressed."""
    if headers.get("sec-fetch-site") in ("cross-site", "same-site"):
        return False
    offered = (part.partition(";") for part in headers.get("accept-encoding", "").lower().split(","))
    return any(name.strip() == "gzip" and rest.strip() not in ("q=0", "q=0.0") for name, _, rest in offered)


class _Sender:
    """Holds the head of an answer back until its body is whole, if the body is worth compressing."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._parts: list[bytes] = []

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_worth_it(message):
            self._start = message
        elif message["type"] == "http.response.body" and self._start is not None:
            self._parts.append(message.get("body", b""))
            if not message.get("more_body", False):
                await self._send_whole()
        else:
            await self._send(message)

    async def _send_whole(self) -> None:
        assert self._start is not None  # noqa: S101  for mypy
        body = b"".join(self._parts)
        packed = pack(body) if len(body) < IN_A_THREAD else await to_thread.run_sync(pack, body)
        changed = {b"content-length": b"%d" % len(packed), b"content-encoding": b"gzip"}
        kept = [(name, value) for name, value in self._start["headers"] if name.lower() not in changed]
        kept = [(name, _with_encoding(value) if name.lower() == b"vary" else value) for name, value in kept]
        if all(name.lower() != b"vary" for name, _ in kept):
            kept.append((b"vary", b"Accept-Encoding"))
        await self._send({**self._start, "headers": [*kept, *changed.items()]})
        await self._send({"type": "http.response.body", "body": packed})


def _is_worth_it(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    kind, length = headers.get("content-type", ""), headers.get("content-length", "0")
    return (
        start["status"] not in (204, 206, 304)
        and kind.startswith(TYPES)
        and not kind.startswith(STREAMS)
        and "content-encoding" not in headers
        and LEAST_BYTES <= int(length) <= MOST_BYTES
    )


def _with_encoding(vary: bytes) -> bytes:
    return vary if b"accept-encoding" in vary.lower() else vary + b", Accept-Encoding"
