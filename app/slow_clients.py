"""Connections that send or read too slowly are closed: they cost memory and a place, and uvicorn keeps them for ever.

uvicorn closes an idle connection only after its first answer. Here a timer of each connection looks at four things:
the head of a request comes within `head_seconds` of the connection or of the last answer; a body that the route
waits for keeps coming; a client that has an answer waiting reads some of it; and a stream that is under way is left
alone as long as it is read.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from app.config import Settings

LEAST_RATE = 200
"""Bytes of a body per second: a tenth of what the slowest mobile network gives."""
LOOKS = 4
"""How often a connection is looked at in the time that it has."""
MESSAGE = b"The request took too long to arrive. Send it again.\n"
TOO_SLOW = (
    b"HTTP/1.1 408 Request Timeout\r\nContent-Type: text/plain; charset=utf-8\r\n"
    b"Content-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(MESSAGE), MESSAGE)
)


class ImpatientProtocol(H11Protocol):
    """uvicorn's protocol with time limits on heads, bodies and answers that nobody reads."""

    head_seconds = 20.0
    body_seconds = 20.0
    read_seconds = 60.0

    _timer: asyncio.TimerHandle | None = None
    _waiting_since = 0.0
    _has_begun = False
    _received = 0
    _body_mark: tuple[float, int] = (0.0, 0)
    _unread_mark: tuple[float, int] = (0.0, 0)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Start the time for the first head."""
        super().connection_made(transport)
        self._wait_for_head()
        self._look_again()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop looking."""
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Note that something came."""
        self._received += len(data)
        self._has_begun = True
        super().data_received(data)

    def on_response_complete(self) -> None:
        """Start the time for the next head."""
        self._wait_for_head()
        super().on_response_complete()

    def _wait_for_head(self) -> None:
        self._waiting_since = self.loop.time()
        self._has_begun = False

    def _look_again(self) -> None:
        seconds = min(self.head_seconds, self.body_seconds, self.read_seconds) / LOOKS
        self._timer = self.loop.call_later(seconds, self._look)

    def _look(self) -> None:
        now = self.loop.time()
        if self.transport.is_closing():
            self._look_at_unread(now)
        elif self._is_read_too_slowly(now):
            self.transport.abort()
        elif self.cycle is None or self.cycle.response_complete:
            self._look_at_head(now)
        else:
            self._look_at_body(now)
        if not self.transport.is_closing() or self.transport.get_write_buffer_size():
            self._look_again()

    def _look_at_unread(self, now: float) -> None:
        """End a connection that is closed on our side, and whose client does not read the last of it."""
        if self._is_read_too_slowly(now):
            self.transport.abort()

    def _look_at_head(self, now: float) -> None:
        if now - self._waiting_since >= self.head_seconds and not self.transport.get_write_buffer_size():
            self._refuse(answer=self._has_begun)

    def _look_at_body(self, now: float) -> None:
        since, then = self._body_mark
        if not self.cycle.more_body or self.flow.read_paused or since < self._waiting_since:
            self._body_mark = now, self._received  # nothing is missing, or we are not reading ourselves
        elif now - since >= self.body_seconds:
            if self._received - then < LEAST_RATE * (now - since):
                self._refuse(answer=not self.cycle.response_started)
            self._body_mark = now, self._received

    def _is_read_too_slowly(self, now: float) -> bool:
        """Say whether the client has read nothing for long of what waits for it."""
        waiting = self.transport.get_write_buffer_size()
        since, before = self._unread_mark
        if not waiting or waiting != before:
            self._unread_mark = now, waiting
            return False
        return now - since >= self.read_seconds

    def _refuse(self, *, answer: bool) -> None:
        if answer:
            self.transport.write(TOO_SLOW)
        self.transport.close()


def impatient_protocol(settings: Settings) -> type[ImpatientProtocol]:
    """Return the protocol with the times of the settings, as uvicorn takes it."""
    times: dict[str, Any] = {
        "head_seconds": settings.head_seconds,
        "body_seconds": settings.body_seconds,
        "read_seconds": settings.read_seconds,
    }
    return type("ImpatientProtocol", (ImpatientProtocol,), times)
