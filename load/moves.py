"""One editor of a plan of 300 guests: how long the effects of all seats take, and how long a move takes to be saved."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Sequence

from bench.report import markdown_table
from load.client import Client
from load.place import Place, installed
from load.samples import Sample, judged, milliseconds, outcomes, percentile

TITLE = "Load: effects and moves of 300 guests"
GUESTS, TIMES = 300, 60
PATIENCE = 30.0
MOST_EFFECTS, MOST_MOVE = 0.05, 0.15


def measure(databases: Sequence[str]) -> str:
    """Ask for effects and move guests, one after the other."""
    rows = []
    for database in databases:
        with installed(database, GUESTS) as place:
            rows.append(_row(place, *asyncio.run(edit(place, TIMES))))
    text = (
        f"{TIMES} guests in turn: the effects of all seats for one guest and for two, then a swap; it answers with the "
        f"whole plan. Required: effects of one guest within {MOST_EFFECTS * 1000:.0f} ms (p50), "
        f"moves within {MOST_MOVE * 1000:.0f} ms (p95).\n\n"
    )
    titles = ("", "answers", "effects p50", "p95", "effects of two p50", "p95", "move p50", "p95")
    return text + markdown_table(titles, rows)


async def edit(place: Place, times: int) -> tuple[list[Sample], list[Sample], list[Sample]]:
    """Return how long the effects of one guest, the effects of two and the moves took."""
    client, rng = Client(place.port, PATIENCE), random.Random(300)
    address = f"events/{place.event}/plans/{place.plan}"
    one: list[Sample] = []
    two: list[Sample] = []
    moves: list[Sample] = []
    for _ in range(times):
        guest, other = rng.sample(place.guests, 2)
        await _timed(client, place.call("GET", f"{address}/effects?guest={guest}"), one)
        await _timed(client, place.call("GET", f"{address}/effects?guest={guest}&guest={other}"), two)
        swap = {"kind": "swap", "guest": guest, "other": other, "anyway": True}
        await _timed(client, place.call("POST", f"{address}/moves", swap, If_Match="*"), moves)
    return one, two, moves


async def _timed(client: Client, request: bytes, samples: list[Sample]) -> None:
    began = time.monotonic()
    answer = await client.send(request)
    seconds = time.monotonic() - began
    is_good = answer.status == 200 and bool(json.loads(answer.body))
    samples.append(Sample("edit", seconds, answer.outcome, is_good))


def _row(place: Place, one: list[Sample], two: list[Sample], moves: list[Sample]) -> tuple[object, ...]:
    every = [*one, *two, *moves]
    median, slow = percentile(one, 50), percentile(moves, 95)
    return (
        place.title,
        judged(outcomes(every), all(sample.is_good for sample in every)),
        judged(milliseconds(median), median < MOST_EFFECTS),
        milliseconds(percentile(one, 95)),
        milliseconds(percentile(two, 50)),
        milliseconds(percentile(two, 95)),
        milliseconds(percentile(moves, 50)),
        judged(milliseconds(slow), slow < MOST_MOVE),
    )
