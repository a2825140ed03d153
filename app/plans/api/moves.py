"""/events/{event}/plans/{plan}/moves and …/changes."""

from __future__ import annotations

import datetime as dt
from typing import Annotated
from uuid import UUID

from fastapi import Query, Response
from pydantic import MISSING, Field

from app.errors import FieldError, Invalid
from app.events.context import ApiEditorContext, EventContext
from app.events.idempotency import OnlyOnce
from app.plans import read as plans
from app.plans.api.effects import BreakOut, EffectsOut, describe_break, describe_effects
from app.plans.api.plans import SEAT, PlanOut, describe_plan
from app.plans.moves import edit
from app.plans.moves.changes import list_changes
from app.plans.moves.effect_wording import Tone, tone_of
from app.plans.moves.effects import Effects, list_effects, value_of, words_of_gain
from app.plans.moves.requests import MOST_MOVED, MoveEntry, MoveKind
from app.web.json_api.conditional import Limit, Match, etag
from app.web.json_api.schemas import Answer, Body, Id
from app.web.one_hop import Router

router = Router(prefix="/api/v1/events/{event_id}/plans", tags=["plans"])

GUESTS = "The guests to move together, lock or unlock; moved guests take free seats next to each other"
TABLE = "The table to move to; null is the unseated tray. Also the table to lock, or whose seat is kept empty"
ANYWAY = "Makes the move even if it breaks something; locks always hold"
VERSION = "The plan's version that you saw: the move is refused only if it touches what was changed since"
TO = "undo: goes back to right after this move, 0 for the start; redo: up to this move; defaults to one move"
DRY_RUN = (
    "Returns what the move and every seat would do; saves nothing. For kinds that move or lock guests, not for undo, "
    "redo, undo_exception and seat_unseated"
)
MAX_NUMBER = (1 << 31) - 1  # of a move, as databases store it
NEEDS_TABLE = ("move", "lock_table", "unlock_table", "block_seat", "free_seat")


class MoveIn(Body):
    """An edit by hand."""

    kind: MoveKind
    guests: list[Id] = Field(default=[], max_length=MOST_MOVED, description=GUESTS)
    guest: Id | None = Field(default=None, description="One guest to move, swap, lock or unlock")
    other: Id | None = Field(default=None, description="The guest to swap with")
    table: Id | MISSING | None = Field(default=MISSING, description=TABLE)
    seat: int | None = Field(default=None, ge=1, description=f"{SEAT}; defaults to the first free seat")
    anyway: bool = Field(default=False, description=ANYWAY)
    version: int | None = Field(default=None, description=VERSION)
    dry_run: bool = Field(default=False, description=DRY_RUN)
    to: int | None = Field(default=None, ge=0, le=MAX_NUMBER, description=TO)
    exception: str = Field(default="", max_length=200, description="The key of the exception to take back")


class DryRunOut(EffectsOut):
    """What a move would do, and what every other seat would do for the same guests."""

    gain: float | None
    tone: Tone
    text: str
    breaks: list[BreakOut]


class ChangeOut(Answer):
    """A change by hand."""

    number: int
    kind: MoveKind
    text: str
    by: str | None = Field(description="The name of the account")
    at: dt.datetime
    version: int | None = Field(description="The plan's version after it")
    undone: bool
    can_undo_to: bool = Field(description="Whether `undo` with this number as `to` goes back to right after it")


class ChangeList(Answer):
    """A page of changes, newest first."""

    changes: list[ChangeOut]
    next: int | None = Field(description="Send as `after` for the next page")


@router.post("/{plan_id}/moves", response_model=PlanOut | DryRunOut)
def make_move(ctx: ApiEditorContext, plan_id: UUID, match: Match, once: OnlyOnce, body: MoveIn) -> Response:
    """Move, swap or lock guests, lock tables, keep seats empty, undo or redo. Returns the updated plan.

    A move that separates a household, breaks a rule or goes under a table's minimum or over its seats is refused with
    409 and `breaks`; with `anyway` it is made, and the plan lists the exception. Send the plan's `version` to have
    a move refused (412, with `happened`) only if someone else changed the same guests or seats; `If-Match` refuses
    it if anything changed. One of the two is needed. In a plan of several rounds `seat_unseated` seats guests in all of
    them, undoing it unseats them in all; every other move concerns one round.
    """
    entry = _entry(body)
    if body.dry_run:
        return once.answer(_dry_run(ctx, plan_id, entry), status=200)
    edit.make_move(ctx, plan_id, entry, match.check if body.version is None or match.value else None)
    view = plans.read_plan(ctx, plan_id)
    return once.answer(describe_plan(ctx, view), status=200, version=etag(view.plan))


@router.get("/{plan_id}/changes")
def list_plan_changes(
    ctx: ApiEditorContext,
    plan_id: UUID,
    limit: Limit = 100,
    after: Annotated[int | None, Query(ge=0, le=MAX_NUMBER, description="`next` from the previous page")] = None,
) -> ChangeList:
    """List the changes by hand, in words."""
    found = list_changes(ctx, plan_id, limit=limit, before=after)
    full = len(found) == limit
    return ChangeList(changes=[ChangeOut.model_validate(one) for one in found], next=found[-1].number if full else None)


def _entry(body: MoveIn) -> MoveEntry:
    if body.kind in NEEDS_TABLE and body.table is MISSING:
        raise Invalid(FieldError("table", "Choose a table of this event."))
    return MoveEntry(
        body.kind,
        body.guest,
        body.other,
        None if body.table is MISSING else body.table,
        None if body.seat is None else body.seat - 1,
        guests=tuple(body.guests),
        anyway=body.anyway,
        version=body.version,
        to=body.to,
        exception=body.exception,
    )


def _dry_run(ctx: EventContext, plan_id: UUID, entry: MoveEntry) -> DryRunOut:
    preview, plan = edit.preview_move(ctx, plan_id, entry), plans.require_plan(ctx, plan_id, "editor")
    value = value_of(plan)
    is_blocked = any(broken.kind == "locked" for broken in preview.breaks)
    tone: Tone = "blocked" if is_blocked else "breaks" if preview.breaks else tone_of(preview.gain, value)
    words = words_of_gain(plan, preview.gain) or "effect not known"
    words = preview.breaks[0].warning if preview.breaks else words
    is_moved = entry.kind in ("move", "swap")
    effects = list_effects(ctx, plan_id, entry.all_guests) if is_moved else Effects()
    return DryRunOut(
        gain=preview.gain,
        tone=tone,
        text=words,
        breaks=[describe_break(one) for one in preview.breaks],
        **describe_effects(effects),
    )
