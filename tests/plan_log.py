"""Checks that no edit of a plan was lost: its moves, done again one after the other, give the seats that it has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import select

from app.db.models import Move, Plan, Seat
from app.db.session import Sessions, transaction

Places = dict[str, tuple[str, int]]


def places_of(sessions: Sessions, plan_id: UUID) -> Places:
    """Return the table and the seat of everybody."""
    with transaction(sessions, read_only=True) as session:
        rows = session.scalars(select(Seat).where(Seat.plan_id == plan_id))
        return {str(row.guest_id): (str(row.table_id), row.seat) for row in rows}


def find_faults(sessions: Sessions, plan_id: UUID, start: Places, acknowledged: Sequence[int]) -> list[str]:
    """Say what is wrong with a plan after many edits; `acknowledged` are the versions that editors were told."""
    with transaction(sessions, read_only=True) as session:
        moves = session.scalars(select(Move).where(Move.plan_id == plan_id).order_by(Move.number)).all()
        version = session.get_one(Plan, plan_id).version
    places, faults = dict(start), []
    for move in moves:
        before = {row["guest"]: _place(row) for row in move.before if "guest" in row}
        if any(places.get(guest) != place for guest, place in before.items()):
            faults.append(f"move {move.number} did not see the one before")
        for row in move.after:
            _put(places, row)
    stored = places_of(sessions, plan_id)
    if places != stored:
        faults.append("the moves do not lead to the seats")
    if len(set(stored.values())) < len(stored):
        faults.append("two guests at one seat")
    if [move.number for move in moves] != list(range(1, len(moves) + 1)):
        faults.append("numbers of moves are missing or double")
    if sorted(acknowledged) != [move.plan_version for move in moves]:
        faults.append("moves that were acknowledged are not those that are stored")
    if version != (moves[-1].plan_version if moves else version):
        faults.append("the version is not that of the last move")
    return faults


def _put(places: Places, row: dict[str, Any]) -> None:
    if "guest" not in row:
        return
    place = _place(row)
    if place is None:
        places.pop(row["guest"], None)
    else:
        places[row["guest"]] = place


def _place(row: dict[str, Any]) -> tuple[str, int] | None:
    return (row["table"], row["seat"]) if row["table"] else None
