"""Server-sent events: sent as written once for all streams, with a comment now and then in between."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Generic
from uuid import UUID

from fastapi import Response
from starlette.types import Receive, Scope, Send

from app.accounts.current_user import Credential
from app.events.feed import Encoder, Feed, Follower, Row

PING_SECONDS = 15.0
PING = b": ping\n\n"


class EventStreamType(Response):
    """What the description of the API says of such an answer."""

    media_type = "text/event-stream"


class EventStream(EventStreamType, Generic[Row]):
    """Follow something until it is over, the client goes away, or it is no longer theirs to see."""

    def __init__(self, feed: Feed[Row], follower: Follower[Row], encoder: Encoder[Row]) -> None:
        super().__init__(headers={"X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._feed, self._follower, self._encoder = feed, follower, encoder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send what changes; the other end closes by going away."""
        gone = asyncio.ensure_future(_wait_for_end(receive, self._follower))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            while await self._wait():
                await send({"type": "http.response.body", "body": self._next(), "more_body": True})
                if self._is_over():
                    break
            with suppress(OSError):
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            gone.cancel()
            self._feed.leave(self._follower)

    async def _wait(self) -> bool:
        """Wait for something to send; False where the stream is closed."""
        with suppress(TimeoutError):
            async with asyncio.timeout(PING_SECONDS):
                await self._follower.changed.wait()
        return not self._follower.is_closed

    def _next(self) -> bytes:
        if not self._follower.changed.is_set():
            return PING
        self._follower.changed.clear()
        return self._follower.latest.write(self._encoder)

    def _is_over(self) -> bool:
        is_last = self._feed.is_closing or self._follower.latest.row.is_over
        return is_last and not self._follower.changed.is_set()


async def _wait_for_end(receive: Receive, follower: Follower[Row]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    follower.close()


def follow(feed: Feed[Row], account: UUID, credential: Credential, row: Row, encoder: Encoder[Row]) -> Response:
    """Return the stream of something that was just read for this request; too many of one account are refused."""
    return EventStream(feed, feed.join(account, credential, row), encoder)


def event(name: str, data: str) -> bytes:
    """Write an event with one line of data."""
    return f"event: {name}\ndata: {data}\n\n".encode()
