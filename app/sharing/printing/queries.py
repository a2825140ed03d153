"""Reads for printing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.db.conditions import is_seated
from app.db.models import Guest, Party, Print, Seat, Table


class SeatedRow(NamedTuple):
    """A guest of a plan with their place; the seat is counted from 0."""

    guest_id: UUID
    name: str
    diet: str
    child: bool
    household: str | None
    table_id: UUID
    table: str
    seat: int
    party_id: UUID | None
    public_name: str
    high_chair: bool


def seated_of(session: Session, plan_id: UUID) -> Sequence[SeatedRow]:
    """Return everyone who has a seat, by table and seat."""
    query = (
        select(
            *(Guest.id, Guest.name, Guest.diet, Guest.child, Party.name, Table.id, Table.name, Seat.seat),
            *(Guest.party_id, Guest.public_name, Guest.high_chair),
        )
        .join(Seat, Seat.guest_id == Guest.id)
        .join(Table, Table.id == Seat.table_id)
        .outerjoin(Party, Party.id == Guest.party_id)
        .where(Seat.plan_id == plan_id, is_seated())
        .order_by(Table.position, Table.id, Seat.seat, Guest.position, Guest.id)
    )
    return [SeatedRow(*row) for row in session.execute(query)]


def last_print(session: Session, plan_id: UUID, what: str) -> Print | None:
    """Return the newest print of one kind."""
    query = select(Print).where(Print.plan_id == plan_id, Print.what == what).order_by(Print.id.desc()).limit(1)
    return session.scalar(query)


def print_of(session: Session, plan_id: UUID, what: str, print_id: UUID) -> Print | None:
    """Return one print of a plan."""
    return session.scalar(select(Print).where(Print.id == print_id, Print.plan_id == plan_id, Print.what == what))


def older_prints(session: Session, plan_id: UUID, what: str, keep: int) -> Sequence[Print]:
    """Return the prints of one kind without the newest ones."""
    query = select(Print).where(Print.plan_id == plan_id, Print.what == what).order_by(Print.id.desc()).offset(keep)
    return session.scalars(query).all()
