"""Whether the memory of the server, all its processes together, grows with the number of requests."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from bench.report import markdown_table
from load.mixed import Traffic
from load.place import Place, installed
from load.samples import judged
from load.share import keep_asking

TITLE = "Load: memory of the server after 50,000 requests"
REQUESTS, WARM_UP, CONNECTIONS = 50_000, 5_000, 16
MOST_SECONDS = 900.0
MOST_GROWTH = 20.0
MEGABYTE = 1e6


def measure(databases: Sequence[str]) -> str:
    """Request everything in turn: pages, reads and the share page."""
    rows = []
    for database in databases:
        with installed(database) as place:
            before, after, asked, errors = growth(place)
        rows.append(
            (
                place.title,
                judged(f"{asked:,}", asked >= REQUESTS),
                f"{before:,.0f} → {after:,.0f} MB",
                judged(f"{after - before:+.1f} MB", after - before <= MOST_GROWTH),
                judged(errors, errors == 0),
            )
        )
    titles = ("", "requests", "resident memory", "growth", "errors")
    text = (
        f"After {WARM_UP:,} requests to warm up; every kind of page and read in turn, half of them the share page. "
        f"Required: no growth past {MOST_GROWTH:.0f} MB.\n\n"
    )
    return text + markdown_table(titles, rows)


def growth(place: Place, requests: int = REQUESTS) -> tuple[float, float, int, int]:
    """Return the megabytes before and after, the number of answers, and the number of errors."""
    traffic = Traffic(place)
    asked = [request for _, request in [*traffic.pages, *traffic.reads]]
    asked += [place.share_page] * len(asked)
    asyncio.run(keep_asking(place.port, asked, CONNECTIONS, MOST_SECONDS / 4, most=min(WARM_UP, requests)))
    before, end = place.server_bytes(), time.monotonic() + MOST_SECONDS
    counted = asyncio.run(keep_asking(place.port, asked, CONNECTIONS, end - time.monotonic(), most=requests))
    return before / MEGABYTE, place.server_bytes() / MEGABYTE, counted.total(), counted.total() - counted["200"]
