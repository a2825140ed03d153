"""500 phones that open “Find your seat” within a minute, each with its files, while somebody edits the plan."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from bench.report import markdown_table
from load.client import Client, OwnCost, build_request
from load.place import AS_BROWSER, Place, installed
from load.samples import Sample, count_bad, judged, milliseconds, outcomes, percentile, slowest

TITLE = "Load: 500 phones find their seats"
PHONES, SECONDS, GUESTS = 500, 60.0, 300
EDITS_A_SECOND, PATIENCE = 2, 10.0
MOST_P99, MOST_BYTES = 0.3, 50 * 1024
FILES = re.compile(rb'(?:href|src)="(/static/[^"]+)"')


@dataclass
class Opened:
    """How long pages, their files, later checks and edits took."""

    samples: list[Sample] = field(default_factory=list)

    def of(self, kind: str) -> list[Sample]:
        """Return the samples of one kind."""
        return [sample for sample in self.samples if sample.kind == kind]


def measure(databases: Sequence[str]) -> str:
    """Let the phones come at random moments of the minute."""
    rows = []
    for database in databases:
        with installed(database, GUESTS) as place:
            size, files = _size_and_files(place)
            opened, cost = asyncio.run(open_at_random(place, files, PHONES, SECONDS))
            rows.append(_row(place, opened, size, cost))
    text = (
        f"{PHONES} phones open the page of {GUESTS} guests at random moments of {SECONDS:.0f} s, each on a connection "
        "of its own and with the files of the page, and check once whether it has changed; somebody makes "
        f"{EDITS_A_SECOND} moves a second, each of which changes the page. Required: p99 of the pages under "
        f"{MOST_P99 * 1000:.0f} ms, no failure, and the page under {MOST_BYTES // 1024} KiB before compression.\n\n"
    )
    titles = ("", "pages", "p50", "p99", "slowest", "files p99", "checks p99", "edits", "size", "client")
    return text + markdown_table(titles, rows)


def _size_and_files(place: Place) -> tuple[int, list[bytes]]:
    """Return the size of the page before compression, and the requests for what it loads."""
    page = place.site.browser().get(f"/s/{place.share}", headers={"Accept-Encoding": "identity"}).content
    paths = [found.decode() for found in FILES.findall(page)]
    return len(page), [build_request("GET", path, AS_BROWSER) for path in paths]


async def open_at_random(place: Place, files: Sequence[bytes], phones: int, seconds: float) -> tuple[Opened, OwnCost]:
    """Open the page on so many phones within so many seconds, and edit the plan meanwhile."""
    rng, opened = random.Random(phones), Opened()
    end = time.monotonic() + seconds
    async with OwnCost() as cost:
        phones_open = [_open(place, files, rng.uniform(0, seconds), opened) for _ in range(phones)]
        await asyncio.gather(_edit(place, end, opened), *phones_open)
    return opened, cost


async def _open(place: Place, files: Sequence[bytes], delay: float, opened: Opened) -> None:
    await asyncio.sleep(delay)
    client = Client(place.port, PATIENCE)
    await _timed(client, "page", place.share_page, opened)
    for request in files:
        await _timed(client, "file", request, opened)
    check = build_request("GET", f"/s/{place.share}", {**AS_BROWSER, "If-None-Match": '"seen before"'})
    await _timed(client, "check", check, opened)
    client.close()


async def _edit(place: Place, end: float, opened: Opened) -> None:
    rng, client = random.Random(1), Client(place.port, PATIENCE)
    path = f"events/{place.event}/plans/{place.plan}/moves"
    while time.monotonic() < end:
        guest, other = rng.sample(place.guests, 2)
        swap = {"kind": "swap", "guest": guest, "other": other, "anyway": True}
        await _timed(client, "edit", place.call("POST", path, swap, If_Match="*"), opened)
        await asyncio.sleep(1 / EDITS_A_SECOND)
    client.close()


async def _timed(client: Client, kind: str, request: bytes, opened: Opened) -> None:
    began = time.monotonic()
    answer = await client.send(request)
    opened.samples.append(Sample(kind, time.monotonic() - began, answer.outcome, answer.status in (200, 409)))


def _row(place: Place, opened: Opened, size: int, cost: OwnCost) -> tuple[object, ...]:
    pages = opened.of("page")
    worst = percentile(pages, 99)
    return (
        place.title,
        judged(outcomes(pages), count_bad(pages) == 0),
        milliseconds(percentile(pages, 50)),
        judged(milliseconds(worst), worst < MOST_P99),
        milliseconds(slowest(pages)),
        milliseconds(percentile(opened.of("file"), 99)),
        milliseconds(percentile(opened.of("check"), 99)),
        outcomes(opened.of("edit")),
        judged(f"{size / 1024:.0f} KiB", size < MOST_BYTES),
        cost.text(),
    )
