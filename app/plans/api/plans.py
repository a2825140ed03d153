"""/events/{event}/plans."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import Query, Request, Response
from pydantic import MISSING, Field
from typing_extensions import TypedDict

from app.db.models import Plan
from app.errors import FieldError, Invalid
from app.events.context import EventContext, api_needs
from app.events.idempotency import OnlyOnce
from app.events.kept_lists import answer_kept
from app.events.kept_pages import read_state
from app.plans import read as plans
from app.plans import versions
from app.plans.character import Character, find_characters
from app.plans.metrics import Figures, GuestFigure
from app.plans.moves import edit
from app.plans.moves.changes import list_changes
from app.plans.moves.effect_wording import Tone, gain_words, tone_of
from app.plans.moves.effects import Effect, list_effects
from app.plans.moves.exceptions import PlanException, list_exceptions
from app.plans.moves.promises import BreakKind, Broken
from app.plans.moves.requests import MOST_MOVED, MoveEntry, MoveKind
from app.plans.names import plan_name
from app.plans.read import PlanTable, PlanView
from app.plans.satisfaction import Level, level_of
from app.web import cursors
from app.web.json_api.conditional import After, Limit, Match, etag
from app.web.json_api.schemas import Answer, Body, Id
from app.web.one_hop import Router

router = Router(prefix="/api/v1/events/{event_id}/plans", tags=["plans"])

SEAT = "Seat number at the table, counted from 1"
GUESTS = "The guests to move together, lock or unlock; moved guests take free seats next to each other"
TABLE = "The table to move to; null is the unseated tray. Also the table to lock, or whose seat is kept empty"
ANYWAY = "Makes the move even if it breaks something; locks always hold"
VERSION = "The plan's version that you saw: the move is refused only if it touches what was changed since"
TO = "undo: goes back to right after this move, 0 for the start; redo: up to this move; defaults to one move"
MAX_NUMBER = (1 << 31) - 1  # of a move, as databases store it
NEEDS_TABLE = ("move", "lock_table", "unlock_table", "block_seat", "free_seat")
LEVEL = "2 with a close friend, 1 with someone they like, 0 needs attention, null if not known"

CERTAINTY = "Share of their tablemates that other good plans keep, from 0 to 1; null if not known"

MOVED = "How many guests sit at a different table than in the plan that the run started from; null if not counted"


class PlanPatch(Body):
    """What to change about a plan."""

    name: str | MISSING | None = Field(default=MISSING, description="null or an empty string clears the name")


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
    dry_run: bool = Field(default=False, description="Returns what the move and every seat would do; saves nothing")
    to: int | None = Field(default=None, ge=0, le=MAX_NUMBER, description=TO)
    exception: str = Field(default="", max_length=200, description="The key of the exception to take back")


class BreakOut(Answer):
    """A promise that a move would break."""

    kind: BreakKind
    key: str = Field(description="Names the promise; the same as in `exceptions`")
    text: str
    guests: list[UUID]
    table: UUID | None
    rule: UUID | None


class EffectOut(Answer):
    """What happens if the guest takes this seat, or swaps with the guest who sits there."""

    table: UUID
    seat: int = Field(description=SEAT)
    other: UUID | None = Field(description="The guest to swap with; null if the seat is free")
    gain: float | None = Field(description="Change of the objective, above 0 if the plan gets better; null if unknown")
    tone: Tone
    text: str
    breaks: list[BreakOut]


class EffectsOut(Answer):
    """The effects of all seats, table by table, and the three best places."""

    seats: list[EffectOut]
    best: list[EffectOut]


class DryRunOut(EffectsOut):
    """What a move would do, and what every other seat would do for the same guests."""

    gain: float | None
    tone: Tone
    text: str
    breaks: list[BreakOut]


class ExceptionOut(Answer):
    """A promise that the plan breaks now."""

    kind: BreakKind
    key: str
    text: str
    guests: list[UUID]
    table: UUID | None
    rule: UUID | None
    move: int | None = Field(description="The number of the move that made it; null if the event changed instead")
    can_undo: bool = Field(description="Whether `undo_exception` can take it back by itself")


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


class UnseatedOut(Answer):
    """A guest without a seat."""

    id: UUID
    name: str


class SeatOut(TypedDict):
    """A guest at a table."""  # a plain dictionary: models of 20,000 guests take longer to build than all the rest

    id: UUID
    name: str
    seat: Annotated[int, Field(description=SEAT)]
    locked: bool


class PlanTableOut(Answer):
    """A table with its guests, in the order of their seats."""

    id: UUID
    name: str
    guests: list[SeatOut]
    locked: bool = Field(description="Whether its guests stay and nobody joins")
    blocked: list[int] = Field(description="Seats that stay empty, counted from 1")


class GuestFigureOut(TypedDict):
    """How a guest sits, in the event's own values."""

    level: Annotated[Level | None, Field(description=LEVEL)]
    mean: float
    best: float | None
    worst: float | None
    best_guest: UUID | None
    worst_guest: UUID | None
    liked: int
    disliked: int
    likely: Annotated[int, Field(description="How many unrated tablemates the guest probably gets along with")]
    likely_guest: Annotated[
        UUID | None, Field(description="The unrated tablemate the guest probably gets along with best")
    ]
    certainty: Annotated[float | None, Field(description=CERTAINTY)]


class PaperOut(Answer):
    """The paper method's result for the same guests and tables."""

    mse: float
    total: float
    restarts: int


class AlternativeOut(Answer):
    """An alternative plan from the same run."""

    id: UUID
    mse: float | None
    total: float | None
    guests_moved: int = Field(description="How many guests sit at a different table in that plan")
    moved: int | None = Field(description=MOVED)
    character: list[Character] = Field(description="In what this plan is better than the other plans of its run")


class TableFigureOut(Answer):
    """How well a table gets along."""

    mean: float
    mse: float


class ImprovementOut(Answer):
    """A step of the best value."""

    seconds: float
    restart: int
    value: float


class FiguresOut(Answer):
    """What the run did and how everybody sits."""

    kind: str
    method: str
    objective: str
    restarts: int
    iterations: int
    seconds: float
    paper: PaperOut | None
    history: list[ImprovementOut]
    guests: dict[UUID, GuestFigureOut]
    tables: dict[UUID, TableFigureOut]


class PlanSummary(Answer):
    """A plan in a list. Values are null if you may not see ratings."""

    id: UUID
    name: str
    title: str = Field(description="The name, or one such as `Version 3`")
    number: int = Field(description="The number of the version; a plan and its alternatives share it")
    run_id: UUID | None
    alternative_of: UUID | None = Field(description="The plan that this is an alternative to")
    mse: float | None
    total: float | None
    bound: float | None
    proven_optimal: bool
    moved: int | None = Field(description=MOVED)
    created_at: dt.datetime
    updated_at: dt.datetime


class PlanOut(PlanSummary):
    """Who sits where."""

    tables: list[PlanTableOut]
    version: int = Field(description="Counts up with each change; the number in the ETag")
    unseated: list[str] = Field(description="Names of the guests without a seat")
    tray: list[UnseatedOut] = Field(description="The guests without a seat")
    newcomers: list[UUID] = Field(
        description="Seated guests who were added after the plan was made; they count as neutral in its figures"
    )
    exceptions: list[ExceptionOut] | None = Field(
        description="What the plan breaks now: households, rules, sizes of tables; visible to editors and owners only"
    )
    figures: FiguresOut | None = Field(description="Visible to editors and owners only")
    alternatives: list[AlternativeOut] | None = Field(
        description="Alternative plans; visible to editors and owners only"
    )


class PlanList(Answer):
    """A page of plans, newest first."""

    plans: list[PlanSummary]
    current: UUID | None = Field(description="The plan in use")
    next: UUID | None


@router.get("")
def list_plans(ctx: Annotated[EventContext, api_needs("viewer")], limit: Limit = 100, after: After = None) -> PlanList:
    """List the plans."""
    found = plans.list_plans(ctx, limit=limit, after=after)
    cursors.check_cursor(ctx.session, Plan, ctx.event_id, after)
    can_edit = ctx.allows("editor")
    full = len(found) == limit
    return PlanList(
        plans=[summarise_plan(plan, can_edit=can_edit) for plan in found],
        current=plans.current_plan_id(ctx),
        next=found[-1].id if full else None,
    )


@router.get("/{plan_id}", response_model=PlanOut)
def show_plan(request: Request, ctx: Annotated[EventContext, api_needs("viewer")], plan_id: UUID) -> Response:
    """Retrieve a plan."""

    def build() -> tuple[PlanOut, Plan]:
        view = plans.read_plan(ctx, plan_id)
        return _answer(ctx, view), view.plan

    return answer_kept(request, ctx.actor, read_state(ctx, ("ratings",)), build, is_same_for_all=False)


@router.patch("/{plan_id}")
def rename_plan(
    ctx: Annotated[EventContext, api_needs("editor")], plan_id: UUID, match: Match, body: PlanPatch, response: Response
) -> PlanOut:
    """Rename a plan."""
    ctx.hold()
    match.check(plans.require_plan(ctx, plan_id, "editor"))
    if body.name is not MISSING:
        versions.rename_plan(ctx, plan_id, body.name or "")
    view = plans.read_plan(ctx, plan_id)
    response.headers["ETag"] = etag(view.plan)
    return _answer(ctx, view)


@router.delete("/{plan_id}", status_code=204)
def delete_plan(ctx: Annotated[EventContext, api_needs("editor")], plan_id: UUID, match: Match) -> None:
    """Delete a plan with its links and alternatives. It can be restored for 30 days."""
    ctx.hold()
    match.check(plans.require_plan(ctx, plan_id, "editor"))
    versions.delete_plan(ctx, plan_id)


@router.post("/{plan_id}/moves", response_model=PlanOut | DryRunOut)
def make_move(
    ctx: Annotated[EventContext, api_needs("editor")], plan_id: UUID, match: Match, once: OnlyOnce, body: MoveIn
) -> Response:
    """Move, swap or lock guests, lock tables, keep seats empty, undo or redo. Returns the updated plan.

    A move that separates a household, breaks a rule or goes under a table's minimum or over its seats is refused with
    409 and `breaks`; with `anyway` it is made, and the plan lists the exception. Send the plan's `version` to have
    a move refused (412, with `happened`) only if someone else changed the same guests or seats; `If-Match` refuses
    it if anything changed. One of the two is needed.
    """
    entry = _entry(body)
    if body.dry_run:
        return once.answer(_dry_run(ctx, plan_id, entry), status=200)
    edit.make_move(ctx, plan_id, entry, match.check if body.version is None or match.value else None)
    view = plans.read_plan(ctx, plan_id)
    return once.answer(_answer(ctx, view), status=200, version=etag(view.plan))


@router.get("/{plan_id}/effects")
def show_effects(
    ctx: Annotated[EventContext, api_needs("editor")],
    plan_id: UUID,
    guest: Annotated[Sequence[UUID], Query(description="Guests who move together", max_length=MOST_MOVED)] = (),
) -> EffectsOut:
    """Show what every seat would do for a guest, or for up to 50 who move together; for more the list is empty."""
    effects = list_effects(ctx, plan_id, guest)
    return EffectsOut(seats=[_effect(one) for one in effects.seats], best=[_effect(one) for one in effects.best])


@router.get("/{plan_id}/changes")
def list_plan_changes(
    ctx: Annotated[EventContext, api_needs("editor")],
    plan_id: UUID,
    limit: Limit = 100,
    after: Annotated[int | None, Query(le=MAX_NUMBER, description="`next` from the previous page")] = None,
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
    value = plan.total if plan.figures.get("objective") == "total" else plan.mse
    is_blocked = any(broken.kind == "locked" for broken in preview.breaks)
    tone: Tone = "blocked" if is_blocked else "breaks" if preview.breaks else tone_of(preview.gain, value)
    words = gain_words(preview.gain, value) or "nothing to compare with"
    words = preview.breaks[0].warning if preview.breaks else words
    effects = list_effects(ctx, plan_id, entry.all_guests) if entry.kind in ("move", "swap") else None
    return DryRunOut(
        gain=preview.gain,
        tone=tone,
        text=words,
        breaks=[_break(one) for one in preview.breaks],
        seats=[_effect(one) for one in effects.seats] if effects else [],
        best=[_effect(one) for one in effects.best] if effects else [],
    )


def _effect(effect: Effect) -> EffectOut:
    return EffectOut.model_construct(
        table=effect.table,
        seat=effect.seat + 1,
        other=effect.other,
        gain=effect.gain,
        tone=effect.tone,
        text=effect.text,
        breaks=[_break(broken) for broken in effect.breaks],
    )


def _break(broken: Broken) -> BreakOut:
    return BreakOut.model_construct(
        kind=broken.kind,
        key=broken.key,
        text=broken.warning,
        guests=list(broken.guests),
        table=broken.table,
        rule=broken.rule,
    )


def _exception(exception: PlanException) -> ExceptionOut:
    broken = exception.broken
    return ExceptionOut(
        kind=broken.kind,
        key=broken.key,
        text=broken.text,
        guests=list(broken.guests),
        table=broken.table,
        rule=broken.rule,
        move=exception.move,
        can_undo=exception.can_undo,
    )


def summarise_plan(plan: Plan, *, can_edit: bool) -> PlanSummary:
    """Return a plan as it is listed."""
    return PlanSummary(
        id=plan.id,
        name=plan.name,
        title=plan_name(plan),
        number=plan.number,
        run_id=plan.run_id,
        alternative_of=plan.alternative_of,
        mse=plan.mse if can_edit else None,
        total=plan.total if can_edit else None,
        bound=plan.bound if can_edit else None,
        proven_optimal=plan.proven_optimal and can_edit,
        moved=plan.moved if can_edit else None,
        created_at=plan.created_at,
        updated_at=plan.updated_at,
    )


def _answer(ctx: EventContext, view: PlanView) -> PlanOut:
    exceptions = list_exceptions(ctx.session, view.plan) if view.can_edit else None
    values = {"mse": view.mse, "total": view.total, "bound": view.bound, "proven_optimal": view.proven_optimal}
    return PlanOut(
        **{**summarise_plan(view.plan, can_edit=view.can_edit).model_dump(), **values},
        tables=[_table(table) for table in view.tables],
        version=view.plan.version,
        unseated=list(view.unseated),
        tray=[UnseatedOut(id=guest.id, name=guest.name) for guest in view.tray],
        newcomers=list(view.newcomers),
        exceptions=[_exception(one) for one in exceptions] if exceptions is not None else None,
        figures=_figures(view, view.figures) if view.figures else None,
        alternatives=_alternatives(ctx, view) if view.can_edit else None,
    )


def _alternatives(ctx: EventContext, view: PlanView) -> list[AlternativeOut]:
    characters = find_characters(ctx, view.plan)
    return [
        AlternativeOut.model_validate({**vars(one), "character": characters.get(one.id, ())})
        for one in view.alternatives
    ]


def _table(table: PlanTable) -> PlanTableOut:
    guests: list[SeatOut] = [
        {"id": guest.id, "name": guest.name, "seat": guest.seat + 1, "locked": guest.locked} for guest in table.guests
    ]
    blocked = [seat + 1 for seat in table.blocked]
    return PlanTableOut.model_construct(
        id=table.id, name=table.name, guests=guests, locked=table.locked, blocked=blocked
    )


def _figures(view: PlanView, figures: Figures) -> FiguresOut:
    seated = (guest for table in view.tables for guest in table.guests)
    certainty = {guest.id: guest.certainty for guest in seated if guest.certainty is not None}
    run = FiguresOut.model_validate(
        {
            "kind": figures.kind,
            "method": figures.method,
            "objective": figures.objective,
            "restarts": figures.restarts,
            "iterations": figures.iterations,
            "seconds": figures.seconds,
            "paper": figures.paper,
            "history": figures.history,
            "guests": {},
            "tables": figures.tables,
        }
    )
    for key, figure in figures.guests.items():
        run.guests[key] = _guest_figure(figure, level_of(figure, figures), certainty.get(key))
    return run


def _guest_figure(figure: GuestFigure, level: Level | None, certainty: float | None) -> GuestFigureOut:
    return {
        "level": level,
        "mean": figure.mean,
        "best": figure.best,
        "worst": figure.worst,
        "best_guest": figure.best_guest,
        "worst_guest": figure.worst_guest,
        "liked": figure.liked,
        "disliked": figure.disliked,
        "likely": figure.likely,
        "likely_guest": figure.likely_guest,
        "certainty": certainty,
    }
