"""A real installation with an event of some size, its plan and its share link, on either database."""

from __future__ import annotations

import itertools
import json
import random
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import httpx2
import psutil

from fault.postgres import Postgres
from fault.site import Site
from load.client import build_request
from tests.factories import NAMES

DATABASES = ("sqlite", "postgresql")
TITLES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
GROUPS = ("Bride's family", "Groom's family", "Choir", "Colleagues", "Neighbours", "School")
SEATS = 8
SOLVE_SECONDS = 120.0
ENDLESS = {"method": "paper", "restarts": 1_000_000, "time_limit": 240.0}
AS_BROWSER = {"Accept": "text/html", "Accept-Encoding": "gzip, deflate, br, zstd"}


@dataclass
class Place:
    """The servers, and the ids to use in requests."""

    database: str
    site: Site
    api: httpx2.Client
    key: dict[str, str]
    cookie: dict[str, str]
    form: dict[str, str]
    event: str = ""
    guests: tuple[str, ...] = ()
    plan: str = ""
    share: str = ""

    @property
    def title(self) -> str:
        """The name of the database in the report."""
        return TITLES[self.database]

    @property
    def port(self) -> int:
        """Where the server listens."""
        return self.site.ports[0]

    @property
    def share_page(self) -> bytes:
        """The request that guests send."""
        return build_request("GET", f"/s/{self.share}", AS_BROWSER)

    def page(self, path: str) -> bytes:
        """Return the request for a page by a signed-in user."""
        return build_request("GET", path, {**AS_BROWSER, **self.cookie})

    def send_form(self, path: str, fields: dict[str, str], accept: str = "text/html") -> bytes:
        """Return the request that a form sends."""
        headers = {**AS_BROWSER, **self.cookie, **self.form, "Accept": accept}
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        return build_request("POST", path, headers, urlencode(fields).encode())

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> bytes:
        """Return a request to the API."""
        sent = {**self.key, "Accept": "application/json", **{k.replace("_", "-"): v for k, v in headers.items()}}
        if body is None:
            return build_request(method, f"/api/v1/{path}", sent)
        sent["Content-Type"] = "application/json"
        return build_request(method, f"/api/v1/{path}", sent, json.dumps(body).encode())

    def server_processes(self) -> list[psutil.Process]:
        """Return the processes of the web server, without the worker that it starts."""
        web = psutil.Process(self.site.webs[0].pid)
        return [web, *(child for child in web.children(recursive=True) if _has_words(child, "worker") is False)]

    def worker_processes(self) -> list[psutil.Process]:
        """Return the processes that solve."""
        web = psutil.Process(self.site.webs[0].pid)
        return [child for child in web.children(recursive=True) if _has_words(child, "worker")] + [
            psutil.Process(worker.pid) for worker in self.site.workers
        ]

    def server_seconds(self) -> float:
        """Return the processor time of the server so far."""
        return sum(sum(process.cpu_times()[:2]) for process in self.server_processes())

    def server_bytes(self) -> int:
        """Return the current memory of the server."""
        return sum(process.memory_info().rss for process in self.server_processes())


def _has_words(process: psutil.Process, word: str) -> bool | None:
    """Return whether a command has this word; None if the process has just ended."""
    try:
        return word in process.cmdline()
    except psutil.Error:
        return None


@contextmanager
def installed(database: str, guests: int = 120, settings: Mapping[str, str] | None = None) -> Iterator[Place]:
    """Start a server (and a worker, for PostgreSQL) with one planned and shared event of this many guests."""
    with ExitStack() as stack:
        address = stack.enter_context(Postgres()).address if database == "postgresql" else ""
        site = stack.enter_context(Site(address, workers=1 if address else 0, settings=settings))
        stack.callback(shutil.rmtree, site.folder, ignore_errors=True)
        browser, key = site.browser(), site.key()
        cookie = {"Cookie": "; ".join(f"{name}={value}" for name, value in browser.cookies.items())}
        form = {"X-Form-Token": browser.headers["x-form-token"]}
        api = stack.enter_context(
            httpx2.Client(base_url=f"http://127.0.0.1:{site.ports[0]}/api/v1/", headers=key, timeout=60)
        )
        place = Place(database, site, api, key, cookie, form)
        if guests:
            make_event(place, guests)
        yield place


def make_event(place: Place, guests: int) -> None:
    """Create the event, its plan and the link to it."""
    place.event, place.guests = add_event(place, guests)
    run = start_run(place, place.event, {"time_limit": 2, "restarts": 200})
    place.plan = wait_for_run(place, place.event, run)["plan_id"]
    made = checked(place.api.post(f"events/{place.event}/plans/{place.plan}/links", json={"audience": "guests"}))
    place.share = made["token"]


def add_event(
    place: Place, guests: int, name: str = "Midsummer dinner", *, couples: bool = True
) -> tuple[str, tuple[str, ...]]:
    """Create an event of guests in groups, with ten ratings per guest and one extra table."""
    rng, api = random.Random(guests), place.api
    event = checked(api.post("events", json={"name": name}))["id"]
    people = [
        {
            "name": f"{NAMES[n % len(NAMES)]} {n + 1}",
            "party": f"Couple {n // 2}" if couples else None,
            "groups": [GROUPS[n // 2 % len(GROUPS)]],
        }
        for n in range(guests)
    ]
    # Any version of the lists is fine: they are empty.
    fresh = {"If-Match": "*"}
    found = checked(api.put(f"events/{event}/guests", json={"guests": people}, headers=fresh))["guests"]
    tables = [{"name": f"Table {n + 1}", "seats": SEATS} for n in range(-(-guests // SEATS) + 1)]
    checked(api.put(f"events/{event}/tables", json={"tables": tables}, headers=fresh))
    ids = tuple(guest["id"] for guest in found)
    pairs = {tuple(sorted(rng.sample(range(guests), 2))) for _ in range(5 * guests)}
    ratings = [{"a": ids[a], "b": ids[b], "score": rng.choice((-2, -1, 1, 2))} for a, b in sorted(pairs)]
    checked(api.put(f"events/{event}/ratings", json={"ratings": ratings}, headers=fresh))
    return event, ids


def start_run(place: Place, event: str, options: dict[str, Any]) -> str:
    """Start a run and return its id."""
    return str(checked(place.api.post(f"events/{event}/runs", json=options))["id"])


def wait_for_run(
    place: Place, event: str, run: str, until: Callable[[str], bool] | None = None, patience: float = SOLVE_SECONDS
) -> dict[str, Any]:
    """Return the run as soon as it is done, or as `until` says of its status."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        found = checked(place.api.get(f"events/{event}/runs/{run}"))
        if until(found["status"]) if until else found["status"] == "done":
            return dict(found)
        assert found["status"] not in ("failed", "cancelled"), found
        time.sleep(0.1)
    raise AssertionError(f"the run took longer than {patience:.0f} s")


@contextmanager
def solver_at_work(place: Place) -> Iterator[str]:
    """Keep a run going during the `with` statement, on a separate event; yield the address of the run."""
    event, _ = add_event(place, 400, "Another dinner", couples=False)  # so many that a million restarts take minutes
    run = start_run(place, event, ENDLESS)
    wait_for_run(place, event, run, lambda status: status == "running")
    try:
        yield f"events/{event}/runs/{run}"
    finally:
        with suppress(httpx2.HTTPError):  # the server may hang; it is stopped soon
            place.api.delete(f"events/{event}/runs/{run}", timeout=5)


def checked(answer: httpx2.Response) -> Any:
    """Return the answer of the API; anything but success is an error in the measurement."""
    if not answer.is_success:
        raise RuntimeError(
            f"{answer.request.method} {answer.request.url.path}: {answer.status_code} {answer.text[:300]}"
        )
    return answer.json()


def unique_names(prefix: str) -> Iterator[str]:
    """Return names that are not used yet."""
    return (f"{prefix} {number}" for number in itertools.count(1))
