"""Edits of a plan by hand: each is stored with what was before and after, so that it can be undone and done again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import bindparam, delete, update
from sqlalchemy.orm import Session

from app.clock import now
from app.db import models
from app.errors import Conflict, FieldError, Invalid
from app.events.context import EventContext
from app.plans.metrics import Figures, measure
from app.plans.queries import manual_edits as queries
from app.plans.read import find_plan, snapshot_of
from app.plans.seating import Change, Place, Seating, read_seating

# Made once: to make a statement takes longer than to run it.
_FORGET_UNDONE = delete(models.Move).where(models.Move.plan_id == bindparam("plan"), models.Move.undone.is_(True))
_SEAT = (
    update(models.Seat)
    .where(models.Seat.plan_id == bindparam("plan"), models.Seat.guest_id == bindparam("guest"))
    .values(table_id=bindparam("at"), seat=bindparam("chair"), locked=bindparam("is_locked"))
)
UNSYNCHRONIZED = {"synchronize_session": False}  # no such rows are loaded

MoveKind = Literal["move", "swap", "lock", "unlock", "undo", "redo"]


@dataclass(frozen=True)
class MoveEntry:
    """What somebody wants to do with a plan; a seat is counted from 0."""

    kind: MoveKind
    guest: UUID | None = None
    other: UUID | None = None
    table: UUID | None = None
    seat: int | None = None


def make_move(ctx: EventContext, plan_id: UUID, entry: MoveEntry) -> models.Plan:
    """Do what the entry says, or say what stands in the way; rules are never broken by a move."""
    ctx.edit(only="plans")
    plan = find_plan(ctx.session, ctx.event_id, plan_id)
    seating = read_seating(ctx.session, plan)
    if entry.kind == "undo":
        _take_back(ctx.session, plan, seating)
    elif entry.kind == "redo":
        _do_again(ctx.session, plan, seating)
    else:
        change = _change(seating, entry)
        if change:
            _store(ctx.session, plan, seating, entry.kind, change)
            _apply(ctx.session, plan, seating, change)
    return plan


@dataclass(frozen=True)
class Done:
    """What the last move, or the undo or redo of one, has done: where its guests are now."""

    kind: MoveKind
    is_lock: bool
    places: Change


def last_done(session: Session, plan: models.Plan, kind: MoveKind) -> Done | None:
    """Return what has just been done with the plan, if it was of this kind."""
    move = queries.next_move(session, plan.id) if kind == "undo" else queries.last_move(session, plan.id)
    if move is None or (kind not in ("undo", "redo") and move.kind != kind):
        return None
    seating = read_seating(session, plan)
    places = _from_rows(move.before if kind == "undo" else move.after, seating)
    return Done(kind, move.kind in ("lock", "unlock"), places)


def can_undo(session: Session, plan: models.Plan) -> bool:
    """Tell whether there is a move to take back."""
    return queries.has_moves(session, plan.id)[0]


def can_redo(session: Session, plan: models.Plan) -> bool:
    """Tell whether there is a move to do again."""
    return queries.has_moves(session, plan.id)[1]


def _change(seating: Seating, entry: MoveEntry) -> Change:
    guest = _seated(seating, entry.guest, "guest")
    place = seating.places[guest]
    if entry.kind in ("lock", "unlock"):
        wanted = replace(place, locked=entry.kind == "lock")
        return {} if wanted == place else {guest: wanted}
    _refuse_locked(seating, guest)
    if entry.kind == "swap":
        other = _seated(seating, entry.other, "other")
        _refuse_locked(seating, other)
        return {} if other == guest else {guest: seating.places[other], other: place}
    return _to_table(seating, guest, entry)


def _to_table(seating: Seating, guest: UUID, entry: MoveEntry) -> Change:
    table = seating.tables.get(entry.table) if entry.table else None
    if table is None or table.removed_at is not None:
        raise Invalid(FieldError("table", "Choose a table of this event."))
    place = seating.places[guest]
    seat = entry.seat
    if seat is None:
        if table.id == place.table_id:
            return {}
        seat = seating.free_seat(table.id)
    elif not 0 <= seat < table.seats:
        raise Invalid(FieldError("seat", f"{table.name} has {table.seats} seats."))
    if seat is None:
        raise Conflict(f"{table.name} is full. Swap {seating.names[guest]} with someone there instead.")
    wanted = Place(table.id, seat, place.locked)
    return {} if wanted == place else {guest: wanted}


def _seated(seating: Seating, guest: UUID | None, where: str) -> UUID:
    if guest is None:
        raise Invalid(FieldError(where, "Choose a guest."))
    if guest not in seating.places:
        raise Invalid(FieldError(where, "Guest not found in this plan."))
    return guest


def _refuse_locked(seating: Seating, guest: UUID) -> None:
    if seating.places[guest].locked:
        raise Conflict(f"{seating.names[guest]} is locked. Unlock them first.")


def _store(session: Session, plan: models.Plan, seating: Seating, kind: str, change: Change) -> None:
    session.execute(_FORGET_UNDONE, {"plan": plan.id}, execution_options=UNSYNCHRONIZED)
    before = {guest: seating.places[guest] for guest in change}
    session.add(
        models.Move(
            plan_id=plan.id,
            number=queries.last_number(session, plan.id) + 1,
            kind=kind,
            before=_as_rows(before),
            after=_as_rows(change),
        )
    )


def _take_back(session: Session, plan: models.Plan, seating: Seating) -> None:
    move = queries.last_move(session, plan.id)
    if move is None:
        raise Conflict("Nothing to undo.")
    _apply(session, plan, seating, _from_rows(move.before, seating))
    move.undone = True


def _do_again(session: Session, plan: models.Plan, seating: Seating) -> None:
    move = queries.next_move(session, plan.id)
    if move is None:
        raise Conflict("Nothing to redo.")
    _apply(session, plan, seating, _from_rows(move.after, seating))
    move.undone = False


def _apply(session: Session, plan: models.Plan, seating: Seating, change: Change) -> None:
    obstacle = seating.obstacle(change)
    if obstacle:
        raise Conflict(f"{obstacle} Nothing was changed.")
    rows = [
        {"plan": plan.id, "guest": guest, "at": place.table_id, "chair": place.seat, "is_locked": place.locked}
        for guest, place in change.items()
    ]
    session.connection().execute(_SEAT, rows)
    if any(seating.places[guest].table_id != place.table_id for guest, place in change.items()):
        _measure_again(session, plan, {**seating.places, **change})
    plan.updated_at = now()  # counts the version up even when the figures stay
    session.flush()


def _measure_again(session: Session, plan: models.Plan, places: Change) -> None:
    snapshot = snapshot_of(session, plan)
    if snapshot is None:
        raise Conflict("This plan can no longer be edited. Plan again.")
    measures = measure(snapshot, {guest: place.table_id for guest, place in places.items()})
    plan.mse, plan.total = measures.mse, measures.total
    figures = Figures.from_stored(plan.figures)
    plan.bound = figures.solved.bound if measures.everyone else None
    plan.proven_optimal = figures.is_best(measures)
    plan.figures = figures.measured_again(measures).stored


def _as_rows(change: Change) -> list[dict[str, Any]]:
    return [
        {"guest": str(guest), "table": str(place.table_id), "seat": place.seat, "locked": place.locked}
        for guest, place in change.items()
    ]


def _from_rows(rows: list[dict[str, Any]], seating: Seating) -> Change:
    # A guest who was removed since has no place to go back to.
    places = {UUID(row["guest"]): Place(UUID(row["table"]), row["seat"], row["locked"]) for row in rows}
    return {guest: place for guest, place in places.items() if guest in seating.places}
