"""Seating the unseated in all rounds of a plan at once, and undoing that in all of them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Protocol
from uuid import UUID

from sqlalchemy.orm import Session

from app.clock import now
from app.db import models
from app.errors import Conflict
from app.plans.moves import history
from app.plans.moves.unseated import EVERYONE_SEATED, seat_unseated
from app.plans.queries import moves as queries
from app.plans.queries.rounds import main_of, rounds_of
from app.plans.read import hold_plan, snapshot_of
from app.plans.seating import Change, Seating, read_seating


class _Step(Protocol):
    """Undoes or redoes the next move of a plan."""

    def __call__(
        self, session: Session, plan: models.Plan, seating: Seating, user_id: UUID, to: int | None = None
    ) -> Sequence[models.Move]: ...


def seat_in_all_rounds(session: Session, plan: models.Plan, user_id: UUID) -> None:
    """Seat everybody who has no seat, in each round in which there is room; nobody else moves.

    The moves of all rounds have one moment, by which they are undone together.
    """
    at, refusals, is_changed = now(), list[Conflict](), False
    for one in _all_rounds(session, plan):
        seating = read_seating(session, one)
        if seating.names.keys() <= seating.places.keys():
            continue
        try:
            places = seat_unseated(session, one, seating, snapshot_of(session, one))
        except Conflict as error:
            refusals.append(error)
            continue
        history.store_move(session, one, seating, Change(places), kind="seat_unseated", user_id=user_id, at=at)
        is_changed = True
    if not is_changed:
        raise refusals[0] if refusals else Conflict(EVERYONE_SEATED)


def undo(session: Session, plan: models.Plan, seating: Seating, user_id: UUID, to: int | None = None) -> None:
    """Undo in this plan; where that unseats guests who were seated in all rounds, in the others too."""
    moves = history.undo(session, plan, seating, user_id, to)
    _follow(session, plan, user_id, _moments(moves), queries.done_moves, history.undo)


def redo(session: Session, plan: models.Plan, seating: Seating, user_id: UUID, to: int | None = None) -> None:
    """Redo in this plan; where that seats guests in all rounds again, in the others too."""
    moves = history.redo(session, plan, seating, user_id, to)
    _follow(session, plan, user_id, _moments(moves), queries.undone_moves, history.redo)


def _follow(
    session: Session,
    plan: models.Plan,
    user_id: UUID,
    moments: set[dt.datetime],
    next_moves: Callable[[Session, UUID], Sequence[models.Move]],
    step: _Step,
) -> None:
    """Take the same step in the other rounds, as long as their next moves were made at these moments."""
    if not moments:
        return
    for other in _all_rounds(session, plan):
        while other.id != plan.id and moments & _moments(next_moves(session, other.id)[:1]):
            step(session, other, read_seating(session, other), user_id)


def _moments(moves: Sequence[models.Move]) -> set[dt.datetime]:
    """Return when guests were seated in all rounds."""
    return {move.created_at for move in moves if move.kind == "seat_unseated"}


def _all_rounds(session: Session, plan: models.Plan) -> list[models.Plan]:
    """Return the plans of all rounds as they are stored now; the plan alone where it has no rounds."""
    rounds = rounds_of(session, main_of(plan)) if plan.round else []
    return [hold_plan(session, plan.event_id, one.plan_id) for one in rounds] or [plan]
