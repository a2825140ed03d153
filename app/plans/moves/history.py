"""The moves of a plan: each is stored with what was before and after, so that it can be undone and done again."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy import bindparam, update
from sqlalchemy.orm import Session

from app.clock import now
from app.db import models
from app.db.models.base import GENERATION
from app.errors import Conflict, Stale
from app.guests.queries.guests import names_ever
from app.plans.moves.apply import apply_change, stored_places, with_evicted
from app.plans.moves.change_wording import Names, say_how_long_ago, say_what_happened
from app.plans.moves.requests import MoveEntry, MoveKind, touched_by
from app.plans.queries import moves as queries
from app.plans.queries import plans as plan_queries
from app.plans.seating import Change, Place, Places, Seating, SeatKey
from app.tables.queries import tables_of

MOST_HAPPENED, MOST_LISTED = 10, 3
# Built once: building a statement takes longer than running it.
_DROP_UNDONE = (
    update(models.Move)
    .where(models.Move.plan_id == bindparam("plan"), models.Move.undone.is_(True))
    .values(dropped=True)
)


class PlanChanged(Stale):
    """Somebody else changed the same guests or seats in the meantime. Nothing was saved."""

    def __init__(self, happened: Sequence[str], when: str) -> None:
        summary = " ".join(happened[:MOST_LISTED])
        super().__init__(f"{summary} Look at the plan again before you make your change. Nothing was saved.".strip())
        self.details = {"happened": list(happened)}
        self.when = when


class OthersChange(Conflict):
    """The last change was made by somebody else: undoing it is asked about first."""


def ask_about_others(session: Session, plan: models.Plan, entry: MoveEntry, user_id: UUID) -> None:
    """Refuse to undo the last change if somebody else made it, unless that is wanted."""
    if entry.kind != "undo" or entry.to is not None or entry.anyway or entry.version not in (None, plan.version):
        return
    last = next(iter(queries.done_moves(session, plan.id)), None)
    if last is not None and last.user_id not in (None, user_id):
        did = say_what_happened(last, read_names(session, plan.event_id, [last]))
        raise OthersChange(f"{did} Undo this change of theirs?")


def store_move(
    session: Session,
    plan: models.Plan,
    seating: Seating,
    change: Change,
    *,
    kind: MoveKind,
    user_id: UUID,
    broken: Sequence[str] = (),
    covers: Sequence[int] = (),
    at: dt.datetime | None = None,
) -> models.Move:
    """Write a change and remember it; `at` is the moment that it shares with the same change of other rounds."""
    stored = stored_places(session, plan, change)
    change = with_evicted(seating, stored, change)
    before = Change(
        {guest: stored.get(guest) for guest in change.places},
        {table: table in seating.locked_tables for table in change.tables},
        {seat: seat in seating.blocked_seats for seat in change.seats},
    )
    apply_change(session, plan, seating, change)
    if kind not in queries.STEPS:
        session.execute(_DROP_UNDONE, {"plan": plan.id}, execution_options={"synchronize_session": False})
    move = models.Move(
        plan_id=plan.id,
        number=queries.last_number(session, plan.id) + 1,
        kind=kind,
        before=as_rows(before),
        after=as_rows(change),
        user_id=user_id,
        plan_version=plan.version,
        broken=list(broken),
        covers=list(covers),
        created_at=at or now(),
    )
    session.add(move)
    session.flush()
    return move


def undo(
    session: Session, plan: models.Plan, seating: Seating, user_id: UUID, to: int | None = None
) -> Sequence[models.Move]:
    """Take back the last move, or all moves after number `to`, and return them; 0 is the plan as it was made."""
    moves = queries.done_moves(session, plan.id, after=to)
    if not moves:
        raise Conflict("Nothing to undo.")
    change = _possible(session, plan, _merged(move.before for move in moves))
    for move in moves:
        move.undone = True
    store_move(session, plan, seating, change, kind="undo", user_id=user_id, covers=[move.number for move in moves])
    return moves


def redo(
    session: Session, plan: models.Plan, seating: Seating, user_id: UUID, to: int | None = None
) -> Sequence[models.Move]:
    """Do the next move again, or all up to number `to`, and return them."""
    moves = queries.undone_moves(session, plan.id, until=to)
    if not moves:
        raise Conflict("Nothing to redo.")
    change = _possible(session, plan, _merged(move.after for move in moves))
    for move in moves:
        move.undone = False
    store_move(session, plan, seating, change, kind="redo", user_id=user_id, covers=[move.number for move in moves])
    return moves


def can_undo(session: Session, plan: models.Plan) -> bool:
    """Return whether there is a move to take back."""
    return queries.has_moves(session, plan.id)[0]


def can_redo(session: Session, plan: models.Plan) -> bool:
    """Return whether there is a move to do again."""
    return queries.has_moves(session, plan.id)[1]


def refuse_overtaken(session: Session, plan: models.Plan, entry: MoveEntry) -> None:
    """Refuse a move of a plan that was changed since where it matters: the same guests or seats, or any undo."""
    seen = entry.version
    if seen is None or seen == plan.version:
        return
    if seen > plan.version or seen // GENERATION != plan.version // GENERATION:
        raise Stale
    later = queries.moves_since(session, plan.id, seen)
    if entry.kind not in ("undo", "redo", "undo_exception"):
        guests, seats, tables = touched_by(entry)
        later = [move for move in later if _touches(move, guests, seats, tables)]
    if later:
        names = read_names(session, plan.event_id, later)
        happened = [say_what_happened(move, names) for move in later[:MOST_HAPPENED]]
        raise PlanChanged(happened, say_how_long_ago(later[0].created_at, now()))


@dataclass(frozen=True)
class LastEdit:
    """What the last move, or the undo or redo of one, has done: its guests, tables and empty seats as they are now."""

    kind: MoveKind
    is_lock: bool
    places: Places
    tables: Mapping[UUID, bool] = field(default_factory=dict)
    seats: Mapping[SeatKey, bool] = field(default_factory=dict)


def last_done(moves: Sequence[models.Move], kind: MoveKind) -> LastEdit | None:
    """Return what the newest of these moves has just done with the plan, if it was of this kind."""
    move = moves[0] if moves else None
    if move is None or move.kind != kind:
        return None
    before, after = from_rows(move.before).places, from_rows(move.after)
    is_lock = all(_key(before.get(guest)) == _key(place) for guest, place in after.places.items())
    return LastEdit(kind, is_lock, after.places, after.tables, after.seats)


def read_names(session: Session, event_id: UUID, moves: Iterable[models.Move]) -> Names:
    """Return the names of guests, tables and accounts, also of those that are gone."""
    users = {move.user_id for move in moves if move.user_id}
    tables = tables_of(session, event_id, with_removed=True)
    return Names(
        names_ever(session, event_id),
        {table.id: table.name for table in tables},
        queries.names_of_users(session, users) if users else {},
    )


def as_rows(change: Change) -> list[dict[str, Any]]:
    """Return a change as it is stored."""
    guests = [
        {"guest": str(guest), "table": str(place.table_id), "seat": place.seat, "locked": place.locked}
        if place
        else {"guest": str(guest), "table": None}
        for guest, place in change.places.items()
    ]
    tables = [{"table": str(table), "locked": is_locked} for table, is_locked in change.tables.items()]
    seats = [{"table": str(key), "seat": seat, "blocked": is_on} for (key, seat), is_on in change.seats.items()]
    return [*guests, *tables, *seats]


def from_rows(rows: Iterable[dict[str, Any]]) -> Change:
    """Return the change that was stored."""
    places: dict[UUID, Place | None] = {}
    tables: dict[UUID, bool] = {}
    seats: dict[SeatKey, bool] = {}
    for row in rows:
        table = UUID(row["table"]) if row["table"] else None
        if "guest" in row:
            places[UUID(row["guest"])] = Place(table, row["seat"], row["locked"]) if table else None
        elif table and "blocked" in row:
            seats[table, row["seat"]] = row["blocked"]
        elif table:
            tables[table] = row["locked"]
    return Change(places, tables, seats)


def _merged(steps: Iterable[list[dict[str, Any]]]) -> Change:
    """Return what several changes, one after the other, amount to."""
    places: dict[UUID, Place | None] = {}
    tables: dict[UUID, bool] = {}
    seats: dict[SeatKey, bool] = {}
    for step in map(from_rows, steps):
        places |= step.places
        tables |= step.tables
        seats |= step.seats
    return Change(places, tables, seats)


def _possible(session: Session, plan: models.Plan, change: Change) -> Change:
    """Leave out guests and tables that were deleted for good; the seats of other deleted tables are still there."""
    there = plan_queries.stored_guests(session, plan.event_id, list(change.places))
    places = {guest: place for guest, place in change.places.items() if guest in there}
    tables = plan_queries.stored_tables(session, plan.event_id, [place.table_id for place in places.values() if place])
    kept = {guest: place for guest, place in places.items() if place is None or place.table_id in tables}
    return Change(kept, change.tables, change.seats)


def touched_tables(moves: Iterable[models.Move]) -> set[UUID]:
    """Return the tables that are different after these moves."""
    changes = [from_rows(rows) for move in moves for rows in (move.before, move.after)]
    seats = {place.table_id for change in changes for place in change.places.values() if place}
    return seats.union(*(change.tables for change in changes), *({key[0] for key in one.seats} for one in changes))


def _touches(move: models.Move, guests: set[UUID], seats: set[SeatKey], tables: set[UUID]) -> bool:
    for change in (from_rows(move.before), from_rows(move.after)):
        places = {place.key for place in change.places.values() if place}
        if guests & change.places.keys() or seats & (places | change.seats.keys()) or tables & change.tables.keys():
            return True
    return False


def _key(place: Place | None) -> SeatKey | None:
    return place.key if place else None
