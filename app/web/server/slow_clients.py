"""Connections that send or read too slowly are closed: they cost memory and a place, and uvicorn keeps them for ever.

uvicorn closes an idle connection only after its first answer. Here a timer of each connection looks at four things:
the head of a request comes within `head_seconds` of the connection or of the last answer; a body that the route
waits for keeps coming; a client that has an answer waiting reads some of it; and a stream that is under way is left
alone as long as it is read.

httptools parses in C and sets no limits of its own: a head may have `MOST_HEAD_BYTES`, and a client that sends its
next requests without waiting for the answers may have `MOST_PIPELINED` of them in the queue.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from app.config import Settings

LEAST_RATE = 200
"""Bytes of a body per second: a tenth of what the slowest mobile network gives."""
LOOKS = 4
"""How often a connection is looked at in the time that it has."""
MOST_HEAD_BYTES = 64 * 1024
MOST_PIPELINED = 32


def _refusal(status: bytes, message: bytes) -> bytes:
    return (
        b"HTTP/1.1 %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
        % (status, len(message), message)
    )


TOO_SLOW = _refusal(b"408 Request Timeout", b"The request took too long to arrive. Send it again.\n")
TOO_LARGE = _refusal(
    b"431 Request Header Fields Too Large", b"The address and headers of a request may have 64 KiB together.\n"
)
NOT_HTTP = _refusal(b"400 Bad Request", b"This is not a valid HTTP request.\n")


class _HeadTooLarge(Exception):
    """The head of a request is past its limit."""


class _TooManyWaiting(Exception):
    """The client sends requests faster than it takes answers."""


class ImpatientProtocol(HttpToolsProtocol):
    """uvicorn's protocol with time limits on heads, bodies and answers that nobody reads, and bounded heads."""

    head_seconds = 20.0
    body_seconds = 20.0
    read_seconds = 60.0

    _timer: asyncio.TimerHandle | None = None
    _waiting_since = 0.0
    _has_begun = False
    _received = 0
    _body_mark: tuple[float, int] = (0.0, 0)
    _unread_mark: tuple[float, int] = (0.0, 0)
    _head_bytes = 0
    _has_progressed = False
    _unparsed = 0
    _is_head_too_large = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._wait_for_head()
        self._look_again()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Note that something came, and bound what stays in memory: whatever is neither a whole head nor a body."""
        self._received += len(data)
        self._has_begun = True
        self._has_progressed = False
        super().data_received(data)
        self._unparsed = 0 if self._has_progressed else self._unparsed + len(data)
        if self._unparsed > MOST_HEAD_BYTES and not self.transport.is_closing():
            self._refuse(TOO_LARGE)

    def on_message_begin(self) -> None:
        self._head_bytes = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self._count_head(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count_head(len(name) + len(value) + 4)  # ": " and the end of the line
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start the request, unless too many wait before it."""
        self._has_progressed = True
        if len(self.pipeline) >= MOST_PIPELINED:
            raise _TooManyWaiting
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._has_progressed = True
        super().on_body(body)

    def send_400_response(self, msg: str) -> None:
        """Refuse what cannot be parsed or is too large, and hang up."""
        self._refuse(TOO_LARGE if self._is_head_too_large else NOT_HTTP)

    def _count_head(self, length: int) -> None:
        self._head_bytes += length
        if self._head_bytes > MOST_HEAD_BYTES:
            self._is_head_too_large = True
            raise _HeadTooLarge  # httptools makes a parser error of it

    def on_response_complete(self) -> None:
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
            self._refuse(TOO_SLOW if self._has_begun else b"")

    def _look_at_body(self, now: float) -> None:
        since, then = self._body_mark
        if not self.cycle.more_body or self.flow.read_paused or since < self._waiting_since:
            self._body_mark = now, self._received  # nothing is missing, or we are not reading ourselves
        elif now - since >= self.body_seconds:
            if self._received - then < LEAST_RATE * (now - since):
                self._refuse(TOO_SLOW)
            self._body_mark = now, self._received

    def _is_read_too_slowly(self, now: float) -> bool:
        """Return whether the client has read nothing for long of what waits for it."""
        waiting = self.transport.get_write_buffer_size()
        since, before = self._unread_mark
        if not waiting or waiting != before:
            self._unread_mark = now, waiting
            return False
        return now - since >= self.read_seconds

    def _refuse(self, answer: bytes) -> None:
        """Close, with an answer unless one to an earlier request is under way."""
        if answer and not self.pipeline and (self.cycle is None or not self._is_answering()):
            self.transport.write(answer)
        self.transport.close()

    def _is_answering(self) -> bool:
        return self.cycle.response_started and not self.cycle.response_complete


def impatient_protocol(settings: Settings) -> type[ImpatientProtocol]:
    """Return the protocol with the times of the settings, as uvicorn takes it."""
    times = {name: getattr(settings, name) for name in ("head_seconds", "body_seconds", "read_seconds")}
    return type("ImpatientProtocol", (ImpatientProtocol,), times)
