"""One editor of a plan of 300 guests: how long the effects of all seats take, and how long a move takes to be saved."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass

from bench.report import markdown_table
from load.client import Client
from load.place import Place, checked, installed, start_run, wait_for_run
from load.samples import Sample, judged, milliseconds, outcomes, percentile

TITLE = "Load: effects and moves of 300 guests"
GUESTS, TIMES = 300, 60
HOUSEHOLD = 6
PATIENCE = 30.0
MOST_EFFECTS, MOST_MOVE = 0.05, 0.15


def measure(databases: Sequence[str]) -> str:
    """Ask for effects and move guests, one after the other."""
    rows = []
    for database in databases:
        with installed(database, GUESTS) as place:
            _make_household(place)
            rows.append(_row(place, *asyncio.run(edit(place, TIMES))))
    text = (
        f"{TIMES} guests in turn: the effects of all seats for one guest, for two and for a household of "
        f"{HOUSEHOLD}, then a swap; it answers with the whole plan. "
        f"Required: effects of one guest and of the household within {MOST_EFFECTS * 1000:.0f} ms (p50), "
        f"moves within {MOST_MOVE * 1000:.0f} ms (p95). “Work” is the processor time of the server for a "
        "request, which other programs on the machine do not change.\n\n"
    )
    titles = (
        "",
        "answers",
        "effects p50",
        "work",
        "effects of two p50",
        "work",
        f"of {HOUSEHOLD} p50",
        "work",
        "move p95",
        "work",
    )
    return text + markdown_table(titles, rows)


@dataclass(frozen=True)
class Took:
    """How long some requests took, and the processor time of the server for each of them."""

    samples: list[Sample]
    work: float


async def edit(place: Place, times: int) -> list[Took]:
    """Return how long the effects of one guest, of two and of the household took, and the moves."""
    rng, address = random.Random(300), f"events/{place.event}/plans/{place.plan}"
    household = "&".join(f"guest={guest}" for guest in place.guests[:HOUSEHOLD])
    pairs = [rng.sample(place.guests, 2) for _ in range(times)]
    swaps = [{"kind": "swap", "guest": one, "other": other, "anyway": True} for one, other in pairs]
    return [
        await _send(place, [place.call("GET", f"{address}/effects?guest={one}") for one, _ in pairs]),
        await _send(place, [place.call("GET", f"{address}/effects?guest={one}&guest={two}") for one, two in pairs]),
        await _send(place, [place.call("GET", f"{address}/effects?{household}")] * times),
        await _send(place, [place.call("POST", f"{address}/moves", swap, If_Match="*") for swap in swaps]),
    ]


async def _send(place: Place, requests: list[bytes]) -> Took:
    client, samples, before = Client(place.port, PATIENCE), list[Sample](), place.server_seconds()
    for request in requests:
        await _timed(client, request, samples)
    client.close()
    return Took(samples, (place.server_seconds() - before) / len(requests))


async def _timed(client: Client, request: bytes, samples: list[Sample]) -> None:
    began = time.monotonic()
    answer = await client.send(request)
    seconds = time.monotonic() - began
    is_good = answer.status == 200 and bool(json.loads(answer.body))
    samples.append(Sample("edit", seconds, answer.outcome, is_good))


def _make_household(place: Place) -> None:
    """Let the first few guests belong to one household, and plan again."""
    for guest in place.guests[:HOUSEHOLD]:
        answer = place.api.patch(
            f"events/{place.event}/guests/{guest}", json={"party": "Six"}, headers={"If-Match": "*"}
        )
        checked(answer)
    run = start_run(place, place.event, {"time_limit": 2, "restarts": 200})
    place.plan = wait_for_run(place, place.event, run)["plan_id"]


def _row(place: Place, one: Took, two: Took, six: Took, moves: Took) -> tuple[object, ...]:
    every = [*one.samples, *two.samples, *six.samples, *moves.samples]
    median, slow = percentile(one.samples, 50), percentile(moves.samples, 95)
    together = percentile(six.samples, 50)
    return (
        place.title,
        judged(outcomes(every), all(sample.is_good for sample in every)),
        judged(milliseconds(median), median < MOST_EFFECTS),
        milliseconds(one.work),
        milliseconds(percentile(two.samples, 50)),
        milliseconds(two.work),
        judged(milliseconds(together), together < MOST_EFFECTS),
        milliseconds(six.work),
        judged(milliseconds(slow), slow < MOST_MOVE),
        milliseconds(moves.work),
    )
