"""People working on one event: requests at a fixed rate while a worker solves."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.report import markdown_table
from load.client import Answer, Client, OwnCost
from load.place import Place, installed, solver_at_work, unique_names
from load.plot import Line, draw_percentiles
from load.probe import Prober
from load.samples import PERCENTILES, Sample, count_bad, judged, milliseconds, outcomes, percentile, slowest

TITLE = "Load: 100 requests a second while a solver works"
RATE, SECONDS, GUESTS = 100, 30.0, 120
PATIENCE = 10.0
MOST_P99 = {"sqlite": 0.25, "postgresql": 0.2}
MOST_HEALTH = 0.1
PLOT = Path(__file__).resolve().parent.parent / "bench" / "load_mixed.svg"


@dataclass(frozen=True)
class Outcome:
    """The results of mixed requests; `sent_late` is the longest delay of the client in sending one."""

    samples: list[Sample]
    sent_late: float
    cost: OwnCost


@dataclass
class Traffic:
    """Choose the next request: 70 % pages, 20 % reads and 10 % writes of the API and of forms."""

    place: Place
    rng: random.Random = field(default_factory=lambda: random.Random(12))
    added: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._names = unique_names("Late guest")
        event, plan = self.place.event, self.place.plan
        pages = {
            "page: events": "/",
            "page: guests": f"/events/{event}/guests",
            "page: tables": f"/events/{event}/tables",
            "page: ratings": f"/events/{event}/ratings/all",
            "page: plan": f"/events/{event}/plans/{plan}",
        }
        reads = {
            "API: event": f"events/{event}",
            "API: guests": f"events/{event}/guests?limit=200",
            "API: tables": f"events/{event}/tables",
            "API: ratings": f"events/{event}/ratings?limit=200",
            "API: plan": f"events/{event}/plans/{plan}",
        }
        self.pages = [(kind, self.place.page(path)) for kind, path in pages.items()]
        self.pages.append(("page: share", self.place.share_page))
        self.reads = [(kind, self.place.call("GET", path)) for kind, path in reads.items()]
        self._writes: list[Callable[[], tuple[str, bytes]]] = [self._rate, self._change_guests, self._move]

    def next(self) -> tuple[str, bytes]:
        """Return the kind of the next request, and the request."""
        drawn = self.rng.random()
        if drawn < 0.7:
            return self.rng.choice(self.pages)
        if drawn < 0.9:
            return self.rng.choice(self.reads)
        return self.rng.choice(self._writes)()

    def learn(self, kind: str, answer: Answer) -> None:
        """Remember a guest who was added: the next change of guests removes them, so that the event keeps its size."""
        if kind == "write: add guest" and answer.status == 201:
            self.added.append((answer.json()["id"], answer.header("ETag")))

    def _rate(self) -> tuple[str, bytes]:
        a, b = self.rng.sample(self.place.guests, 2)
        fields = {"a": a, "b": b, "score": str(self.rng.choice((-2, -1, 0, 1, 2)))}
        path = f"/events/{self.place.event}/ratings/pairs"
        return "write: rating", self.place.send_form(path, fields, accept="application/json")

    def _change_guests(self) -> tuple[str, bytes]:
        path = f"events/{self.place.event}/guests"
        if self.added:
            guest, version = self.added.pop()
            return "write: remove guest", self.place.call("DELETE", f"{path}/{guest}", If_Match=version)
        return "write: add guest", self.place.call("POST", path, {"name": next(self._names)})

    def _move(self) -> tuple[str, bytes]:
        a, b = self.rng.sample(self.place.guests, 2)
        path = f"/events/{self.place.event}/plans/{self.place.plan}/moves"
        return "write: move", self.place.send_form(path, {"kind": "swap", "guest": a, "to": f"guest:{b}"})


def measure(databases: Sequence[str]) -> str:
    """Send requests for thirty seconds on each database, and draw the percentiles."""
    text, lines = [_intro()], []
    for database in databases:
        with installed(database, GUESTS) as place, solver_at_work(place), Prober(place.port) as prober:
            outcome = asyncio.run(send_at_rate(place, RATE, SECONDS))
        health = prober.health
        verdict = judged(milliseconds(health.slowest), not health.failed and health.slowest < MOST_HEALTH)
        text += [_table(place, outcome), f"`/healthz` at most {verdict}. The client: {_own(outcome)}."]
        lines.append(Line(place.title, outcome.samples))
    PLOT.write_text(draw_percentiles(lines, "100 requests a second, mixed", "answered within"))
    return "\n\n".join([*text, f"![Percentiles of the time to answer]({PLOT.name})"])


async def send_at_rate(place: Place, rate: float, seconds: float) -> Outcome:
    """Send requests at fixed times; each is timed from when it was due, even if the client was late."""
    client, traffic, loop = Client(place.port, PATIENCE), Traffic(place), asyncio.get_running_loop()
    for _, request in (*traffic.pages, *traffic.reads):  # do not measure what the first requests load
        await client.send(request)
    samples: list[Sample] = []
    late = 0.0

    async def one(due: float) -> None:
        nonlocal late
        late = max(late, loop.time() - due)
        kind, request = traffic.next()
        answer = await client.send(request)
        samples.append(Sample(kind, loop.time() - due, answer.outcome, answer.status in (200, 201, 204, 303)))
        traffic.learn(kind, answer)

    async with OwnCost() as cost:
        began = loop.time() + 0.1
        tasks = []
        for number in range(round(rate * seconds)):
            due = began + number / rate
            if (pause := due - loop.time()) > 0:
                await asyncio.sleep(pause)
            tasks.append(asyncio.create_task(one(due)))
        await asyncio.gather(*tasks)
    client.close()
    return Outcome(samples, late, cost)


def _intro() -> str:
    return (
        f"{RATE} requests a second for {SECONDS:.0f} s on an event of {GUESTS} guests: 70 % pages, 20 % reads of the "
        "API, 10 % writes (ratings, guests, moves), due at fixed times and timed from then. Required: no errors, 99 % "
        "within 250 ms on SQLite and 200 ms on PostgreSQL, `/healthz` under 100 ms."
    )


def _table(place: Place, outcome: Outcome) -> str:
    kinds = sorted({sample.kind for sample in outcome.samples})
    rows = [_row("all", outcome.samples, MOST_P99[place.database])]
    rows += [_row(kind, [sample for sample in outcome.samples if sample.kind == kind]) for kind in kinds]
    titles = (place.title, "answers", "errors", *(f"{p} %" for p in PERCENTILES), "slowest")
    return markdown_table(titles, rows)


def _row(name: str, samples: list[Sample], most: float | None = None) -> tuple[object, ...]:
    bad = count_bad(samples)
    times = [milliseconds(percentile(samples, per_cent)) for per_cent in PERCENTILES]
    if most is not None:
        times[-1] = judged(times[-1], percentile(samples, 99) < most)
    return name, outcomes(samples), judged(bad, bad == 0) if most else bad, *times, milliseconds(slowest(samples))


def _own(outcome: Outcome) -> str:
    return f"{outcome.cost.text()}, requests sent at most {milliseconds(outcome.sent_late)} after they were due"
