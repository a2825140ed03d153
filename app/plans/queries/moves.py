"""Reads of moves: the edits of a plan by hand, with undo and redo as rows of their own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import Text, bindparam, cast, exists, func, select
from sqlalchemy.orm import Session

from app.db.conditions import is_seated
from app.db.models import Guest, Move, Seat, User
from app.db.once import once

STEPS = ("undo", "redo")
_OF_PLAN = Move.plan_id == bindparam("plan")
_DONE = _OF_PLAN & Move.undone.is_(False) & Move.kind.not_in(STEPS)
_UNDONE = _OF_PLAN & Move.undone.is_(True) & Move.dropped.is_(False)
_HAS_MOVES = select(exists().where(_DONE), exists().where(_UNDONE))
_DONE_MOVES = select(Move).where(_DONE).order_by(Move.number.desc())
_WITH_EXCEPTIONS = _DONE_MOVES.where(cast(Move.broken, Text) != "[]")
_UNDONE_MOVES = select(Move).where(_UNDONE).order_by(Move.number)
_LAST_NUMBER = select(func.max(Move.number)).where(_OF_PLAN)
_NEWEST = select(Move).where(_OF_PLAN).order_by(Move.number.desc())
_TOUCHED = select(Seat.guest_id, Seat.table_id, Seat.seat, Seat.locked).where(
    Seat.plan_id == bindparam("plan"),
    Seat.guest_id.in_(bindparam("guests", expanding=True)) | Seat.table_id.in_(bindparam("tables", expanding=True)),
)
_LATER = _NEWEST.where(Move.plan_version > bindparam("version"))


@once
def has_moves(session: Session, plan_id: UUID) -> tuple[bool, bool]:
    """Return whether there is a move that an undo takes back, and one that a redo does again."""
    undo, redo = session.execute(_HAS_MOVES, {"plan": plan_id}).one()
    return undo, redo


def done_moves(session: Session, plan_id: UUID, *, after: int | None = None) -> Sequence[Move]:
    """Return what an undo takes back, the newest first: all moves after a number, or the last one."""
    query = _DONE_MOVES.limit(1) if after is None else _DONE_MOVES.where(Move.number > after)
    return session.scalars(query, {"plan": plan_id}).all()


def undone_moves(session: Session, plan_id: UUID, *, until: int | None = None) -> Sequence[Move]:
    """Return what a redo does again, the oldest first: all moves up to a number, or the next one."""
    query = _UNDONE_MOVES.limit(1) if until is None else _UNDONE_MOVES.where(Move.number <= until)
    return session.scalars(query, {"plan": plan_id}).all()


def moves_with_exceptions(session: Session, plan_id: UUID) -> Sequence[Move]:
    """Return the moves that broke a promise and were not taken back, the newest first."""
    return session.scalars(_WITH_EXCEPTIONS, {"plan": plan_id}).all()


def last_number(session: Session, plan_id: UUID) -> int:
    """Return the number of the newest move, or 0."""
    return session.scalar(_LAST_NUMBER, {"plan": plan_id}) or 0


def newest_moves(session: Session, plan_id: UUID, *, limit: int, before: int | None = None) -> Sequence[Move]:
    """Return the moves, undone ones and steps of undo included, the newest first."""
    query = _NEWEST if before is None else _NEWEST.where(Move.number < before)
    return session.scalars(query.limit(limit), {"plan": plan_id}).all()


def moves_since(session: Session, plan_id: UUID, version: int) -> Sequence[Move]:
    """Return what was done after a version of the plan, the newest first."""
    return session.scalars(_LATER, {"plan": plan_id, "version": version}).all()


def seats_touched(session: Session, plan_id: UUID, guests: Collection[UUID], tables: Collection[UUID]) -> list[Seat]:
    """Return the seats of these guests and all at these tables, also of guests who are not attending."""
    rows = session.execute(_TOUCHED, {"plan": plan_id, "guests": guests, "tables": tables})
    return [Seat(guest_id=row[0], table_id=row[1], seat=row[2], locked=row[3]) for row in rows]


def seats_of_absent(session: Session, plan_id: UUID, table_id: UUID) -> frozenset[int]:
    """Return the seats of a table that are kept for guests who are not attending."""
    query = select(Seat.seat).join(Guest, Guest.id == Seat.guest_id)
    return frozenset(session.scalars(query.where(Seat.plan_id == plan_id, Seat.table_id == table_id, ~is_seated())))


def seats_kept_for_absent(session: Session, plan_id: UUID) -> dict[UUID, frozenset[int]]:
    """Return the seats that are kept for guests who are not attending, by table."""
    query = select(Seat.table_id, Seat.seat).join(Guest, Guest.id == Seat.guest_id)
    kept: dict[UUID, set[int]] = {}
    for table, seat in session.execute(query.where(Seat.plan_id == plan_id, ~is_seated())):
        kept.setdefault(table, set()).add(seat)
    return {table: frozenset(seats) for table, seats in kept.items()}


def names_of_users(session: Session, user_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return the names of accounts by their ids."""
    query = select(User.id, User.name).where(User.id.in_(user_ids))
    return {row.id: row.name for row in session.execute(query)}
