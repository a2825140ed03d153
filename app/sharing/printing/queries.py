"""Reads for printing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.db.conditions import is_seated
from app.db.models import FieldOption, Guest, GuestField, GuestValue, Party, Print, Seat, Table


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
    last_name: str
    wheelchair: bool
    allergies: tuple[str, ...]
    other_allergies: str


def seated_of(session: Session, plan_id: UUID) -> Sequence[SeatedRow]:
    """Return everyone who has a seat, by table and seat."""
    query = (
        select(
            *(Guest.id, Guest.name, Guest.diet, Guest.child, Party.name, Table.id, Table.name, Seat.seat),
            *(Guest.party_id, Guest.public_name, Guest.high_chair, Guest.last_name),
            *(Guest.wheelchair, Guest.allergies, Guest.other_allergies),
        )
        .join(Seat, Seat.guest_id == Guest.id)
        .join(Table, Table.id == Seat.table_id)
        .outerjoin(Party, Party.id == Guest.party_id)
        .where(Seat.plan_id == plan_id, is_seated())
        .order_by(Table.position, Table.id, Seat.seat, Guest.position, Guest.id)
    )
    return [SeatedRow._make(row) for row in session.execute(query)]


def meals_of(session: Session, plan_id: UUID) -> dict[UUID, dict[str, str]]:
    """Return the dish of each course that everyone with a seat has chosen, in the order of the menu."""
    query = (
        select(GuestValue.guest_id, GuestField.name, FieldOption.name)
        .join(GuestField, GuestField.id == GuestValue.field_id)
        .join(FieldOption, FieldOption.id == GuestValue.option_id)
        .join(Seat, Seat.guest_id == GuestValue.guest_id)
        .where(Seat.plan_id == plan_id, GuestField.kind == "course")
        .order_by(GuestField.position, GuestField.id)
    )
    found: dict[UUID, dict[str, str]] = {}
    for guest_id, course, dish in session.execute(query):
        found.setdefault(guest_id, {})[course] = dish
    return found


def dish_marks_of(session: Session, event_id: UUID) -> dict[tuple[str, str], str]:
    """Return the letters that stand for dishes, by course and dish; those without any are left out."""
    query = (
        select(GuestField.name, FieldOption.name, FieldOption.mark)
        .join(FieldOption, FieldOption.field_id == GuestField.id)
        .where(GuestField.event_id == event_id, GuestField.kind == "course", FieldOption.mark != "")
    )
    return {(course, dish): mark for course, dish, mark in session.execute(query)}


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
