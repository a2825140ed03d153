"""What has changed since a plan was made, by name: who came and went, which tables and parties are others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from app.db.models import Table
from app.events.context import EventContext
from app.guests.queries.guests import SeatedName, seated_names_of
from app.guests.queries.parties import parties_of
from app.problem.cached_findings import find_once
from app.problem.packing import unpack_outline
from app.problem.snapshot import Outline
from app.runs.queries import names_in_run, start_of_problem
from app.tables.queries import tables_of
from app.tables.shapes import seating_of

ENOUGH_BYTES = 1 << 20
"""Of a packed problem: the outline of ten thousand guests takes less."""


@dataclass(frozen=True)
class WhatChanged:
    """Guests who came, went, were renamed (from, to) or sit with another party; tables that came, went or differ."""

    came: Sequence[str] = ()
    went: Sequence[str] = ()
    renamed: Sequence[tuple[str, str]] = ()
    other_party: Sequence[str] = ()
    new_tables: Sequence[str] = ()
    gone_tables: Sequence[str] = ()
    other_tables: Sequence[str] = ()


def find_what_changed(ctx: EventContext, run_id: UUID | None) -> WhatChanged:
    """Compare guests, parties and tables with those that the run solved; nothing where it is gone."""
    event = ctx.require("editor")
    return find_once(
        ctx.session, event, ("names", run_id), lambda: _compare(ctx.session, ctx.event_id, run_id), without=("plans",)
    )


def _compare(session: Session, event_id: UUID, run_id: UUID | None) -> WhatChanged:
    start = start_of_problem(session, run_id, ENOUGH_BYTES)
    outline = unpack_outline(start) if start else None
    names = {UUID(key): name for key, name in names_in_run(session, run_id).items()}
    if outline is None:
        return WhatChanged()
    guests, tables = seated_names_of(session, event_id), tables_of(session, event_id)
    here, there = {guest.id for guest in guests}, {table.id for table in tables}
    return WhatChanged(
        came=[guest.name for guest in guests if guest.id not in outline.guests],
        went=[name for guest_id, name in names.items() if guest_id not in here],
        renamed=[(names[g.id], g.name) for g in guests if names.get(g.id, g.name) != g.name],
        other_party=_other_party(guests, outline, [frozenset(party) for party in parties_of(session, event_id)]),
        new_tables=[table.name for table in tables if table.id not in outline.tables],
        gone_tables=[table.name for table_id, table in outline.tables.items() if table_id not in there],
        other_tables=[table.name for table in tables if _differs(table, outline)],
    )


def _other_party(guests: Sequence[SeatedName], outline: Outline, parties: Iterable[frozenset[UUID]]) -> list[str]:
    """Return who sits together with others than before, of those who were and are there."""
    known = [guest for guest in guests if guest.id in outline.guests]
    common = {guest.id for guest in known}
    before, after = _companions(outline.parties, common), _companions(parties, common)
    return [guest.name for guest in known if before.get(guest.id) != after.get(guest.id)]


def _companions(parties: Iterable[frozenset[UUID]], common: set[UUID]) -> dict[UUID, frozenset[UUID]]:
    shared = [party & common for party in parties]
    return {member: party for party in shared if len(party) > 1 for member in party}


def _differs(table: Table, outline: Outline) -> bool:
    seating = seating_of(table.shape, table.end_seats)
    was, now = outline.tables.get(table.id), (table.name, table.seats, table.min_seats, seating)
    return was is not None and (was.name, was.most, was.least, was.shape) != now
