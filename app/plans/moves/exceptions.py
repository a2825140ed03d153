"""Exceptions of a plan: the promises that it breaks now, which moves broke them, and the way back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from uuid import UUID

from sqlalchemy.orm import Session

from app.db import models
from app.errors import Conflict
from app.plans.moves.history import from_rows
from app.plans.moves.promises import Broken, Promises
from app.plans.moves.requests import find_locks
from app.plans.queries import moves as queries
from app.plans.seating import Place, Places, Seating, read_seating


@dataclass(frozen=True)
class PlanException:
    """A promise that the plan breaks now, the number of the move that broke it, if one did, and the way back.

    Without a move the event has changed since the plan was made, such as by a new rule.
    """

    broken: Broken
    move: int | None
    can_undo: bool


def list_exceptions(session: Session, plan: models.Plan) -> list[PlanException]:
    """Return what the plan breaks now: it is compared each time, so that it is always true."""
    seating = read_seating(session, plan)
    promises = Promises(seating)
    broken = promises.broken()
    moves = queries.moves_with_exceptions(session, plan.id) if broken else []
    found = []
    for one in broken:
        move = _maker(moves, one.key)
        way = _way_back(seating, promises, one.key, move) if move else None
        found.append(PlanException(one, move.number if move else None, way is not None))
    return found


def way_back(session: Session, plan: models.Plan, seating: Seating, key: str) -> Places:
    """Return the change that takes back the move behind an exception, or say why that cannot be done by itself."""
    promises = Promises(seating)
    move = _maker(queries.moves_with_exceptions(session, plan.id), key)
    if move is None or not promises.severity(key):
        raise Conflict("This exception is no longer there, or no move made it. Nothing was changed.")
    way = _way_back(seating, promises, key, move)
    if way is None:
        raise Conflict("Later changes are in the way. Undo them first, or move the guests yourself.")
    return way


def _maker(moves: Iterable[models.Move], key: str) -> models.Move | None:
    return next((move for move in moves if key in move.broken), None)


def _way_back(seating: Seating, promises: Promises, key: str, move: models.Move) -> Places | None:
    """Return where the guests of a move would go back to, if they still sit where it put them and can."""
    before, after = from_rows(move.before).places, from_rows(move.after).places
    here = {guest: place for guest, place in before.items() if guest in seating.names}
    if any(_table(seating.places.get(guest)) != _table(after[guest]) for guest in here):
        return None
    places = _seats_again(seating, here)
    if places is None or any(find_locks(seating, places)) or promises.newly_broken(places):
        return None
    return places if promises.severity(key, places) < promises.severity(key) else None


def _seats_again(seating: Seating, wanted: Places) -> dict[UUID, Place | None] | None:
    """Return the seats that these guests had, or others at the same tables where they are taken; none if it is full."""
    places: dict[UUID, Place | None] = {}
    for guest, place in wanted.items():
        if place is None:
            places[guest] = None
            continue
        if seating.open_table(place.table_id) is None:
            return None
        given = {other.key for other in places.values() if other}
        free = [seat for seat in seating.free_seats(place.table_id, wanted) if (place.table_id, seat) not in given]
        if not free:
            return None
        seat = place.seat if place.seat in free else free[0]
        places[guest] = replace(place, seat=seat, locked=False)
    return places


def _table(place: Place | None) -> UUID | None:
    return place.table_id if place else None
