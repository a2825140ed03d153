"""Reads of the rounds of a plan."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import BindParameter, ColumnElement, Text, bindparam, cast, select
from sqlalchemy.orm import Session

from app.db.conditions import is_seated
from app.db.models import Guest, Move, Plan, Seat
from app.db.once import once
from app.plans.queries.moves import STEPS

_MAIN: BindParameter[UUID] = bindparam("main")


class RoundRow(NamedTuple):
    """A round, counted from 1, by the id of its plan."""

    number: int
    plan_id: UUID


class RoundSeat(NamedTuple):
    """Where a guest sits in a round; the seat is counted from 0."""

    number: int
    guest_id: UUID
    table_id: UUID
    seat: int


def main_of(plan: Plan) -> UUID:
    """Return the plan that counts: of several rounds the first, and otherwise the plan itself."""
    return plan.alternative_of if plan.round and plan.alternative_of else plan.id


def is_of_rounds(main: UUID | BindParameter[UUID]) -> ColumnElement[bool]:
    """Return whether a plan is the first round of several, or another round of that."""
    return ((Plan.id == main) | (Plan.alternative_of == main)) & (Plan.round > 0)


_ROUNDS = select(Plan.round, Plan.id).where(is_of_rounds(_MAIN), Plan.deleted_at.is_(None)).order_by(Plan.round)
_SEATS = (
    select(Plan.round, Seat.guest_id, Seat.table_id, Seat.seat)
    .join(Seat, Seat.plan_id == Plan.id)
    .join(Guest, Guest.id == Seat.guest_id)
    .where(is_of_rounds(_MAIN), Plan.deleted_at.is_(None), is_seated())
    .order_by(Plan.round, Guest.position, Guest.id)
)

_OTHER_TABLES = (
    select(Seat.guest_id, Seat.table_id)
    .join(Plan, Plan.id == Seat.plan_id)
    .where(is_of_rounds(_MAIN), Plan.deleted_at.is_(None), Plan.round != bindparam("number"))
    .where(Seat.guest_id.in_(bindparam("guests", expanding=True)))
    .distinct()
)
_BROKEN = (
    select(Plan.round, Move.broken)
    .join(Move, Move.plan_id == Plan.id)
    .where(is_of_rounds(_MAIN), Plan.deleted_at.is_(None))
    .where(Move.undone.is_(False), Move.kind.not_in(STEPS), cast(Move.broken, Text) != "[]")
)


@once
def rounds_of(session: Session, main: UUID) -> list[RoundRow]:
    """Return the rounds of a plan by its first round; none where it has no rounds."""
    return [RoundRow(*row) for row in session.execute(_ROUNDS, {"main": main})]


@once
def seats_in_rounds(session: Session, main: UUID) -> list[RoundSeat]:
    """Return where everybody who is still to be seated sits in each round, in the order of the guest list."""
    return [RoundSeat(*row) for row in session.execute(_SEATS, {"main": main})]


def tables_in_other_rounds(session: Session, plan: Plan, guests: Collection[UUID]) -> dict[UUID, set[UUID]]:
    """Return the tables at which each of these guests sits in the other rounds."""
    found: dict[UUID, set[UUID]] = {}
    asked = {"main": main_of(plan), "number": plan.round, "guests": list(guests)}
    for guest, table in session.execute(_OTHER_TABLES, asked):
        found.setdefault(guest, set()).add(table)
    return found


def broken_in_rounds(session: Session, main: UUID) -> dict[int, set[str]]:
    """Return the keys of the promises that moves broke in each round, of moves that were not taken back."""
    found: dict[int, set[str]] = {}
    for number, keys in session.execute(_BROKEN, {"main": main}):
        found.setdefault(number, set()).update(keys)
    return found
