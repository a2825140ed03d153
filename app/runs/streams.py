"""Server-sent events about a run: sent as written once for all streams, with a comment now and then in between."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from uuid import UUID

from fastapi import Request, Response
from sqlalchemy.orm import Session
from starlette.types import Receive, Scope, Send

from app.accounts.actor import Actor
from app.accounts.current_user import Credential
from app.events.context import open_event
from app.runs.feed import Encoder, Follower, RunFeed
from app.runs.queries import RunRow
from app.runs.start import show_run
from app.web.one_hop import read_database

PING_SECONDS = 15.0
PING = b": ping\n\n"


class EventStreamType(Response):
    """What the description of the API says of such an answer."""

    media_type = "text/event-stream"


class RunStream(EventStreamType):
    """Follow a run until it is over, the client goes away, or the run is no longer theirs to see."""

    def __init__(self, feed: RunFeed, follower: Follower, encoder: Encoder) -> None:
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
        return self._follower.latest.row.is_over and not self._follower.changed.is_set()


async def _wait_for_end(receive: Receive, follower: Follower) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    follower.close()


def follow(request: Request, credential: Credential, run: RunRow, encoder: Encoder) -> Response:
    """Return the stream of a run that was just read for this request."""
    feed: RunFeed = request.app.state.feed
    return RunStream(feed, feed.join(credential, run), encoder)


def run_seen_by(find_actor: Callable[[Request, Session], Actor]) -> Callable[..., Awaitable[RunRow]]:
    """Return the dependency that reads the run of an address for whoever asks, if they may see it."""

    async def read_run(request: Request, event_id: UUID, run_id: UUID) -> RunRow:
        return await read_database(
            request, lambda session: show_run(open_event(session, find_actor(request, session), event_id), run_id)
        )

    return read_run


def event(name: str, data: str) -> bytes:
    """Write an event with one line of data."""
    return f"event: {name}\ndata: {data}\n\n".encode()
