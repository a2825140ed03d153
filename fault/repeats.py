"""The same form or request sent several times at once starts one run."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

from app.db.session import transaction
from bench.report import markdown_table
from fault.outcome import COUNT_RUNS
from fault.postgres import Postgres
from fault.site import Site

TITLE = "Sent twice, started once"
TIMES = 8


def measure(rounds: int = 10) -> str:
    """Send each form and each request eight times at once to two servers."""
    with Postgres() as postgres, Site(postgres.address, webs=2) as site:
        event = site.event(22, (4, 4, 5, 6, 3))
        browsers, clients = [site.browser(n % 2) for n in range(TIMES)], [site.api(n % 2) for n in range(TIMES)]
        with ThreadPoolExecutor(TIMES) as threads:
            for _ in range(rounds):
                form, key = {"submission": str(uuid4())}, {"Idempotency-Key": uuid4().hex}
                pages = threads.map(lambda b, form=form: b.post(f"/events/{event}/runs", data=form), browsers)
                assert len({page.headers["location"] for page in pages}) == 1
                answers = threads.map(lambda c, key=key: c.post(f"events/{event}/runs", json={}, headers=key), clients)
                assert len({answer.json()["id"] for answer in answers}) == 1
        with transaction(site.sessions(), read_only=True) as session:
            stored = session.scalar(COUNT_RUNS)
    assert stored == 2 * rounds
    rows = [("forms sent", rounds * TIMES, rounds), ("requests sent", rounds * TIMES, rounds)]
    return markdown_table(("", f"{TIMES} of each at once, to two servers", "runs"), rows)
