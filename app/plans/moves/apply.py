"""Writing a change of a plan: seats, locks, and the figures that follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar
from uuid import UUID

from sqlalchemy import bindparam, delete, insert
from sqlalchemy.orm import Session

from app.clock import now
from app.db import models
from app.errors import Conflict
from app.plans.figures import Figures
from app.plans.metrics import measure
from app.plans.queries import moves as queries
from app.plans.read import snapshot_of
from app.plans.seating import Change, Place, Places, Seating, SeatKey

K = TypeVar("K")

# Built once: building a statement takes longer than running it.
_LEAVE = delete(models.Seat).where(models.Seat.plan_id == bindparam("plan"), models.Seat.guest_id == bindparam("guest"))
_SIT = insert(models.Seat)


def stored_places(session: Session, plan: models.Plan, change: Change) -> dict[UUID, Place]:
    """Return the stored places of the guests of a change, and of everybody at the tables whose seats it takes."""
    tables = {table for table, _ in _taken_seats(change)}
    rows = queries.seats_touched(session, plan.id, list(change.places), list(tables))
    return {row.guest_id: Place(row.table_id, row.seat, row.locked) for row in rows}


def with_evicted(seating: Seating, stored: Places, change: Change) -> Change:
    """Return the change with those who lose their place to it: guests who are not attending keep theirs until then."""
    wanted = _taken_seats(change)
    others = {
        guest: place for guest, place in stored.items() if place and guest not in change.places and place.key in wanted
    }
    sitting = [guest for guest in others if guest in seating.places]
    if sitting:
        raise Conflict(f"{seating.names[sitting[0]]} sits there. Nothing was changed.")
    return Change({**change.places, **dict.fromkeys(others)}, change.tables, change.seats)


def _taken_seats(change: Change) -> set[SeatKey]:
    """Return the seats that guests sit down on, and those that stay empty from now on."""
    empty = {seat for seat, is_blocked in change.seats.items() if is_blocked}
    return empty | {place.key for place in change.places.values() if place}


def apply_change(session: Session, plan: models.Plan, seating: Seating, change: Change) -> None:
    """Write the change; the plan's version counts up."""
    if change.places:
        _write_places(session, plan, change.places)
        _measure_again(session, plan, seating, change.places)
    if change.tables:
        locked = {UUID(key) for key in plan.locked_tables}
        plan.locked_tables = sorted(str(key) for key in _switched(locked, change.tables))
    if change.seats:
        blocked = {(UUID(key), seat) for key, seat in plan.blocked_seats}
        plan.blocked_seats = sorted([str(key), seat] for key, seat in _switched(blocked, change.seats))
    plan.updated_at = now()  # counts the version up even when the figures stay
    session.flush()


def _switched(present: set[K], wanted: Mapping[K, bool]) -> set[K]:
    return (present | {key for key, is_on in wanted.items() if is_on}) - {k for k, is_on in wanted.items() if not is_on}


def _write_places(session: Session, plan: models.Plan, places: Places) -> None:
    connection = session.connection()
    # All leave before anybody sits down: no two may have one seat, not even in between.
    connection.execute(_LEAVE, [{"plan": plan.id, "guest": guest} for guest in places])
    rows = [
        {"plan_id": plan.id, "guest_id": guest, "table_id": place.table_id, "seat": place.seat, "locked": place.locked}
        for guest, place in places.items()
        if place is not None
    ]
    if rows:
        connection.execute(_SIT, rows)


def _measure_again(session: Session, plan: models.Plan, seating: Seating, places: Places) -> None:
    before, after = ({guest: place.table_id for guest, place in sitting.items() if place and guest in seating.names}
                     for sitting in (seating.places, {**seating.places, **places}))  # fmt: skip
    if before == after:
        return
    snapshot = snapshot_of(session, plan)
    if snapshot is None:
        raise Conflict("This plan can no longer be edited. Plan again.")
    measures = measure(snapshot, after)
    plan.mse, plan.total = measures.mse, measures.total
    figures = Figures.from_stored(plan.figures)
    is_whole = measures.everyone and len(after) == len(snapshot.guest_ids)
    plan.bound = figures.bound_of(measures) if is_whole else None
    plan.proven_optimal = is_whole and figures.is_best(measures)
    plan.figures = figures.measured_again(measures).stored
