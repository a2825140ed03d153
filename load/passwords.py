"""A thousand wrong passwords from a thousand addresses, while the account's owner signs in and others read pages."""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlencode

from app.accounts.passwords import hash_password
from app.db.models import User
from app.db.session import transaction
from bench.report import markdown_table
from load.client import Client, build_request
from load.memory import MEGABYTE
from load.mixed import Traffic
from load.place import AS_BROWSER, Place, installed
from load.samples import Sample, judged, milliseconds, percentile

T = TypeVar("T")
TITLE = "Load: 1,000 wrong passwords for one account"
TRIES = 1000
RATES = {"100 a second": 100.0, "all at once": 0.0}
"""How the tries are sent: so many a second, or at once."""
EMAIL, PASSWORD = "owner@example.org", "correct horse battery"  # nosec B105
IDLE_SECONDS, PATIENCE = 8.0, 60.0
OWNER_PAUSE, PAGE_PAUSE = 0.2, 0.05
MOST_SLOWER = 2.0
BEHIND_PROXY = {"CONVIVE_TRUSTED_PROXIES": "127.0.0.1"}
RESULTS = {"401": "compared", "429": "slowed", "503": "refused"}


@dataclass(frozen=True)
class Seen:
    """What the owner and the readers of pages saw in the meantime."""

    owner: list[Sample]
    pages: list[Sample]


def measure(databases: Sequence[str]) -> str:
    """Measure sign-ins and pages without an attack, and during each kind of attack."""
    rows = []
    for database in databases:
        with installed(database, settings=BEHIND_PROXY) as place:
            rows += _rows(place)
    titles = ("", "tries", "owner signs in", "slowest", "other pages 50 %", "95 %", "memory")
    return _intro() + markdown_table(titles, rows)


def _rows(place: Place) -> list[tuple[object, ...]]:
    with transaction(place.site.sessions()) as session:
        # Not the account of whoever reads pages: their browser came in without a password.
        session.add(User(name="Owner", email=EMAIL, password_hash=hash_password(PASSWORD)))
    cookie = asyncio.run(known_browser(place.port))
    asyncio.run(watch(place, cookie, IDLE_SECONDS / 4))  # do not measure what the first requests load
    idle = asyncio.run(watch(place, cookie, IDLE_SECONDS))
    rows = [_row(f"{place.title}, idle", "", idle, idle, place)]
    for name, rate in RATES.items():
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as other:
            other.submit(int).result()  # started: that takes a while
            attack = other.submit(wrong_passwords, place.port, TRIES, rate)
            seen = asyncio.run(watch(place, cookie, 0, attack))
        rows.append(_row(f"{place.title}, {name}", told(attack.result()), seen, idle, place))
    return rows


def wrong_passwords(port: int, tries: int, rate: float) -> Counter[str]:
    """Try wrong passwords, each from an address of its own over a connection of its own; count the answers."""
    return asyncio.run(_send_tries(port, tries, rate))


async def _send_tries(port: int, tries: int, rate: float) -> Counter[str]:
    client, loop = Client(port, PATIENCE), asyncio.get_running_loop()
    began = loop.time()

    async def one(number: int) -> str:
        await asyncio.sleep(began + number / rate - loop.time() if rate else 0)
        address = f"198.{18 + number // 62500}.{number // 250 % 250}.{number % 250 + 1}"
        return (await client.send(_form(f"wrong {number}", {"X-Forwarded-For": address}), fresh=True)).outcome

    return Counter(await asyncio.gather(*(one(number) for number in range(tries))))


def _form(password: str, headers: dict[str, str]) -> bytes:
    """Return the request of the sign-in form."""
    sent = {**AS_BROWSER, "Content-Type": "application/x-www-form-urlencoded", **headers}
    return build_request("POST", "/sign-in", sent, urlencode({"email": EMAIL, "password": password}).encode())


async def known_browser(port: int) -> str:
    """Sign in once, and return the cookie by which the server knows the browser again."""
    answer = await Client(port, PATIENCE).send(_form(PASSWORD, {"X-Forwarded-For": "192.0.2.1"}))
    lines = answer.head.decode().splitlines()
    found = [line.split(":", 1)[1].split(";")[0].strip() for line in lines if line.lower().startswith("set-cookie:")]
    return next(cookie for cookie in found if "browser" in cookie)


async def watch(place: Place, cookie: str, seconds: float, attack: Future[Counter[str]] | None = None) -> Seen:
    """Sign in again and again and read pages, until the attack is over and so many seconds have passed."""
    client, end = Client(place.port, PATIENCE), time.monotonic() + seconds
    pages = Traffic(place).pages
    sign_in = _form(PASSWORD, {"Cookie": cookie, "X-Forwarded-For": "192.0.2.1"})
    numbers = iter(range(10**9))

    def is_over() -> bool:
        return time.monotonic() > end and (attack is None or attack.done())

    async def owner() -> Sample:
        return await _timed(client, "owner", sign_in, "303")

    async def page() -> Sample:
        return await _timed(client, *pages[next(numbers) % len(pages)], "200")

    owned, read = await asyncio.gather(_repeat(owner, OWNER_PAUSE, is_over), _repeat(page, PAGE_PAUSE, is_over))
    client.close()
    return Seen(owned, read)


async def _timed(client: Client, kind: str, request: bytes, good: str) -> Sample:
    began = time.monotonic()
    answer = await client.send(request)
    return Sample(kind, time.monotonic() - began, answer.outcome, answer.outcome == good)


async def _repeat(work: Callable[[], Awaitable[T]], pause: float, is_over: Callable[[], bool]) -> list[T]:
    done = []
    while not is_over():
        done.append(await work())
        await asyncio.sleep(pause)
    return done


def told(answers: Counter[str]) -> str:
    """Return what became of the tries: compared, slowed, refused because too many came at once."""
    return ", ".join(f"{number} {RESULTS.get(name, name)}" for name, number in answers.most_common())


def _row(name: str, tries: str, seen: Seen, idle: Seen, place: Place) -> tuple[object, ...]:
    usual, now = percentile(idle.owner, 50), percentile(seen.owner, 50)
    bad = sum(not sample.is_good for sample in [*seen.owner, *seen.pages])
    return (
        name,
        tries,
        judged(f"{milliseconds(now)} ({len(seen.owner)}×)", now <= MOST_SLOWER * usual and not bad),
        milliseconds(percentile(seen.owner, 100)),
        milliseconds(percentile(seen.pages, 50)),
        milliseconds(percentile(seen.pages, 95)),
        f"{place.server_bytes() / MEGABYTE:,.0f} MB",
    )


def _intro() -> str:
    return (
        f"{TRIES:,} wrong passwords for one account, each over a connection and from an address of its own (a trusted "
        "proxy names it), while the owner signs in again and again with a browser that signed in before, and somebody "
        "reads pages. Required: the owner signs in every time, at the median within twice the time without an attack."
        "\n\n"
    )
