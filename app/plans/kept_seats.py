"""Chairs after a repair: whoever stays at their table keeps their chair, and newcomers take those that are free."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from app.problem.snapshot import Snapshot
from app.solver import IntArray


def keep_chairs(
    snapshot: Snapshot, assignment: IntArray, chairs: IntArray, before: Mapping[UUID, tuple[UUID, int]]
) -> IntArray:
    """Return the chairs with those kept of guests who stay, table and chair `before` being by guest.

    A table where somebody arrives who must sit beside another gets its new order.
    """
    problem, kept = snapshot.problem, chairs.copy()
    beside = {guest for rule in problem.rules if rule.kind == "side_by_side" for guest in rule.guests}
    for number, table in enumerate(problem.tables):
        here = [guest for guest, place in enumerate(assignment) if place == number]
        own = {guest: before.get(snapshot.guest_ids[guest]) for guest in here}
        table_id = snapshot.table_ids[number]
        stay = {g: place[1] for g, place in own.items() if place and place[0] == table_id and place[1] < table.most}
        arrive = sorted((guest for guest in here if guest not in stay), key=lambda guest: int(chairs[guest]))
        if not stay or len(set(stay.values())) < len(stay) or beside.intersection(arrive):
            continue
        free = [chair for chair in range(table.most) if chair not in stay.values()]
        for guest, chair in [*stay.items(), *zip(arrive, free, strict=False)]:
            kept[guest] = chair
    return kept
