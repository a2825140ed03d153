"""Edits of a plan by hand: move, swap, lock, keep seats empty, undo, redo, take back an exception."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from uuid import UUID

from app.db import models
from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.plans.moves import all_rounds, history
from app.plans.moves.exceptions import way_back
from app.plans.moves.meetings import weigh_by_meetings
from app.plans.moves.promises import Broken, broken_by
from app.plans.moves.requests import MoveEntry, MoveKind, Refused, change_for
from app.plans.moves.worth import Worth
from app.plans.queries.moves import seats_of_absent
from app.plans.read import hold_plan, require_plan, snapshot_of
from app.plans.seating import Change, Seating, read_seating


@dataclass(frozen=True)
class Preview:
    """What a move would do, without doing it: how much better the plan gets, if that can be said, and what breaks."""

    gain: float | None
    breaks: tuple[Broken, ...]


def make_move(
    ctx: EventContext, plan_id: UUID, entry: MoveEntry, check: Callable[[models.Plan], None] | None = None
) -> models.Plan:
    """Do what the entry says, or say what is in the way; `check` may refuse the plan as it is by now."""
    ctx.edit(only="plans")  # editors come one after the other, and each sees what the one before did
    plan = hold_plan(ctx.session, ctx.event_id, plan_id)
    if check is not None:
        check(plan)
    history.refuse_overtaken(ctx.session, plan, entry)
    seating, user_id = read_seating(ctx.session, plan), ctx.actor.user_id
    if entry.kind == "undo":
        all_rounds.undo(ctx.session, plan, seating, user_id, entry.to)
    elif entry.kind == "redo":
        all_rounds.redo(ctx.session, plan, seating, user_id, entry.to)
    elif entry.kind == "undo_exception":
        change = Change(way_back(ctx.session, plan, seating, entry.exception))
        history.store_move(ctx.session, plan, seating, change, kind=entry.kind, user_id=user_id)
    elif entry.kind == "seat_unseated":
        all_rounds.seat_in_all_rounds(ctx.session, plan, user_id)
    else:
        _make(ctx, plan, seating, entry)
    return plan


def preview_move(ctx: EventContext, plan_id: UUID, entry: MoveEntry) -> Preview:
    """Say what a move would do; locks are among what it breaks."""
    plan = require_plan(ctx, plan_id, "editor")
    if entry.kind in ("undo", "redo", "undo_exception", "seat_unseated"):
        raise Invalid(FieldError("dry_run", f"A dry run shows what moving guests would do; “{entry.kind}” has none."))
    seating = _with_kept_seats(ctx, read_seating(ctx.session, plan), plan, entry)
    try:
        change = change_for(seating, entry)
    except Refused as error:
        return Preview(None, error.breaks)
    snapshot = weigh_by_meetings(ctx.session, plan, snapshot_of(ctx.session, plan))
    gain = Worth(snapshot, seating).gain(change.places) if snapshot else None
    return Preview(gain, tuple(broken_by(seating, change)))


def _make(ctx: EventContext, plan: models.Plan, seating: Seating, entry: MoveEntry) -> None:
    seating = _with_kept_seats(ctx, seating, plan, entry)
    change = change_for(seating, entry)
    broken = broken_by(seating, change)
    if broken and not entry.anyway:
        raise Refused(broken)
    if change:
        keys = [one.key for one in broken]
        user_id, kind = ctx.actor.user_id, entry.kind
        history.store_move(ctx.session, plan, seating, change, kind=kind, user_id=user_id, broken=keys)


def _with_kept_seats(ctx: EventContext, seating: Seating, plan: models.Plan, entry: MoveEntry) -> Seating:
    if entry.kind != "move" or entry.table is None:
        return seating
    return replace(seating, kept_seats=seats_of_absent(ctx.session, plan.id, entry.table))


__all__ = ["MoveEntry", "MoveKind", "Preview", "Refused", "make_move", "preview_move"]
