"""/events/{event}/plans."""

from __future__ import annotations

import datetime as dt
from typing import Annotated
from uuid import UUID

from fastapi import Request, Response
from pydantic import MISSING, Field
from typing_extensions import TypedDict

from app.db.models import Plan
from app.events.cached_lists import answer_kept
from app.events.cached_pages import read_state
from app.events.context import ApiEditorContext, ApiViewerContext, EventContext
from app.plans import read as plans
from app.plans import versions
from app.plans.api.figures import FiguresOut, describe_figures
from app.plans.character import Character, find_characters
from app.plans.moves.exceptions import PlanException, list_exceptions
from app.plans.moves.promises import BreakKind
from app.plans.names import plan_name
from app.plans.queries.rounds import main_of
from app.plans.read import PlanTable, PlanView
from app.plans.views.in_use import read_plan_in_use
from app.plans.views.text import attendance_words
from app.solver import MeetingReport, meetings_sentence
from app.web import cursors
from app.web.json_api.conditional import After, Limit, Match, etag
from app.web.json_api.schemas import Answer, Body
from app.web.one_hop import Router

router = Router(prefix="/api/v1/events/{event_id}/plans", tags=["plans"])

SEAT = "Seat number at the table, counted from 1"


MOVED = "How many guests sit at a different table than in the plan that the run started from; null if not counted"


class PlanPatch(Body):
    """What to change about a plan."""

    name: str | MISSING | None = Field(default=MISSING, description="null or an empty string clears the name")


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


class AlternativeOut(Answer):
    """An alternative plan from the same run."""

    id: UUID
    mse: float | None
    total: float | None
    guests_moved: int = Field(description="How many guests sit at a different table in that plan")
    moved: int | None = Field(description=MOVED)
    character: list[Character] = Field(description="In what this plan is better than the other plans of its run")


class RoundOut(Answer):
    """A round of a plan, which is a plan of its own."""

    number: int = Field(description="Counted from 1")
    plan_id: UUID


class MeetingsOut(Answer):
    """Who meets whom in several rounds; whoever belongs to one household does not count."""

    sentence: str
    fewest: int = Field(description="How many different people a guest meets at least")
    most: int = Field(description="How many different people a guest meets at most")
    new: int = Field(description="Pairs that meet for the first time")
    met_before: int = Field(description="Pairs who sat together before and meet again")
    earlier: int = Field(description="All pairs of these guests who sat together before")
    again: int = Field(description="Pairs that meet in more than one round")
    pairs: int = Field(description="All pairs of guests")
    share: float = Field(description="The share of all pairs that meet, from 0 to 1")


class AttendanceOut(Answer):
    """What it costs and gains that the plan counts on some guests staying away, compared with the usual plan."""

    sentence: str
    uncertain: int = Field(description="How many guests may not come")
    price: float = Field(description="The share of the usual plan's value that this one loses if everyone comes")
    gain: float = Field(description="The share by which it is better on average over 200 drawn sets of replies")
    minimums_kept: float = Field(
        description="In which share of these every table that is used has its minimum. Minimums hold if everyone "
        "comes; they are not held when guests stay away"
    )


class PlanSummary(Answer):
    """A plan in a list. Values are null if you may not see ratings."""

    id: UUID
    name: str
    title: str = Field(description="The name, or one such as `Version 3`")
    number: int = Field(description="The number of the version; a plan and its alternatives share it")
    run_id: UUID | None
    alternative_of: UUID | None = Field(description="The plan that this is an alternative to, or the first round of")
    round: int | None = Field(description="Which of several rounds this is, counted from 1; null without rounds")
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
    in_use: bool = Field(description="Whether this is the plan in use")
    open_links: int | None = Field(
        description="How many open links show the plan in use: this one, or instead of it; visible to editors only"
    )
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
    rounds: list[RoundOut] = Field(description="All rounds in their order; empty for a plan without rounds")
    meetings: MeetingsOut | None = Field(description="Who meets whom in several rounds; null without rounds")
    attendance: AttendanceOut | None = Field(
        description="For a run with `maybe_percent` or `no_reply_percent` below 100; visible to editors and owners only"
    )


class PlanList(Answer):
    """A page of plans, newest first."""

    plans: list[PlanSummary]
    current: UUID | None = Field(description="The plan in use")
    next: UUID | None


@router.get("")
def list_plans(ctx: ApiViewerContext, limit: Limit = 100, after: After = None) -> PlanList:
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
def show_plan(request: Request, ctx: ApiViewerContext, plan_id: UUID) -> Response:
    """Retrieve a plan."""

    def build() -> tuple[PlanOut, Plan]:
        view = plans.read_plan(ctx, plan_id)
        return describe_plan(ctx, view), view.plan

    return answer_kept(request, ctx.actor, read_state(ctx, ("ratings",)), build, is_same_for_all=False)


@router.patch("/{plan_id}")
def rename_plan(ctx: ApiEditorContext, plan_id: UUID, match: Match, body: PlanPatch, response: Response) -> PlanOut:
    """Rename a plan."""
    ctx.hold()
    match.check(plans.require_plan(ctx, plan_id, "editor"))
    if body.name is not MISSING:
        versions.rename_plan(ctx, plan_id, body.name or "")
    view = plans.read_plan(ctx, plan_id)
    response.headers["ETag"] = etag(view.plan)
    return describe_plan(ctx, view)


@router.delete("/{plan_id}", status_code=204)
def delete_plan(ctx: ApiEditorContext, plan_id: UUID, match: Match) -> None:
    """Delete a plan with its links and alternatives. It can be restored for 30 days."""
    ctx.hold()
    match.check(plans.require_plan(ctx, plan_id, "editor"))
    versions.delete_plan(ctx, plan_id)


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
        round=plan.round or None,
        mse=plan.mse if can_edit else None,
        total=plan.total if can_edit else None,
        bound=plan.bound if can_edit else None,
        proven_optimal=plan.proven_optimal and can_edit,
        moved=plan.moved if can_edit else None,
        created_at=plan.created_at,
        updated_at=plan.updated_at,
    )


def describe_plan(ctx: EventContext, view: PlanView) -> PlanOut:
    """Return a plan as programs get it."""
    exceptions = list_exceptions(ctx.session, view.plan) if view.can_edit else None
    in_use = read_plan_in_use(ctx)
    values = {"mse": view.mse, "total": view.total, "bound": view.bound, "proven_optimal": view.proven_optimal}
    return PlanOut(
        **{**summarise_plan(view.plan, can_edit=view.can_edit).model_dump(), **values},
        tables=[_table(table) for table in view.tables],
        in_use=in_use.id == main_of(view.plan),
        open_links=in_use.links if view.can_edit else None,
        version=view.plan.version,
        unseated=list(view.unseated),
        tray=[UnseatedOut(id=guest.id, name=guest.name) for guest in view.tray],
        newcomers=list(view.newcomers),
        exceptions=[_exception(one) for one in exceptions] if exceptions is not None else None,
        figures=describe_figures(view, view.figures) if view.figures else None,
        alternatives=_alternatives(ctx, view) if view.can_edit else None,
        rounds=[RoundOut(number=one.number, plan_id=one.plan_id) for one in view.rounds.rounds] if view.rounds else [],
        meetings=_meetings(view.rounds.meetings) if view.rounds else None,
        attendance=_attendance(view) if view.can_edit else None,
    )


def _attendance(view: PlanView) -> AttendanceOut | None:
    report = view.figures.attendance if view.figures else None
    if report is None:
        return None
    return AttendanceOut(
        sentence=attendance_words(view),
        uncertain=report.uncertain,
        price=round(report.price, 6),
        gain=round(report.gain, 6),
        minimums_kept=round(report.kept, 6),
    )


def _meetings(report: MeetingReport) -> MeetingsOut:
    return MeetingsOut(
        sentence=meetings_sentence(report),
        fewest=report.fewest,
        most=report.most,
        new=report.new,
        met_before=report.met_before,
        earlier=report.earlier,
        again=report.pairs_again,
        pairs=report.pairs,
        share=round(report.share, 6),
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
