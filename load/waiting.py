"""How long a writer waits: guests are added one by one while runs of a large event are started."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field

from bench.report import markdown_table
from load.client import Client, OwnCost
from load.place import Place, add_event, checked, installed
from load.samples import Sample, count_bad, judged, milliseconds, outcomes, percentile, slowest

TITLE = "Load: how long a writer waits while a run of 5,000 guests is started"
GUESTS, RUNS, PAUSE = 5_000, 3, 0.05
PATIENCE, MOST_WAIT, REST = 60.0, 0.2, 3.0
RUN = {"time_limit": 1, "restarts": 1}


@dataclass
class Writing:
    """Writes that were sent one after the other, and whether to continue."""

    samples: list[Sample] = field(default_factory=list)
    is_over: bool = False


def measure(databases: Sequence[str]) -> str:
    """Add guests to a small event, first alone, then while runs of a large event are started."""
    rows = []
    for database in databases:
        with installed(database, guests=0) as place:
            large, _ = add_event(place, GUESTS, "Convention", couples=False)
            small = checked(place.api.post("events", json={"name": "Supper"}))["id"]
            rows.append(asyncio.run(_watch(place, large, small)))
    titles = ("", "alone: slowest", "while runs start: median", "slowest", "answers", "a run is started in", "client")
    text = (
        f"A writer adds a guest to another event every {1000 * PAUSE:.0f} ms while {RUNS} runs of {GUESTS:,} guests "
        "are started, one after the other. Required: the slowest write under 200 ms, none refused.\n\n"
    )
    return text + markdown_table(titles, rows)


async def _watch(place: Place, large: str, small: str) -> tuple[object, ...]:
    client = Client(place.port, PATIENCE)
    alone, beside = Writing(), Writing()
    starts: list[float] = []
    async with OwnCost() as cost:
        await _while(client, place, small, alone, asyncio.sleep(REST))
        await _while(client, place, small, beside, _start_runs(client, place, large, starts))
    waited = slowest(beside.samples)
    is_good = waited < MOST_WAIT and not count_bad(beside.samples)
    return (
        place.title,
        milliseconds(slowest(alone.samples)),
        milliseconds(percentile(beside.samples, 50)),
        judged(milliseconds(waited), is_good),
        outcomes(beside.samples),
        ", ".join(milliseconds(seconds) for seconds in starts),
        cost.text(),
    )


async def _while(client: Client, place: Place, event: str, writing: Writing, work: Awaitable[None]) -> None:
    """Write until the work is done."""
    task = asyncio.ensure_future(_write(client, place, event, writing))
    await work
    writing.is_over = True
    await task


async def _write(client: Client, place: Place, event: str, writing: Writing) -> None:
    number = 0
    while not writing.is_over:
        number += 1
        body = {"name": f"Guest {number} of {id(writing)}"}
        began = time.monotonic()
        answer = await client.send(place.call("POST", f"events/{event}/guests", body))
        took = time.monotonic() - began
        writing.samples.append(Sample("write", took, answer.outcome, answer.status == 201))
        await asyncio.sleep(PAUSE)


async def _start_runs(client: Client, place: Place, event: str, starts: list[float]) -> None:
    for _ in range(RUNS):
        began = time.monotonic()
        answer = await client.send(place.call("POST", f"events/{event}/runs", RUN))
        assert answer.status == 202, (answer.outcome, answer.body[:300])
        starts.append(time.monotonic() - began)
        await asyncio.sleep(PAUSE)
