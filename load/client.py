"""An asyncio HTTP client that needs little processor time, because the server is measured on the same two cores."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

PATIENCE = 20.0
NO_ANSWER = 0
END_OF_HEAD = b"\r\n\r\n"
LAG_TICK = 0.01


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the server; status 0 if there was none, with the reason in `problem`."""

    status: int
    head: bytes = b""
    body: bytes = b""
    problem: str = ""

    def header(self, name: str) -> str:
        """Return the value of a header, or nothing."""
        wanted = name.lower().encode() + b":"
        for line in self.head.split(b"\r\n")[1:]:
            if line.lower().startswith(wanted):
                return line[len(wanted) :].strip().decode()
        return ""

    def json(self) -> Any:
        """Return the body as JSON."""
        return json.loads(self.body)

    @property
    def outcome(self) -> str:
        """The status, or why there is none."""
        return str(self.status) if self.status else self.problem


def build_request(
    method: str, path: str, headers: Mapping[str, str] | None = None, body: bytes | None = None, host: str = "127.0.0.1"
) -> bytes:
    """Return the bytes of a request."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", *(f"{k}: {v}" for k, v in (headers or {}).items())]
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + (body or b"")


class Connection(asyncio.Protocol):
    """One connection that stays open, with one request at a time."""

    def __init__(self) -> None:
        self.is_open = False
        self.used = 0
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()
        self._waiter: asyncio.Future[Answer] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport."""
        assert isinstance(transport, asyncio.Transport)
        self._transport, self.is_open = transport, True

    def connection_lost(self, exc: Exception | None) -> None:
        """Report the closed connection to the waiting request."""
        self.is_open = False
        self._finish(Answer(NO_ANSWER, problem="connection closed"))

    def data_received(self, data: bytes) -> None:
        """Collect data until the answer is complete."""
        self._received += data
        found = _parse(self._received)
        if found is not None:
            self._received.clear()
            if b"\nconnection: close" in found.head.lower():
                self.close()
            self._finish(found)

    def send(self, request: bytes) -> asyncio.Future[Answer]:
        """Send the request and return a future of the answer."""
        assert self._transport is not None
        self.used += 1
        self._waiter = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return self._waiter

    def close(self) -> None:
        """Close at once."""
        self.is_open = False
        if self._transport is not None:
            self._transport.abort()

    def _finish(self, answer: Answer) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(answer)


def _parse(received: bytearray) -> Answer | None:
    """Return the answer, or None while it is incomplete."""
    end = received.find(END_OF_HEAD)
    if end < 0:
        return None
    head, start = bytes(received[:end]), end + len(END_OF_HEAD)
    status, lower = int(head[9:12]), head.lower()
    at = lower.find(b"\r\ncontent-length:")
    if at >= 0:
        length = int(lower[at + 17 :].split(b"\r\n", 1)[0])
        return (
            Answer(status, head, bytes(received[start : start + length])) if len(received) >= start + length else None
        )
    if b"\r\ntransfer-encoding: chunked" in lower:
        body = _unchunk(received, start)
        return None if body is None else Answer(status, head, body)
    return Answer(status, head)


def _unchunk(received: bytearray, at: int) -> bytes | None:
    if not received.endswith(b"0\r\n\r\n"):
        return None
    parts: list[bytes] = []
    while True:
        line_end = received.find(b"\r\n", at)
        if line_end < 0:
            return None
        length = int(bytes(received[at:line_end]).split(b";")[0], 16)
        if length == 0:
            return b"".join(parts)
        at = line_end + 2
        if len(received) < at + length + 2:
            return None
        parts.append(bytes(received[at : at + length]))
        at += length + 2


@dataclass
class Client:
    """Send requests to one port over connections that stay open."""

    port: int
    patience: float = PATIENCE
    idle: list[Connection] = field(default_factory=list)

    async def send(self, request: bytes, *, fresh: bool = False) -> Answer:
        """Send one request and wait up to `patience` seconds. `fresh` opens a new connection."""
        connection: Connection | None = None
        try:
            async with asyncio.timeout(self.patience):
                while True:
                    connection = await self._connection(fresh=fresh)
                    answer = await connection.send(request)
                    # The server may close an idle connection at this moment: send again, as browsers do.
                    if answer.status or connection.used == 1:
                        break
        except TimeoutError:
            answer = Answer(NO_ANSWER, problem=f"no answer in {self.patience:.0f} s")
        except OSError as error:
            answer = Answer(NO_ANSWER, problem=type(error).__name__)
        if connection is not None:
            if answer.status and connection.is_open and not fresh:
                self.idle.append(connection)
            else:
                connection.close()
        return answer

    async def _connection(self, *, fresh: bool) -> Connection:
        while self.idle and not fresh:
            found = self.idle.pop()
            if found.is_open:
                return found
        loop = asyncio.get_running_loop()
        _, made = await loop.create_connection(Connection, "127.0.0.1", self.port)
        return made

    def close(self) -> None:
        """Close all connections that are idle."""
        for connection in self.idle:
            connection.close()
        self.idle.clear()


class OwnCost:
    """The cost of the client: its share of a core, and the longest delay of its event loop."""

    def __init__(self) -> None:
        self.lag = 0.0
        self.share = 0.0
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> OwnCost:
        """Start measuring."""
        self._began, self._used = time.monotonic(), time.process_time()
        self._task = asyncio.create_task(self._look())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop measuring."""
        assert self._task is not None
        self._task.cancel()
        self.share = (time.process_time() - self._used) / max(time.monotonic() - self._began, 1e-9)

    async def _look(self) -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(LAG_TICK)
            self.lag = max(self.lag, time.monotonic() - before - LAG_TICK)

    def text(self) -> str:
        """Return a short text."""
        return f"{100 * self.share:.0f} % of a core, at most {1000 * self.lag:.0f} ms late"
