"""20,000 guests with 200,000 ratings through the API: sent, planned and read, with real processes."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import psutil

from bench.report import markdown_table
from load.peak import Peak, gigabytes
from load.place import Place, checked, installed, start_run, wait_for_run
from load.samples import judged

TITLE = "Load: 20,000 guests with 200,000 ratings through the API"
GUESTS, RATINGS, SEATS = 20_000, 200_000, 10
CHUNK = 20_000
"""Ratings in one request: about 2.3 MB."""
RUN = {"time_limit": 30, "restarts": 1000}
MOST_PUSH, MOST_PLAN, MOST_READ = 60.0, 120.0, 1.0
PATIENCE = 5 * MOST_PLAN  # what takes too long is measured all the same
MOST_SERVER, MOST_WORKER = 1_000_000_000, 2_000_000_000
READS = 5
FRESH = {"If-Match": "*"}  # the lists are empty, so any version of them is fine
T = TypeVar("T")


@dataclass(frozen=True)
class Taken:
    """The time of one step, and the processor time of server and worker."""

    seconds: float
    processor: float


def measure(databases: Sequence[str]) -> str:
    """Send, plan and read the event on each database."""
    rows = []
    for database in databases:
        with installed(database, guests=0) as place:
            rows.append(_row(place))
    titles = ("", "pushed", "planned", "`GET` plan", "pages, slowest", "server at most", "worker at most")
    text = (
        f"Guests in one request, ratings in {RATINGS // CHUNK} of {CHUNK:,}; a run of {RUN['time_limit']} s. "
        "In brackets the processor time of server and worker. "
        "Required: pushed in under 60 s, planned in under 120 s, read in under 1 s, 1 GB in the server and 2 GB in the "
        "worker at most.\n\n"
    )
    return text + markdown_table(titles, rows)


def _row(place: Place) -> tuple[object, ...]:
    with Peak(place.server_processes) as server, Peak(place.worker_processes) as worker:
        event, pushed = _push(place)
        plan, planned = _plan(place, event)
        reads = [_timed(place, lambda: place.api.get(f"events/{event}/plans/{plan}"))[1] for _ in range(READS)]
        pages = _open_pages(place, event, plan)
    read = max(reads, key=lambda one: one.seconds)
    slowest = max(pages, key=lambda name: pages[name].seconds)
    return (
        place.title,
        judged(_text(pushed), pushed.seconds < MOST_PUSH),
        judged(_text(planned), planned.seconds < MOST_PLAN),
        judged(_text(read), read.seconds < MOST_READ),
        f"{slowest} {_text(pages[slowest])}",
        judged(gigabytes(server.bytes), server.bytes < MOST_SERVER),
        judged(gigabytes(worker.bytes), worker.bytes < MOST_WORKER),
    )


def _push(place: Place) -> tuple[str, Taken]:
    """Send guests, tables and ratings; return the event."""
    rng, api = random.Random(12), place.api
    event = checked(api.post("events", json={"name": "Convention"}))["id"]
    people = [{"name": f"Guest {number + 1}"} for number in range(GUESTS)]
    tables = [{"name": f"Table {number + 1}", "seats": SEATS} for number in range(-(-GUESTS // SEATS))]
    drawn: set[tuple[int, int]] = set()
    while len(drawn) < RATINGS:
        a = rng.randrange(GUESTS)
        drawn.add((a, (a + rng.randrange(1, GUESTS)) % GUESTS))
    pairs = sorted(drawn)

    def send() -> None:
        found = checked(api.put(f"events/{event}/guests", json={"guests": people}, headers=FRESH))["guests"]
        ids = [guest["id"] for guest in found]
        checked(api.put(f"events/{event}/tables", json={"tables": tables}, headers=FRESH))
        for start in range(0, len(pairs), CHUNK):
            ratings = [
                {"a": ids[a], "b": ids[b], "score": rng.choice((-2, -1, 1, 2))} for a, b in pairs[start : start + CHUNK]
            ]
            checked(api.patch(f"events/{event}/ratings", json={"ratings": ratings}))

    return event, _timed(place, send)[1]


def _plan(place: Place, event: str) -> tuple[str, Taken]:
    """Start a run and return its plan."""

    def make() -> str:
        run = start_run(place, event, dict(RUN))
        return str(wait_for_run(place, event, run, patience=PATIENCE)["plan_id"])

    return _timed(place, make)


def _open_pages(place: Place, event: str, plan: str) -> dict[str, Taken]:
    """Open the pages of the event once each."""
    paths = {
        "guests": f"/events/{event}/guests",
        "tables": f"/events/{event}/tables",
        "ratings": f"/events/{event}/ratings/all",
        "rules": f"/events/{event}/rules",
        "start": f"/events/{event}/plan?new=1",
        "plan": f"/events/{event}/plans/{plan}",
    }
    root = str(place.api.base_url).split("/api/")[0]
    taken = {}
    for name, path in paths.items():
        answer, taken[name] = _timed(place, lambda path=path: place.api.get(root + path, headers=place.cookie))  # type: ignore[misc]
        assert answer.status_code == 200, (path, answer.status_code)
    return taken


def _timed(place: Place, work: Callable[[], T]) -> tuple[T, Taken]:
    began, used = time.monotonic(), _processor_seconds(place)
    answer = work()
    return answer, Taken(time.monotonic() - began, _processor_seconds(place) - used)


def _processor_seconds(place: Place) -> float:
    processes: list[psutil.Process] = [*place.server_processes(), *place.worker_processes()]
    return sum(sum(process.cpu_times()[:2]) for process in processes)


def _text(taken: Taken) -> str:
    return f"{taken.seconds:.1f} s ({taken.processor:.1f} s)"
