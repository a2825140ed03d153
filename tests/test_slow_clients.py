"""Clients that send or read too slowly lose their connection, and others keep theirs: over real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from app.config import Settings
from app.slow_clients import ImpatientProtocol, impatient_protocol

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
        server = await loop.create_server(lambda: Protocol(config, state, {}, loop), "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server:
            await asyncio.wait_for(do(lambda: asyncio.open_connection("127.0.0.1", port)), LONG)
            for connection in list(state.connections):
                connection.transport.abort()

    asyncio.run(main())


def test_connection_that_never_sends_is_closed() -> None:
    async def do(connect: Callable[[], Awaitable[Client]]) -> None:
        reader, _ = await connect()
        assert await reader.read() == b""

    serve(do, head=SHORT)


def test_partial_head_is_answered_with_408_however_steadily_it_comes() -> None:
    async def do(connect: Callable[[], Awaitable[Client]]) -> None:
        reader, writer = await connect()
        writer.write(b"GET / HTTP/1.1\r\n")
        got = asyncio.ensure_future(reader.read())
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
