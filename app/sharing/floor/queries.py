"""Reads for the floor outside of the workspace."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.db.conditions import is_seated
from app.db.models import Guest, Seat, Table
from app.guests.public_names import SeatedPerson


def seated_people(session: Session, plan_id: UUID) -> Iterator[SeatedPerson]:
    """Yield everyone who has a seat with what their public name depends on, in the order of what is printed."""
    query = (
        select(Guest.id, Guest.name, Guest.public_name, Guest.party_id, Seat.table_id)
        .join(Seat, Seat.guest_id == Guest.id)
        .join(Table, Table.id == Seat.table_id)
        .where(Seat.plan_id == plan_id, is_seated())
        .order_by(Table.position, Table.id, Seat.seat, Guest.position, Guest.id)
    )
    yield from (SeatedPerson(*row) for row in session.execute(query))
