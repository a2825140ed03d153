"""Reads for the door."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.db.conditions import is_seated
from app.db.models import Arrival, Guest, Link, Seat, Table, User


class ExpectedRow(NamedTuple):
    """A guest who is expected, with their table in the plan in use, if they have one."""

    guest_id: UUID
    name: str
    public_name: str
    party_id: UUID | None
    table_id: UUID | None
    table: str | None


class ArrivedRow(NamedTuple):
    """When a guest arrived, and who checked them in: a member or a helper with a link, which may have a name."""

    arrived_at: datetime
    user: str | None
    link: str | None


def expected_of(session: Session, event_id: UUID, plan_id: UUID | None) -> Sequence[ExpectedRow]:
    """Return everyone who is expected, in the order of the tables and seats; those without a seat come last."""
    query = (
        select(Guest.id, Guest.name, Guest.public_name, Guest.party_id, Table.id, Table.name)
        .outerjoin(Seat, (Seat.guest_id == Guest.id) & (Seat.plan_id == plan_id))
        .outerjoin(Table, Table.id == Seat.table_id)
        .where(Guest.event_id == event_id, is_seated())
        .order_by(Table.position.nulls_last(), Table.id, Seat.seat, Guest.position, Guest.id)
    )
    return [ExpectedRow(*row) for row in session.execute(query)]


def arrivals_of(session: Session, event_id: UUID) -> dict[UUID, ArrivedRow]:
    """Return by guest who has arrived."""
    query = (
        select(Arrival.guest_id, Arrival.arrived_at, User.name, Link.name)
        .outerjoin(User, User.id == Arrival.user_id)
        .outerjoin(Link, Link.id == Arrival.link_id)
        .where(Arrival.event_id == event_id, Arrival.arrived_at.is_not(None))
    )
    return {guest: ArrivedRow(at, user, link) for guest, at, user, link in session.execute(query) if at is not None}


def expected_guest(session: Session, event_id: UUID, guest_id: UUID) -> bool:
    """Return whether a guest of the event is expected."""
    query = select(Guest.id).where(Guest.id == guest_id, Guest.event_id == event_id, is_seated())
    return session.scalar(query) is not None


def hold_arrival(session: Session, guest_id: UUID) -> Arrival | None:
    """Return the arrival of a guest as it is stored now, locked until the transaction ends."""
    query = select(Arrival).where(Arrival.guest_id == guest_id).with_for_update()
    return session.scalar(query.execution_options(populate_existing=True))
