"""Where a guest could sit instead, and what each place would do to the plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from app.events.context import EventContext
from app.plans.read import require_plan, snapshot_of
from app.plans.seating import Change, Place, Seating, read_seating
from app.problem.snapshot import Snapshot


@dataclass(frozen=True)
class Option:
    """A free seat at a table, or a swap with a guest there.

    `gain` is the change of the objective, above 0 where the plan gets better; `obstacle` says why it cannot be done.
    """

    table_id: UUID
    table_name: str
    other: UUID | None
    other_name: str
    gain: float | None
    obstacle: str | None


def list_options(ctx: EventContext, plan_id: UUID, guest_id: UUID) -> list[Option]:
    """Return where the guest could go, table by table; nothing for a guest who has no seat in the plan."""
    plan = require_plan(ctx, plan_id, "editor")
    seating = read_seating(ctx.session, plan)
    if guest_id not in seating.places:
        return []
    snapshot = snapshot_of(ctx.session, plan)
    worth = Worth(snapshot, seating) if snapshot else None
    return list(_options(seating, guest_id, worth))


def _options(seating: Seating, guest: UUID, worth: Worth | None) -> Iterator[Option]:
    place = seating.places[guest]
    for table in seating.tables.values():
        if table.id == place.table_id or table.removed_at is not None:
            continue
        seat = seating.free_seat(table.id)
        if seat is not None:
            yield _option(seating, worth, {guest: Place(table.id, seat)}, table.name)
        for other in seating.guests_at[table.id].values():
            yield _option(seating, worth, {guest: seating.places[other], other: place}, table.name, other)


def _option(seating: Seating, worth: Worth | None, change: Change, table: str, other: UUID | None = None) -> Option:
    locked = other is not None and seating.places[other].locked
    name = seating.names[other] if other else ""
    obstacle = f"{name} is locked." if locked else seating.obstacle(change)
    gain = worth.gain(change) if worth and not obstacle else None
    return Option(next(iter(change.values())).table_id, table, other, name, gain, obstacle)


class Worth:
    """What tables are worth by the objective of the run, so that changes can be compared."""

    def __init__(self, snapshot: Snapshot, seating: Seating) -> None:
        problem = snapshot.problem
        self._seating = seating
        self._position = {guest: number for number, guest in enumerate(snapshot.guest_ids)}
        self._is_total = problem.objective == "total"
        self._pairs = problem.scores if self._is_total else problem.squared_distances
        self._now = {table: self._of_table(guests.values()) for table, guests in seating.guests_at.items()}

    def gain(self, change: Change) -> float:
        """Return by how much the objective gets better: the total, or less of the mean squared error."""
        places = self._seating.places
        tables = {place.table_id for place in change.values()} | {places[guest].table_id for guest in change}
        gain = 0.0
        for table in tables:
            guests = [guest for guest in self._seating.guests_at[table].values() if guest not in change]
            guests += [guest for guest, place in change.items() if place.table_id == table]
            gain += self._of_table(guests) - self._now[table]
        return gain

    def _of_table(self, guests: Iterable[UUID]) -> float:
        here = [self._position[guest] for guest in guests if guest in self._position]
        pairs = float(self._pairs[np.ix_(here, here)].sum()) / 2
        return pairs if self._is_total else -pairs / max(1, len(here)) / len(self._seating.places)
