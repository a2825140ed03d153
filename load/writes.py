"""200 writes at once: every acknowledged write is stored exactly once."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select

from app.db.models import Guest
from app.db.session import transaction
from bench.report import markdown_table
from load.client import Answer, Client, OwnCost
from load.place import Place, checked, installed
from load.probe import Health, Prober
from load.samples import Sample, judged, milliseconds, outcomes, slowest

TITLE = "Load: 200 writes at once"
WRITES, PATIENCE, MOST_TRIES = 200, 20.0, 10
MOST_HEALTH = 0.1


@dataclass(frozen=True)
class Written:
    """The result of adding one guest: the first answer, and the number of tries."""

    name: str
    first: Sample
    has_retry_after: bool
    tries: int
    is_acknowledged: bool


def measure(databases: Sequence[str]) -> str:
    """Add 200 guests at once, repeat what was refused with `Retry-After`, and count the guests."""
    rows = []
    for database in databases:
        with installed(database, guests=0) as place:
            event = checked(place.api.post("events", json={"name": "Gala"}))["id"]
            with Prober(place.port) as prober:
                written, cost = asyncio.run(write_at_once(place, event, WRITES))
            rows.append(_row(place, written, stored_names(place, event), prober.health, cost))
    titles = ("", "first answers", "5xx", "slowest", "repeated", "lost", "duplicates", "slowest `/healthz`", "client")
    text = (
        "Each adds a guest. Required: none lost, none twice; PostgreSQL no 5xx; SQLite nothing but 503 with "
        "`Retry-After`, which succeeds when repeated after that time.\n\n"
    )
    return text + markdown_table(titles, rows)


async def write_at_once(place: Place, event: str, number: int) -> tuple[list[Written], OwnCost]:
    """Add this many guests at once."""
    client = Client(place.port, PATIENCE)
    async with OwnCost() as cost:
        written = await asyncio.gather(*(_write(client, place, event, f"Guest {n}") for n in range(number)))
    return written, cost


async def _write(client: Client, place: Place, event: str, name: str) -> Written:
    """Add one guest; a refusal with `Retry-After` is repeated after that time."""
    request = place.call("POST", f"events/{event}/guests", {"name": name})
    began = time.monotonic()
    answer = await client.send(request, fresh=True)
    first = Sample("write", time.monotonic() - began, answer.outcome, answer.status == 201)
    may_repeat, tries = bool(_retry_seconds(answer)), 1
    while (seconds := _retry_seconds(answer)) and tries < MOST_TRIES:
        await asyncio.sleep(seconds)
        answer = await client.send(request, fresh=True)
        tries += 1
    return Written(name, first, may_repeat, tries, answer.status == 201)


def _retry_seconds(answer: Answer) -> float:
    """Return after how many seconds to repeat a 503; 0 if the answer does not say."""
    seconds = answer.header("Retry-After") if answer.status == 503 else ""
    return min(float(seconds), 5.0) if seconds.isdigit() else 0.0


def stored_names(place: Place, event: str) -> Counter[str]:
    """Return the guests of the event with their counts, read from the database, because the server may be busy."""
    with transaction(place.site.sessions(), read_only=True) as session:
        return Counter(session.scalars(select(Guest.name).where(Guest.event_id == UUID(event))))


def is_right(place: Place, written: Sequence[Written]) -> bool:
    """Return whether only errors occurred that are allowed on this database."""
    bad = [one for one in written if not one.first.is_good]
    if place.database == "postgresql":
        return not bad
    return all(one.first.outcome == "503" and one.has_retry_after and one.is_acknowledged for one in bad)


def _row(
    place: Place, written: Sequence[Written], stored: Counter[str], health: Health, cost: OwnCost
) -> tuple[object, ...]:
    firsts = [one.first for one in written]
    lost = sum(one.is_acknowledged and not stored[one.name] for one in written)
    twice = sum(number > 1 for number in stored.values())
    errors = sum(one.outcome.startswith("5") or not one.outcome.isdigit() for one in firsts)
    again = [one for one in written if one.tries > 1]
    taken = sum(one.is_acknowledged for one in again)
    return (
        place.title,
        outcomes(firsts),
        judged(errors, is_right(place, written)),
        milliseconds(slowest(firsts)),
        judged(f"{taken} of {len(again)} taken", taken == len(again)) if again else "none",
        judged(lost, lost == 0),
        judged(twice, twice == 0),
        judged(milliseconds(health.slowest), not health.failed and health.slowest < MOST_HEALTH),
        cost.text(),
    )
