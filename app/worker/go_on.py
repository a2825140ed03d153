"""Going on from the plan of an earlier run: where it seats everyone, in the places of the problem."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from app.plans.queries.rounds import seats_in_rounds
from app.problem.queries.seats import seats_of
from app.problem.snapshot import Snapshot
from app.runs.options import RunOptions
from app.solver import IntArray


def with_plan(session: Session, snapshot: Snapshot, options: RunOptions) -> Snapshot:
    """Let the search begin with the plan to start from; where a move has a price, it stays the one that was asked."""
    if options.from_plan is None or options.rounds > 1 or options.repair or options.move_cost:
        return snapshot
    tables = {row.guest_id: row.table_id for row in seats_of(session, options.from_plan)}
    place = {table: number for number, table in enumerate(snapshot.table_ids)}
    previous = tuple(place.get(tables[guest], -1) if guest in tables else -1 for guest in snapshot.guest_ids)
    return replace(snapshot, problem=replace(snapshot.problem, previous=previous)) if tables else snapshot


def rounds_of_plan(session: Session, snapshot: Snapshot, plan_id: UUID | None) -> IntArray | None:
    """Return the table of each guest, a row for each round; None where a seat or a table is missing."""
    if plan_id is None or not snapshot.rounds:
        return None
    guests = {guest: place for place, guest in enumerate(snapshot.guest_ids)}
    places = [{snapshot.table_ids[place]: own for own, place in enumerate(part.places)} for part in snapshot.rounds]
    at = np.full((len(places), len(guests)), -1, np.int64)
    for seat in seats_in_rounds(session, plan_id):
        if seat.guest_id in guests and seat.number <= len(places):
            at[seat.number - 1, guests[seat.guest_id]] = places[seat.number - 1].get(seat.table_id, -1)
    return at if (at >= 0).all() else None
