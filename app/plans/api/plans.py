"""/events/{event}/plans."""

from __future__ import annotations

import datetime as dt
from typing import Annotated
from uuid import UUID

from fastapi import Request, Response
from pydantic import MISSING, Field
from typing_extensions import TypedDict

from app.db.models import Plan
from app.events.context import EventContext, api_needs
from app.events.idempotency import OnlyOnce
from app.events.kept_lists import answer_kept
from app.events.page_state import read_state
from app.plans import manual_edits as moves
from app.plans import read as plans
from app.plans import versions
from app.plans.character import Character, find_characters
from app.plans.metrics import Figures, GuestFigure
from app.plans.names import plan_name
from app.plans.read import PlanTable, PlanView
from app.plans.satisfaction import Level, level_of
from app.web import cursors
from app.web.json_api.conditional import After, Limit, Match, etag
from app.web.json_api.schemas import Answer, Body, Id
from app.web.one_hop import Router

router = Router(prefix="/api/v1/events/{event_id}/plans", tags=["plans"])

SEAT = "Seat number at the table, counted from 1"
LEVEL = "2 with a close friend, 1 with someone they like, 0 needs attention, null if not known"

CERTAINTY = "Share of their tablemates that other good plans keep, from 0 to 1; null if not known"

MOVED = "How many guests sit at a different table than in the plan that the run started from; null if not counted"


class PlanPatch(Body):
    """What to change about a plan."""

    name: str | MISSING | None = Field(default=MISSING, description="null or an empty string clears the name")


class MoveIn(Body):
    """An edit by hand."""

    kind: moves.MoveKind
    guest: Id | None = Field(default=None, description="The guest to move, swap, lock or unlock")
    other: Id | None = Field(default=None, description="The guest to swap with")
    table: Id | None = Field(default=None, description="The table to move to")
    seat: int | None = Field(default=None, ge=1, description=f"{SEAT}; defaults to the first free seat")


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
    unseated: list[str] = Field(description="Guests added after the plan was created")
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
    match.check(plans.require_plan(ctx, plan_id, "editor"))
    if body.name is not MISSING:
        versions.rename_plan(ctx, plan_id, body.name or "")
    view = plans.read_plan(ctx, plan_id)
    response.headers["ETag"] = etag(view.plan)
    return _answer(ctx, view)


@router.delete("/{plan_id}", status_code=204)
def delete_plan(ctx: Annotated[EventContext, api_needs("editor")], plan_id: UUID, match: Match) -> None:
    """Delete a plan with its links and alternatives. It can be restored for 30 days."""
    match.check(plans.require_plan(ctx, plan_id, "editor"))
    versions.delete_plan(ctx, plan_id)


@router.post("/{plan_id}/moves", response_model=PlanOut)
def make_move(
    ctx: Annotated[EventContext, api_needs("editor")], plan_id: UUID, match: Match, once: OnlyOnce, body: MoveIn
) -> Response:
    """Move, swap, lock or unlock guests, undo or redo. Returns the updated plan."""
    match.check(plans.require_plan(ctx, plan_id, "editor"))
    seat = None if body.seat is None else body.seat - 1
    entry = moves.MoveEntry(body.kind, body.guest, body.other, body.table, seat)
    moves.make_move(ctx, plan_id, entry)
    view = plans.read_plan(ctx, plan_id)
    return once.answer(_answer(ctx, view), status=200, version=etag(view.plan))


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
    values = {"mse": view.mse, "total": view.total, "bound": view.bound, "proven_optimal": view.proven_optimal}
    return PlanOut(
        **{**summarise_plan(view.plan, can_edit=view.can_edit).model_dump(), **values},
        tables=[_table(table) for table in view.tables],
        unseated=list(view.unseated),
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
    return PlanTableOut.model_construct(id=table.id, name=table.name, guests=guests)


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
