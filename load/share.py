"""The share page, requested as often as 32 connections can."""

from __future__ import annotations

import asyncio
import re
import resource
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bench.report import markdown_table
from load.client import Client
from load.place import AS_BROWSER, Place, installed
from load.samples import judged

TITLE = "Load: the share page"
CONNECTIONS, SECONDS, PATIENCE = 32, 10, 10.0
LEAST_RATE = 400
RATE_LINE = re.compile(r"^Requests/sec:\s*([\d.]+)", re.MULTILINE)
BAD_LINE = re.compile(r"Non-2xx or 3xx responses: (\d+)")
LOST_LINE = re.compile(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)")


@dataclass(frozen=True)
class Rate:
    """Requests per second, errors, and the share of a core that client and server used."""

    by: str
    per_second: float
    errors: int
    client_share: float
    server_share: float


def measure(databases: Sequence[str]) -> str:
    """Request the page again and again."""
    rows = []
    for database in databases:
        with installed(database) as place:
            found = share_rate(place)
        rows.append(
            (
                place.title,
                judged(f"{found.per_second:,.0f}", found.per_second >= LEAST_RATE),
                judged(found.errors, found.errors == 0),
                f"{100 * found.server_share:.0f} %",
                f"{100 * found.client_share:.0f} % ({found.by})",
            )
        )
    titles = ("", "requests a second", "errors", "server, of a core", "client, of a core")
    text = f"{CONNECTIONS} open connections, for {SECONDS} s. Required: at least {LEAST_RATE} a second.\n\n"
    return text + markdown_table(titles, rows)


def share_rate(place: Place, seconds: int = SECONDS) -> Rate:
    """Request the share page for some seconds: with wrk if it is installed, because it costs least."""
    began, used = time.monotonic(), place.server_seconds()
    asked = _with_wrk if shutil.which("wrk") else _with_own_client
    by, per_second, errors, client_seconds = asked(place, seconds)
    lasted = time.monotonic() - began
    return Rate(by, per_second, errors, client_seconds / lasted, (place.server_seconds() - used) / lasted)


def _with_wrk(place: Place, seconds: int) -> tuple[str, float, int, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    headers = [part for name, value in AS_BROWSER.items() for part in ("-H", f"{name}: {value}")]
    address = f"http://127.0.0.1:{place.port}/s/{place.share}"
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", f"--timeout={PATIENCE:.0f}s", *headers, address]
    output = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds + 60).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    rate, bad, lost = RATE_LINE.search(output), BAD_LINE.search(output), LOST_LINE.search(output)
    errors = (int(bad[1]) if bad else 0) + (sum(map(int, lost.groups())) if lost else 0)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return "wrk", float(rate[1]) if rate else 0.0, errors, took


def _with_own_client(place: Place, seconds: int) -> tuple[str, float, int, float]:
    used = time.process_time()
    counted = asyncio.run(keep_asking(place.port, [place.share_page], CONNECTIONS, seconds))
    good = counted["200"]
    return "our own", good / seconds, counted.total() - good, time.process_time() - used


async def keep_asking(
    port: int, requests: Sequence[bytes], connections: int, seconds: float, most: int | None = None
) -> Counter[str]:
    """Send one request after the other on each connection; return how often each outcome occurred."""
    client, counted, end = Client(port, PATIENCE), Counter[str](), time.monotonic() + seconds
    sent = 0

    async def one() -> None:
        nonlocal sent
        while time.monotonic() < end and (most is None or sent < most):
            sent += 1
            answer = await client.send(requests[sent % len(requests)])
            counted[answer.outcome] += 1

    await asyncio.gather(*(one() for _ in range(connections)))
    client.close()
    return counted
