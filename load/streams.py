"""Many pages that follow one run, and their cost for the server and other requests."""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from statistics import median

from bench.report import markdown_table
from load.client import build_request
from load.mixed import RATE, send_at_rate
from load.place import Place, installed, solver_at_work
from load.samples import judged, percentile
from load.share import share_rate

TITLE = "Load: 200 pages that follow a run"
STREAMS, ROUNDS = 200, 5
REST_SECONDS, SHARE_SECONDS, MIXED_SECONDS = 5.0, 5, 10.0
MOST_OF_A_CORE = 0.10
MOST_CHANGE = 0.20


class Streams:
    """Open streams, read and discarded in a separate process, so that they do not slow down the measurement."""

    def __init__(self, port: int, requests: Sequence[bytes]) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._pipe, theirs = spawn.Pipe()
        self._process = spawn.Process(target=_run_reader, args=(port, requests, theirs), daemon=True)

    def __enter__(self) -> Streams:
        """Open them all."""
        self._process.start()
        assert self._pipe.poll(60), "the streams were not opened"
        self._pipe.recv()
        return self

    def __exit__(self, *_: object) -> None:
        """Close them all."""
        self._pipe.send("stop")
        self._process.join(10)
        self._process.terminate()

    def count(self) -> tuple[int, int]:
        """Return how many events came so far, and how many streams the server has closed."""
        self._pipe.send("count")
        events, closed = self._pipe.recv()
        return events, closed


def _run_reader(port: int, requests: Sequence[bytes], pipe: Connection) -> None:
    asyncio.run(_Reader().run(port, requests, pipe))


class _Reader:
    """Reads the streams and counts."""

    def __init__(self) -> None:
        self._events = 0
        self._closed = 0

    async def run(self, port: int, requests: Sequence[bytes], pipe: Connection) -> None:
        """Open the streams, say so, and answer questions until told to stop."""
        opened = [await asyncio.open_connection("127.0.0.1", port) for _ in requests]
        for (_, writer), request in zip(opened, requests, strict=True):
            writer.write(request)
        tasks = [asyncio.create_task(self._read(*one)) for one in opened]
        pipe.send("open")
        while await asyncio.to_thread(pipe.recv) == "count":
            pipe.send((self._events, self._closed))
        for task in tasks:
            task.cancel()

    async def _read(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while piece := await reader.read(1 << 16):
                self._events += piece.count(b"\nevent: ") + piece.startswith(b"event: ")
            self._closed += 1
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
    """Measure with and without the streams in turn, and compare the medians."""
    rows = []
    for database in databases:
        with installed(database) as place:
            without, having, lost = _look_in_turn(place)
        cost = median(one.resting for one in having) - median(one.resting for one in without)
        slower = 1 - median(one.rate for one in having) / median(one.rate for one in without)
        later = median(one.p99 for one in having) / median(one.p99 for one in without) - 1
        rows.append(
            (
                place.title,
                judged(f"{100 * cost:.1f} %", cost < MOST_OF_A_CORE),
                judged(_compared([one.rate for one in without], [one.rate for one in having]), slower <= MOST_CHANGE),
                judged(
                    _compared([1000 * one.p99 for one in without], [1000 * one.p99 for one in having], " ms"),
                    later <= MOST_CHANGE,
                ),
                judged(lost, lost == 0),
            )
        )
    titles = ("", "streams, of a core", "share page, a second", f"p99 at {RATE} a second, mixed", "streams lost")
    text = (
        f"{STREAMS} streams of one active run. Medians of {ROUNDS} readings without and {ROUNDS} with the streams, in "
        "turn; the lowest and the highest in brackets. Required: less than 10 % of a core, the others change by "
        "20 % at most.\n\n"
    )
    return text + markdown_table(titles, rows)


@dataclass(frozen=True)
class Reading:
    """What the server takes of a core while nobody asks, the rate of the share page, and p99 of a mix."""

    resting: float
    rate: float
    p99: float


def _look_in_turn(place: Place) -> tuple[list[Reading], list[Reading], int]:
    """Return readings without and with the streams, and how many streams were lost."""
    without: list[Reading] = []
    having: list[Reading] = []
    lost = 0
    _look(place)  # what the first requests load is no part of this
    for number in range(ROUNDS):
        # Every second round begins with the streams: a machine that slows down meanwhile slows both down.
        order = (False, True) if number % 2 == 0 else (True, False)
        with solver_at_work(place) as run:
            for has_streams in order:
                _settle(place)
                if has_streams:
                    reading, closed = _look_with_streams(place, run)
                    having.append(reading)
                    lost += closed
                else:
                    without.append(_look(place))
    return without, having, lost


def _look_with_streams(place: Place, run: str) -> tuple[Reading, int]:
    with following(place, run) as streams:
        began, _ = streams.count()
        reading = _look(place)
        events, closed = streams.count()
        assert events > began, "no stream was sent anything"
        return reading, closed


def _compared(without: Sequence[float], having: Sequence[float], unit: str = "") -> str:
    """Write two medians, each with its range."""
    return " → ".join(f"{median(some):,.0f}{unit} ({min(some):,.0f}–{max(some):,.0f})" for some in (without, having))


def _settle(place: Place) -> None:
    """Wait until the server is idle."""
    for _ in range(30):
        used = place.server_seconds()
        time.sleep(1)
        if place.server_seconds() - used < 0.1:
            return


def _look(place: Place) -> Reading:
    time.sleep(1)
    began, used = time.monotonic(), place.server_seconds()
    time.sleep(REST_SECONDS)
    resting = (place.server_seconds() - used) / (time.monotonic() - began)
    rate = share_rate(place, SHARE_SECONDS).per_second
    mixed = asyncio.run(send_at_rate(place, RATE, MIXED_SECONDS))
    return Reading(resting, rate, percentile(mixed.samples, 99))
