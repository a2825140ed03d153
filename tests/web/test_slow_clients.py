"""Clients that send or read too slowly lose their connection, and others keep theirs: over real sockets."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable

import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from app.cli.serve import listen
from app.config import Settings
from app.web.server.slow_clients import MOST_HEAD_BYTES, MOST_PIPELINED, ImpatientProtocol, impatient_protocol
from tests.loops import in_a_loop

SHORT = 0.3
LONG = 60.0  # never reached: a test that waits so long has failed
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
LARGE = 8 << 20
Client = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the length of the body; /large with many bytes, /stream with a line now and then."""
    if scope["type"] != "http":
        return
    length, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        length, more = length + len(message.get("body", b"")), message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    if scope["path"] == "/stream":
        for _ in range(8):
            await asyncio.sleep(SHORT / 2)
            await send({"type": "http.response.body", "body": b"line\n", "more_body": True})
    body = b"x" * LARGE if scope["path"] == "/large" else b"%d" % length
    await send({"type": "http.response.body", "body": body})


def serve(do: Callable[[Callable[[], Awaitable[Client]]], Awaitable[None]], **times: float) -> None:
    """Serve with such times while `do` makes connections."""

    class Protocol(ImpatientProtocol):
        head_seconds = times.get("head", LONG)
        body_seconds = times.get("body", LONG)
        read_seconds = times.get("read", LONG)

    async def main() -> None:
        config = uvicorn.Config(answer, log_config=None, lifespan="off", timeout_keep_alive=int(LONG))
        state, loop = ServerState(), asyncio.get_running_loop()
        listener = listen(Settings(port=0, _env_file=None))
        port = listener.getsockname()[1]
        server = await loop.create_server(lambda: Protocol(config, state, {}, loop), sock=listener)
        async with server:
            await asyncio.wait_for(do(lambda: asyncio.open_connection("127.0.0.1", port)), LONG)
            for connection in list(state.connections):
                connection.transport.abort()

    in_a_loop(main)


def test_connection_that_never_sends_is_closed() -> None:
    async def do(connect: Callable[[], Awaitable[Client]]) -> None:
        reader, _ = await connect()
        assert await reader.read() == b""

    serve(do, head=SHORT)


def test_partial_head_is_answered_with_408_however_steadily_it_comes() -> None:
    async def do(connect: Callable[[], Awaitable[Client]]) -> None:
        reader, writer = await connect()
        writer.write(b"GET / HTTP/1.1\r\n")
        got = asyncio.ensure_future(reader.readline())  # what is sent after the answer may reset the connection
        while not got.done():
            writer.write(b"X-More: 1\r\n")
            await asyncio.sleep(SHORT / 10)
        assert (await got).startswith(b"HTTP/1.1 408 ")

    serve(do, head=SHORT)


def test_idle_connection_is_closed_after_an_answer() -> None:
    async def do(connect: Callable[[], Awaitable[Client]]) -> None:
        reader, writer = await connect()
        writer.write(GET)
        answered = await reader.read()
        assert answered.startswith(b"HTTP/1.1 200 ")
        assert b"408" not in answered

    serve(do, head=SHORT)


def test_connection_that_is_used_stays_open() -> None:
    async def do(connect: Callable[[], Awaitable[Client]]) -> None:
        reader, writer = await connect()
        for _ in range(8):
            writer.write(GET)
            assert (await reader.readuntil(b"0\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
            await asyncio.sleep(SHORT / 3)

    serve(do, head=SHORT)


def test_body_that_stops_is_refused() -> None:
    async def do(connect: Callable[[], Awaitable[Client]]) -> None:
        reader, writer = await connect()
        writer.write(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nhalf")
        assert (await reader.read()).startswith(b"HTTP/1.1 408 ")

    serve(do, body=SHORT)


def test_slow_but_steady_body_is_taken() -> None:
    async def do(connect: Callable[[], Awaitable[Client]]) -> None:
        reader, writer = await connect()
        writer.write(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000\r\n\r\n")
        for _ in range(10):
            writer.write(b"x" * 1000)
            await asyncio.sleep(SHORT / 2)
        assert b"10000" in await reader.readuntil(b"0\r\n\r\n")

    serve(do, body=SHORT)


def test_stream_outlives_every_limit() -> None:
    async def do(connect: Callable[[], Awaitable[Client]]) -> None:
        reader, writer = await connect()
        writer.write(b"GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert (await reader.readuntil(b"\r\n0\r\n\r\n")).count(b"line\n") == 8

    serve(do, head=SHORT, body=SHORT, read=SHORT)


def test_client_that_does_not_read_its_answer_is_cut_off() -> None:
    async def do(connect: Callable[[], Awaitable[Client]]) -> None:
        reader, writer = await connect()
        writer.write(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await asyncio.sleep(SHORT * 6)
        got = 0
        try:
            while piece := await reader.read(1 << 20):
                got += len(piece)
        except ConnectionResetError:
            pass
        assert got < LARGE

    serve(do, read=SHORT)


def test_times_come_from_the_settings() -> None:
    made = impatient_protocol(Settings(head_seconds=3, body_seconds=4, read_seconds=5, _env_file=None))
    assert (made.head_seconds, made.body_seconds, made.read_seconds) == (3, 4, 5)


def test_answers_do_not_wait_for_the_acknowledgement_of_the_last_one() -> None:
    options: list[int] = []

    class Protocol(ImpatientProtocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
            super().connection_made(transport)
            accepted = transport.get_extra_info("socket")
            options.append(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            assert sockets is not None
            _, writer = await asyncio.open_connection("127.0.0.1", sockets[0].getsockname()[1])
            while not options:
                await asyncio.sleep(0)
            writer.close()
            self.should_exit = True

    config = uvicorn.Config(answer, log_config=None, lifespan="off", http=Protocol, loop="asyncio")
    in_a_loop(lambda: Server(config).serve([listen(Settings(port=0, _env_file=None))]))
    assert options == [1]


def test_head_past_its_limit_is_refused_with_431() -> None:
    async def do(connect: Callable[[], Awaitable[Client]]) -> None:
        for head in (b"/" + b"a" * MOST_HEAD_BYTES, b"/ HTTP/1.1\r\nX-Long: " + b"a" * MOST_HEAD_BYTES):
            reader, writer = await connect()
            writer.write(b"GET " + head)
            await writer.drain()
            writer.write(b" HTTP/1.1\r\n\r\n" if b"\r" not in head else b"\r\n\r\n")
            assert (await reader.read()).startswith(b"HTTP/1.1 431 ")

    serve(do)


def test_many_small_headers_past_the_limit_are_refused_with_431() -> None:
    async def do(connect: Callable[[], Awaitable[Client]]) -> None:
        reader, writer = await connect()
        writer.write(b"GET / HTTP/1.1\r\n" + b"X-One: 1\r\n" * (MOST_HEAD_BYTES // 8) + b"\r\n")
        assert (await reader.read()).startswith(b"HTTP/1.1 431 ")

    serve(do)


def test_large_body_is_no_large_head() -> None:
    async def do(connect: Callable[[], Awaitable[Client]]) -> None:
        reader, writer = await connect()
        length = 4 * MOST_HEAD_BYTES
        writer.write(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % length + b"x" * length)
        assert b"%d" % length in await reader.readuntil(b"0\r\n\r\n")

    serve(do)


def test_what_is_not_http_is_refused_with_400() -> None:
    async def do(connect: Callable[[], Awaitable[Client]]) -> None:
        reader, writer = await connect()
        writer.write(b"\x16\x03\x01 hello\r\n\r\n")
        assert (await reader.read()).startswith(b"HTTP/1.1 400 ")

    serve(do)


def test_requests_that_are_sent_ahead_are_answered_up_to_a_limit() -> None:
    async def do(connect: Callable[[], Awaitable[Client]]) -> None:
        reader, writer = await connect()
        writer.write(GET * MOST_PIPELINED)
        for _ in range(MOST_PIPELINED):
            assert (await reader.readuntil(b"0\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
        reader, writer = await connect()
        writer.write(GET * (MOST_PIPELINED + 2))
        assert (await reader.read()).count(b"HTTP/1.1 200 ") <= 1

    serve(do)
