"""Chairs that are kept: after a repair by whoever stays at their table, after any run by locked guests."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from uuid import UUID

import numpy as np

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


def keep_held_chairs(
    snapshot: Snapshot, assignment: IntArray, chairs: IntArray, before: Mapping[UUID, tuple[UUID, int]] | None = None
) -> IntArray:
    """Return the chairs with those of locked guests and tables as they were, and none that is to stay empty.

    With a plan `before`, whoever stays at their table keeps their chair there, too. A table where somebody must sit
    beside another keeps its new order, unless it is locked.
    """
    held, kept = snapshot.held, chairs.copy()
    beside = {guest for rule in snapshot.problem.rules if rule.kind == "side_by_side" for guest in rule.guests}
    blocked_tables = {table for table, _ in held.blocked}
    held_tables = {table for table, _ in held.chairs.values()}
    for number, table in enumerate(snapshot.table_ids):
        if table not in blocked_tables and table not in held_tables:
            continue
        here = np.flatnonzero(assignment == number).tolist()
        own = {guest: (before or {}).get(snapshot.guest_ids[guest]) for guest in here}
        own |= {guest: held.chairs[key] for guest in here if (key := snapshot.guest_ids[guest]) in held.chairs}
        stay = {guest: place[1] for guest, place in own.items() if place and place[0] == table}
        if table not in held.tables and (beside.intersection(here) or len(set(stay.values())) < len(stay)):
            stay = {}
        others = sorted((guest for guest in here if guest not in stay), key=lambda guest: int(chairs[guest]))
        taken = {*stay.values(), *held.blocked_at(table)}
        free = (chair for chair in count() if chair not in taken)
        for guest, chair in [*stay.items(), *zip(others, free, strict=False)]:
            kept[guest] = chair
    return kept
