"""The history of a plan in words: who did what and when, and to which points one can go back."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from uuid import UUID

from app.events.context import EventContext
from app.plans.moves.change_wording import name_of_user, say_what_was_done
from app.plans.moves.history import read_names
from app.plans.queries import moves as queries
from app.plans.read import require_plan


@dataclass(frozen=True)
class PlanChange:
    """A change by hand; `can_undo_to` says whether one can go back to right after it."""

    number: int
    kind: str
    text: str
    by: str | None
    at: dt.datetime
    version: int | None
    undone: bool
    can_undo_to: bool


def list_changes(ctx: EventContext, plan_id: UUID, *, limit: int = 100, before: int | None = None) -> list[PlanChange]:
    """Return the changes of a plan, the newest first, from before a number."""
    plan = require_plan(ctx, plan_id, "editor")
    moves = queries.newest_moves(ctx.session, plan.id, limit=limit, before=before)
    names = read_names(ctx.session, ctx.event_id, moves)
    last = next((move.number for move in queries.done_moves(ctx.session, plan.id)), 0)
    return [
        PlanChange(
            move.number,
            move.kind,
            say_what_was_done(move, names),
            name_of_user(move, names),
            move.created_at,
            move.plan_version,
            move.undone,
            not move.undone and move.kind not in queries.STEPS and move.number < last,
        )
        for move in moves
    ]
