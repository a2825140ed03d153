"""Reads of moves: the edits of a plan by hand."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import bindparam, exists, func, select
from sqlalchemy.orm import Session

from app.db.models import Move
from app.db.once import once

_DONE = (Move.plan_id == bindparam("plan")) & Move.undone.is_(False)
_UNDONE = (Move.plan_id == bindparam("plan")) & Move.undone.is_(True)
_HAS_MOVES = select(exists().where(_DONE), exists().where(_UNDONE))
_LAST_MOVE = select(Move).where(_DONE).order_by(Move.number.desc()).limit(1)
_NEXT_MOVE = select(Move).where(_UNDONE).order_by(Move.number.asc()).limit(1)
_LAST_NUMBER = select(func.max(Move.number)).where(_DONE)


@once
def has_moves(session: Session, plan_id: UUID) -> tuple[bool, bool]:
    """Return whether there is a move that an undo takes back, and one that a redo does again."""
    undo, redo = session.execute(_HAS_MOVES, {"plan": plan_id}).one()
    return undo, redo


def last_move(session: Session, plan_id: UUID) -> Move | None:
    """Return the move that an undo takes back."""
    return session.scalar(_LAST_MOVE, {"plan": plan_id})


def next_move(session: Session, plan_id: UUID) -> Move | None:
    """Return the move that a redo does again."""
    return session.scalar(_NEXT_MOVE, {"plan": plan_id})


def last_number(session: Session, plan_id: UUID) -> int:
    """Return the number of the last move that was not undone, or 0."""
    return session.scalar(_LAST_NUMBER, {"plan": plan_id}) or 0
