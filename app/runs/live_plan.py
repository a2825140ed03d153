"""The best plan so far of a run under way: names at tables, for the page of the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.events.context import EventContext
from app.problem.packing import unpack_outline
from app.problem.snapshot import ERASED
from app.runs.progress import MOST_SHOWN, rounds_shown
from app.runs.queries import RunRow, names_in_run, start_of_problem
from app.tables.queries import tables_of

ENOUGH_BYTES = 1 << 18


@dataclass(frozen=True)
class LiveGuest:
    """A guest, with their place in the problem: by that the stream of changes names them."""

    place: int
    name: str


@dataclass(frozen=True)
class LiveTable:
    name: str
    guests: Sequence[LiveGuest]


@dataclass(frozen=True)
class LiveRound:
    """The tables of one round, counted from 1, or of the only one; whoever has no seat yet is `waiting`."""

    number: int
    tables: Sequence[LiveTable]
    waiting: Sequence[LiveGuest]


@dataclass(frozen=True)
class LivePlan:
    """The rounds of a run that its page shows, of so many; without a seating it waits for the first plan."""

    rounds: Sequence[LiveRound]
    of: int
    is_waiting: bool


def read_live_plan(ctx: EventContext, run: RunRow) -> LivePlan | None:
    """Return where the best plan so far seats everyone; nothing for a run that is over or for a large event."""
    ctx.require("editor")
    start = None if run.is_over else start_of_problem(ctx.session, run.id, ENOUGH_BYTES)
    outline = unpack_outline(start) if start else None
    if outline is None or not 0 < len(outline.guest_ids) <= MOST_SHOWN:
        return None
    names = names_in_run(ctx.session, run.id)
    guests = [LiveGuest(place, names.get(str(key), ERASED)) for place, key in enumerate(outline.guest_ids)]
    known = {table.id: table.name for table in tables_of(ctx.session, ctx.event_id)}
    tables = [known.get(key, "A deleted table") for key in outline.tables]
    shown, size = min(run.options.rounds, rounds_shown(len(guests))), len(guests)
    seating = run.seating if len(run.seating) == shown * size else ()
    parts = [seating[number * size : (number + 1) * size] for number in range(shown)]
    rounds = [_round(number, part, tables, guests) for number, part in enumerate(parts, 1)]
    return LivePlan(rounds, run.options.rounds, is_waiting=not seating)


def _round(number: int, at: Sequence[int], tables: Sequence[str], guests: Sequence[LiveGuest]) -> LiveRound:
    found = [
        LiveTable(name, [guest for guest in guests if at and at[guest.place] == place])
        for place, name in enumerate(tables)
    ]
    return LiveRound(number, found, () if at else guests)
