"""The best plan so far of a run under way: names at tables, for the page of the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.events.context import EventContext
from app.problem.packing import unpack_outline
from app.problem.snapshot import ERASED
from app.runs.queries import RunRow, names_in_run, start_of_problem
from app.tables.queries import tables_of

MOST_SHOWN = 500
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
class LivePlan:
    """The tables of a run; whoever has no seat yet is `waiting`."""

    tables: Sequence[LiveTable]
    waiting: Sequence[LiveGuest]


def read_live_plan(ctx: EventContext, run: RunRow) -> LivePlan | None:
    """Return where the best plan so far seats everyone; nothing for a run that is over or for a large event."""
    ctx.require("editor")
    start = None if run.is_over else start_of_problem(ctx.session, run.id, ENOUGH_BYTES)
    outline = unpack_outline(start) if start else None
    if outline is None or len(outline.guest_ids) > MOST_SHOWN:
        return None
    names = names_in_run(ctx.session, run.id)
    guests = [LiveGuest(place, names.get(str(key), ERASED)) for place, key in enumerate(outline.guest_ids)]
    known = {table.id: table.name for table in tables_of(ctx.session, ctx.event_id)}
    at = run.seating if len(run.seating) == len(guests) else ()
    tables = [
        LiveTable(known.get(key, "A deleted table"), [guest for guest in guests if at and at[guest.place] == number])
        for number, key in enumerate(outline.tables)
    ]
    return LivePlan(tables, () if at else guests)
