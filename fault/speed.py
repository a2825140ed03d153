"""How fast a run starts on an idle installation, and how fast pages are while two workers use all cores."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import httpx2

from bench.report import markdown_table
from fault.postgres import Postgres
from fault.site import OVER, Site, wait_until

TITLE = "Submit to start, and pages under load"
START_LIMIT, PAGE_LIMIT = 50.0, 100.0
ENDLESS = {"method": "full", "restarts": 1_000_000, "time_limit": 600}


def measure(runs: int = 40, requests: int = 300) -> str:
    """Measure both engines idle, then the pages under load."""
    rows = []
    with Site() as site:
        rows.append(("start, SQLite", *_starts(site, runs), f"median {START_LIMIT:.0f} ms"))
    with Postgres() as postgres, Site(postgres.address, workers=2) as site:
        rows.append(("start, PostgreSQL", *_starts(site, runs), f"median {START_LIMIT:.0f} ms"))
        with _two_solvers(site) as event:
            for page in ("guests", "tables", "rules"):
                found = _page(site, f"{event}/{page}", requests)
                rows.append((f"{page} page while two workers solve", *found, f"p95 {PAGE_LIMIT:.0f} ms"))
    return markdown_table(("", "median", "p95", "limit"), rows) + "\n\n" + TEXT


TEXT = (
    "A start is measured from just before the request is sent until a worker holds the run, including HTTP and the "
    "copy of the event. The workers are idle before it. The event of the pages has thirty rules."
)


def _starts(site: Site, runs: int) -> tuple[str, str]:
    """Start runs one after the other, each after the previous one has ended."""
    api, address = site.api(), f"events/{site.event(22, (4, 4, 5, 6, 3))}/runs"
    site.wait_until_idle()
    milliseconds = []
    for number in range(runs + 3):
        sent = time.time()
        run = api.post(address, json={"restarts": 1, "time_limit": 0.2}).json()
        ended = _end(api, f"{address}/{run['id']}")
        if number >= 3:  # the first ones load the kernels
            milliseconds.append(1000 * (datetime.fromisoformat(ended["started_at"]).timestamp() - sent))
        time.sleep(0.1)
    return _spell(milliseconds)


def _end(api: httpx2.Client, address: str) -> dict[str, str]:
    while True:
        run: dict[str, str] = api.get(address).json()
        if run["status"] in OVER:
            return run
        time.sleep(0.02)


@contextmanager
def _two_solvers(site: Site) -> Iterator[str]:
    """Let two workers solve a large event at the same time; yield the address of its pages."""
    api, event = site.api(), f"events/{site.event(300, (10,) * 30)}"
    _add_rules(api, event)
    runs = [f"{event}/runs/{api.post(f'{event}/runs', json={**ENDLESS, 'seed': seed}).json()['id']}" for seed in (1, 2)]
    wait_until(lambda: all(api.get(run).json()["progress"] for run in runs), "two solvers at work")
    yield f"/{event}"
    for run in runs:
        api.delete(run)


def _add_rules(api: httpx2.Client, event: str, count: int = 30) -> None:
    """Keep some apart and some together, in pairs along the list."""
    ids = [guest["id"] for guest in api.get(f"{event}/guests", params={"limit": 2 * count}).json()["guests"]]
    pairs = zip(ids[::2], ids[1::2], strict=True)
    kinds = ("apart", "together")
    rules = [{"kind": kinds[number % 2], "guests": pair} for number, pair in enumerate(pairs)]
    api.put(f"{event}/rules", json={"rules": rules}).raise_for_status()


def _page(site: Site, address: str, requests: int) -> tuple[str, str]:
    browser, milliseconds = site.browser(), []
    for _ in range(requests):
        began = time.perf_counter()
        answer = browser.get(address)
        milliseconds.append(1000 * (time.perf_counter() - began))
        assert answer.status_code in (200, 303), answer.status_code
        time.sleep(0.02)
    return _spell(milliseconds)


def _spell(milliseconds: list[float]) -> tuple[str, str]:
    p95 = statistics.quantiles(milliseconds, n=20)[-1]
    return f"{statistics.median(milliseconds):.0f} ms", f"{p95:.0f} ms"
