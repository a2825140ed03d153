"""Many pages that follow one run, and their cost for the server and other requests."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bench.report import markdown_table
from load.client import build_request
from load.mixed import RATE, send_at_rate
from load.place import Place, installed, solver_at_work
from load.samples import judged, milliseconds, percentile
from load.share import share_rate

TITLE = "Load: 200 pages that follow a run"
STREAMS, REST_SECONDS, SHARE_SECONDS, MIXED_SECONDS = 200, 10.0, 6, 10.0
MOST_OF_A_CORE = 0.10
MOST_CHANGE = 0.20


class Streams:
    """Open streams, read and discarded in a separate thread."""

    def __init__(self, port: int, requests: Sequence[bytes]) -> None:
        self.events = 0
        self.closed = 0
        self._port, self._requests = port, requests
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Streams:
        """Open them all."""
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._open(), self._loop).result(60)
        return self

    def __exit__(self, *_: object) -> None:
        """Close them all."""
        for task in self._tasks:
            self._loop.call_soon_threadsafe(task.cancel)
        time.sleep(0.5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    async def _open(self) -> None:
        opened = [await asyncio.open_connection("127.0.0.1", self._port) for _ in self._requests]
        for (_, writer), request in zip(opened, self._requests, strict=True):
            writer.write(request)
        self._tasks = [asyncio.create_task(self._read(*one)) for one in opened]

    async def _read(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while piece := await reader.read(1 << 16):
                self.events += piece.count(b"\nevent: ") + piece.startswith(b"event: ")
            self.closed += 1
        finally:
            writer.close()


@contextmanager
def following(place: Place, run: str, streams: int = STREAMS) -> Iterator[Streams]:
    """Follow a run with this many streams during the `with` statement."""
    as_page = build_request("GET", f"/{run}/events", {"Accept": "text/event-stream", **place.cookie})
    as_program = build_request("GET", f"/api/v1/{run}/events", {"Accept": "text/event-stream", **place.key})
    with Streams(place.port, [as_page, as_program] * (streams // 2)) as opened:
        time.sleep(2)
        yield opened


def measure(databases: Sequence[str]) -> str:
    """Measure with and without the streams."""
    rows = []
    for database in databases:
        with installed(database) as place, solver_at_work(place) as run:
            without = _look(place)
            _settle(place)
            with following(place, run) as streams:
                began = streams.events
                having = _look(place)
                assert streams.events > began, "no stream was sent anything"
                lost = streams.closed
        cost = having[0] - without[0]
        slower, later = 1 - having[1] / without[1], having[2] / without[2] - 1
        rows.append(
            (
                place.title,
                judged(f"{100 * cost:.1f} %", cost < MOST_OF_A_CORE),
                judged(f"{without[1]:,.0f} → {having[1]:,.0f}", slower <= MOST_CHANGE),
                judged(f"{milliseconds(without[2])} → {milliseconds(having[2])}", later <= MOST_CHANGE),
                judged(lost, lost == 0),
            )
        )
    titles = ("", "streams, of a core", "share page, a second", f"p99 at {RATE} a second, mixed", "streams lost")
    text = (
        f"{STREAMS} streams of one active run. Required: less than 10 % of a core, "
        "the others change by 20 % at most.\n\n"
    )
    return text + markdown_table(titles, rows)


def _settle(place: Place) -> None:
    """Wait until the server is idle."""
    for _ in range(30):
        used = place.server_seconds()
        time.sleep(1)
        if place.server_seconds() - used < 0.1:
            return


def _look(place: Place) -> tuple[float, float, float]:
    """Return what the server takes of a core while nobody asks, the rate of the share page, and p99 of a mix."""
    time.sleep(1)
    began, used = time.monotonic(), place.server_seconds()
    time.sleep(REST_SECONDS)
    resting = (place.server_seconds() - used) / (time.monotonic() - began)
    rate = share_rate(place, SHARE_SECONDS).per_second
    mixed = asyncio.run(send_at_rate(place, RATE, MIXED_SECONDS))
    return resting, rate, percentile(mixed.samples, 99)
