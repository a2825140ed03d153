"""500 people open the same page at once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from bench.report import markdown_table
from load.client import Client, OwnCost, build_request
from load.place import AS_BROWSER, Place, installed
from load.probe import Health, Prober
from load.samples import Sample, count_bad, judged, milliseconds, outcomes, percentile, slowest

TITLE = "Load: 500 requests at once"
REQUESTS, PATIENCE = 500, 20.0
WARM_UP = 20
MOST_SECONDS, MOST_HEALTH = 5.0, 0.1


def measure(databases: Sequence[str]) -> str:
    """Send each kind of request 500 times at once, while `/healthz` is requested every 50 ms."""
    rows = []
    for database in databases:
        with installed(database) as place:
            for kind, request in requests_of(place).items():
                with Prober(place.port) as prober:
                    samples, cost = asyncio.run(send_at_once(place.port, kind, request, REQUESTS))
                rows.append(_row(place, kind, samples, prober.health, cost))
    titles = ("", "answers", "errors", "median", "slowest", "slowest `/healthz`", "client")
    text = "Each on its own connection. Required: no errors, the slowest under 5 s, `/healthz` under 100 ms.\n\n"
    return text + markdown_table(titles, rows)


def requests_of(place: Place) -> dict[str, bytes]:
    """Return the requests: two that need no sign-in, and one of the API."""
    return {
        "sign-in page": build_request("GET", "/sign-in", AS_BROWSER),
        "share page": place.share_page,
        "API read": place.call("GET", f"events/{place.event}/guests?limit=200"),
    }


async def send_at_once(
    port: int, kind: str, request: bytes, number: int, patience: float = PATIENCE
) -> tuple[list[Sample], OwnCost]:
    """Open this many connections and send the request over all of them at once."""
    client = Client(port, patience)
    for _ in range(WARM_UP):  # do not measure what a process loads at its first request
        await client.send(request, fresh=True)
    async with OwnCost() as cost:
        began = time.monotonic()

        async def one() -> Sample:
            answer = await client.send(request, fresh=True)
            return Sample(kind, time.monotonic() - began, answer.outcome, answer.status == 200)

        samples = await asyncio.gather(*(one() for _ in range(number)))
    return samples, cost


def _row(place: Place, kind: str, samples: list[Sample], health: Health, cost: OwnCost) -> tuple[str, ...]:
    bad, longest = count_bad(samples), slowest(samples)
    is_healthy = not health.failed and health.slowest < MOST_HEALTH
    return (
        f"{place.title}, {kind}",
        outcomes(samples),
        judged(bad, bad == 0),
        milliseconds(percentile(samples, 50)),
        judged(milliseconds(longest), longest < MOST_SECONDS),
        judged(f"{milliseconds(health.slowest)} of {health.asked}", is_healthy),
        cost.text(),
    )
