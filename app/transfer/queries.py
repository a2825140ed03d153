"""Reads of all versions of a plan, for files that hold a whole event."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session, aliased

from app.db.models import Plan, Seat


class StoredSeat(NamedTuple):
    """A seat of a version, counted from 0."""

    plan_id: UUID
    guest_id: UUID
    table_id: UUID
    seat: int
    locked: bool


def plans_of(session: Session, event_id: UUID) -> Sequence[Plan]:
    """Return the versions that were not deleted, with their alternatives, in the order in which they were made."""
    main = aliased(Plan)
    is_hidden = select(main.id).where(main.id == Plan.alternative_of, main.deleted_at.is_not(None)).exists()
    query = select(Plan).where(Plan.event_id == event_id, Plan.deleted_at.is_(None), ~is_hidden)
    return session.scalars(query.order_by(Plan.id)).all()


def seat_counts(session: Session, event_id: UUID) -> dict[UUID, int]:
    """Return how many seats each version of an event has, guests who are not coming included."""
    query = select(Seat.plan_id, func.count()).join(Plan, Plan.id == Seat.plan_id).where(Plan.event_id == event_id)
    return dict(session.execute(query.group_by(Seat.plan_id)).all())


def seats_of(session: Session, plan_ids: Sequence[UUID]) -> dict[UUID, list[StoredSeat]]:
    """Return the seats of each of these versions, guests who are not coming included."""
    query = select(Seat.plan_id, Seat.guest_id, Seat.table_id, Seat.seat, Seat.locked)
    rows = session.execute(query.where(Seat.plan_id.in_(plan_ids)).order_by(Seat.plan_id))
    found = [StoredSeat(*row) for row in rows]
    return {plan_id: list(seats) for plan_id, seats in groupby(found, key=lambda seat: seat.plan_id)}
