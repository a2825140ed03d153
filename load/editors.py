"""20 editors with 50 random moves each on one plan at the same time: no move is lost, nobody is seated twice."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from bench.report import markdown_table
from load.client import Client, OwnCost
from load.place import Place, checked, installed
from load.samples import Sample, judged, milliseconds, outcomes, percentile
from tests.plan_log import find_faults, places_of

TITLE = "Load: 20 editors of one plan"
EDITORS, MOVES, GUESTS = 20, 50, 120
PATIENCE = 30.0
RIGHT = ("200", "409", "412", "422", "503")
"""Done; refused because of a lock; overtaken by another editor; a guest without a seat to lock; too busy."""


@dataclass
class Edited:
    """The answers to all moves, and the versions of the plan that editors were told."""

    samples: list[Sample] = field(default_factory=list)
    versions: set[int] = field(default_factory=set)


def measure(databases: Sequence[str]) -> str:
    """Let all editors move at once, then compare the stored moves with the seats."""
    rows = []
    for database in databases:
        with installed(database, GUESTS) as place:
            plan = UUID(place.plan)
            start = places_of(place.site.sessions(), plan)
            edited, cost = asyncio.run(edit_at_once(place, EDITORS, MOVES))
            rows.append(
                _row(place, edited, find_faults(place.site.sessions(), plan, start, sorted(edited.versions)), cost)
            )
    text = (
        f"{EDITORS} editors of one plan of {GUESTS} guests, each with {MOVES} random moves, swaps, moves of two, "
        "locks and undos, one after the other. Each sends the version that it saw last. 409 is a move that was "
        "refused, 412 one that another editor overtook. Required: the stored moves lead from the first seats to the "
        "last, every acknowledged move is among them, nobody is seated twice.\n\n"
    )
    return text + markdown_table(("", "answers", "p50", "p95", "faults", "client"), rows)


async def edit_at_once(place: Place, editors: int, moves: int) -> tuple[Edited, OwnCost]:
    """Let so many editors make so many moves each."""
    plan = checked(place.api.get(f"events/{place.event}/plans/{place.plan}"))
    tables = [table["id"] for table in plan["tables"]]
    edited, client = Edited(), Client(place.port, PATIENCE)
    async with OwnCost() as cost:
        await asyncio.gather(
            *(_edit(client, place, tables, plan["version"], random.Random(n), moves, edited) for n in range(editors))
        )
    edited.versions.discard(plan["version"])  # of a move that changed nothing
    return edited, cost


async def _edit(
    client: Client, place: Place, tables: list[str], seen: int, rng: random.Random, moves: int, edited: Edited
) -> None:
    address = f"events/{place.event}/plans/{place.plan}"
    for _ in range(moves):
        request = place.call("POST", f"{address}/moves", {**_random_move(place, tables, rng), "version": seen})
        began = time.monotonic()
        answer = await client.send(request)
        seconds = time.monotonic() - began
        edited.samples.append(Sample("move", seconds, answer.outcome, answer.outcome in RIGHT))
        if answer.status != 200:
            answer = await client.send(place.call("GET", address))
        else:
            edited.versions.add(json.loads(answer.body)["version"])
        if answer.status == 200:
            seen = json.loads(answer.body)["version"]


def _random_move(place: Place, tables: list[str], rng: random.Random) -> dict[str, Any]:
    guest, other = rng.sample(place.guests, 2)
    table = rng.choice(tables)
    moves: list[dict[str, Any]] = [
        {"kind": "swap", "guest": guest, "other": other, "anyway": True},
        {"kind": "move", "guests": [guest], "table": table, "anyway": True},
        {"kind": "move", "guests": [guest, other], "table": table, "anyway": True},
        {"kind": "move", "guests": [guest], "table": None, "anyway": True},
        {"kind": rng.choice(("lock", "unlock")), "guests": [guest]},
        {"kind": "undo"},
    ]
    return rng.choice(moves)


def _row(place: Place, edited: Edited, faults: list[str], cost: OwnCost) -> tuple[object, ...]:
    return (
        place.title,
        judged(outcomes(edited.samples), all(sample.is_good for sample in edited.samples)),
        milliseconds(percentile(edited.samples, 50)),
        milliseconds(percentile(edited.samples, 95)),
        judged("; ".join(faults) or "none", not faults),
        cost.text(),
    )
