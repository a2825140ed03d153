"""Versions of a plan: use, duplicate, restore, compare, repair, and the small picture."""

from __future__ import annotations

import datetime as dt
from uuid import UUID

from fastapi import Request, Response
from pydantic import Field

from app.events.context import ApiEditorContext, ApiViewerContext
from app.events.idempotency import OnlyOnce
from app.plans import versions
from app.plans.api.plans import PlanSummary, summarise_plan
from app.plans.comparison import Gain, compare_plans
from app.plans.late_changes import find_repair
from app.plans.names import plan_name
from app.plans.read import PlanTable, current_plan_id, read_plan
from app.plans.views.comparison import list_moves, summarise
from app.plans.views.late_changes import repair_points
from app.plans.views.picture import draw_picture
from app.web.json_api.conditional import etag
from app.web.json_api.schemas import Answer
from app.web.one_hop import Router

router = Router(prefix="/api/v1/events/{event_id}", tags=["plans"])


class DeletedPlan(Answer):
    """A deleted plan that can be restored."""

    id: UUID
    title: str
    deleted_at: dt.datetime
    removed_on: dt.datetime = Field(description="When the plan is removed for good")


class DeletedPlans(Answer):
    """The deleted plans that can be restored, the one deleted last first."""

    plans: list[DeletedPlan]


class TableName(Answer):
    """A table by its id and name."""

    id: UUID
    name: str


class GuestMoveOut(Answer):
    """A guest who sits at another table, or in only one of the plans."""

    guest: UUID
    name: str
    before: TableName | None = Field(description="Their table in the first plan; null if they have no seat there")
    after: TableName | None = Field(description="Their table in the other plan; null if they have no seat there")
    gain: Gain | None = Field(description="How they sit in the other plan; null if not known or not yours to see")
    text: str = Field(description="How they sit now and sat before, in words; empty if not yours to see")


class ComparisonOut(Answer):
    """What changes from one plan to another."""

    before: UUID
    after: UUID
    summary: str
    moves: list[GuestMoveOut]
    same_tables: list[TableName] = Field(description="Tables with the same guests in both plans")


class RepairPointOut(Answer):
    """A plan of a repair."""

    id: UUID
    moved: int = Field(description="How many guests sit at a different table than in the plan before")
    quality: str = Field(description="How good the plan is, compared with the one that moves the fewest guests")
    in_use: bool = Field(description="Whether this is the plan in use")


class RepairOut(Answer):
    """The plans of a repair, from the one that moves the fewest guests to the best."""

    before: UUID | None = Field(description="The plan that was repaired; null if it was deleted")
    points: list[RepairPointOut] = Field(description="Empty if this plan isn't from a repair")
    repaired_by: UUID | None = Field(description="The plan of the last repair of this plan")


@router.get("/deleted-plans")
def list_deleted_plans(ctx: ApiEditorContext) -> DeletedPlans:
    """List the deleted plans that can be restored."""
    return DeletedPlans(
        plans=[
            DeletedPlan(
                id=plan.id,
                title=plan_name(plan),
                deleted_at=plan.deleted_at,
                removed_on=plan.deleted_at + versions.RESTORABLE,
            )
            for plan, _, _ in versions.list_deleted(ctx)
            if plan.deleted_at
        ]
    )


@router.post("/plans/{plan_id}/use", response_model=PlanSummary)
def use_plan(ctx: ApiEditorContext, plan_id: UUID, once: OnlyOnce) -> Response:
    """Let this plan be the one in use."""
    plan = versions.use_plan(ctx, plan_id)
    return once.answer(summarise_plan(plan, can_edit=True), status=200, version=etag(plan))


@router.post("/plans/{plan_id}/duplicate", status_code=201, response_model=PlanSummary)
def duplicate_plan(request: Request, ctx: ApiEditorContext, plan_id: UUID, once: OnlyOnce) -> Response:
    """Copy a plan as it is now. The plan in use stays in use."""
    plan = versions.duplicate_plan(ctx, plan_id)
    location = f"/api/v1/events/{ctx.event_id}/plans/{plan.id}"
    return once.answer(summarise_plan(plan, can_edit=True), location=location, version=etag(plan))


@router.post("/plans/{plan_id}/restore", response_model=PlanSummary)
def restore_plan(ctx: ApiEditorContext, plan_id: UUID, once: OnlyOnce) -> Response:
    """Restore a deleted plan with its links and alternatives."""
    plan = versions.restore_plan(ctx, plan_id)
    return once.answer(summarise_plan(plan, can_edit=True), status=200, version=etag(plan))


@router.get("/plans/{plan_id}/comparison/{other_plan_id}")
def show_plan_comparison(ctx: ApiViewerContext, plan_id: UUID, other_plan_id: UUID) -> ComparisonOut:
    """Compare two plans: everyone who moves from the first to the other."""
    compared = compare_plans(ctx, plan_id, other_plan_id)
    moves = [
        GuestMoveOut(
            guest=move.guest_id,
            name=move.name,
            before=_table(move.before),
            after=_table(move.after),
            gain=move.gain,
            text=words.why,
        )
        for move, words in zip(compared.moves, list_moves(compared), strict=True)
    ]
    return ComparisonOut(
        before=plan_id,
        after=other_plan_id,
        summary=summarise(compared),
        moves=moves,
        same_tables=[TableName(id=table.id, name=table.name) for table in compared.same_tables],
    )


@router.get("/plans/{plan_id}/repair")
def show_repair(ctx: ApiEditorContext, plan_id: UUID) -> RepairOut:
    """Show the plans of a repair. Start one with a run: `{"repair": true, "from_plan": …}`."""
    view = read_plan(ctx, plan_id)
    repair = find_repair(ctx, view)
    points = repair_points(view, repair.moved, chosen=plan_id, current=current_plan_id(ctx))
    return RepairOut(
        before=repair.before,
        points=[
            RepairPointOut(id=point.id, moved=point.moved, quality=point.quality, in_use=point.is_used)
            for point in points
        ],
        repaired_by=repair.repaired_by,
    )


@router.get(
    "/plans/{plan_id}/picture",
    response_class=Response,
    responses={200: {"content": {"image/svg+xml": {"schema": {"type": "string"}}}}},
)
def show_plan_picture(ctx: ApiViewerContext, plan_id: UUID) -> Response:
    """Show a plan as a small SVG picture without names. Colours are for those who may see ratings."""
    return Response(draw_picture(read_plan(ctx, plan_id)), media_type="image/svg+xml")


def _table(table: PlanTable | None) -> TableName | None:
    return TableName(id=table.id, name=table.name) if table else None
