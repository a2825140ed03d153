"""The page of late changes: what is out of date about a plan, and how few guests have to move."""

from __future__ import annotations

from uuid import UUID

from fastapi import Depends, Request, Response

from app.events.cached_pages import PASSING, kept
from app.events.context import EditorContext
from app.plans.comparison import compare_plans
from app.plans.late_changes import find_repair
from app.plans.names import plan_name
from app.plans.pages.workspace import read_staleness
from app.plans.read import read_plan, require_plan
from app.plans.views.comparison import list_moves
from app.plans.views.in_use import read_plan_in_use
from app.plans.views.late_changes import RepairPage, curve_line, repair_points
from app.plans.views.stale_banner import notice_of
from app.web.deps import guard_form
from app.web.html.forms import read_id
from app.web.html.rendering import event_address, render
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}/plans/{plan_id}", dependencies=[Depends(guard_form)])


@router.get("/repair")
@kept
def show_repair(request: Request, ctx: EditorContext, plan_id: UUID, point: str = "") -> Response:
    """Show the curve of a repair with exactly who moves at one `point` of it, or offer to find it."""
    view = read_plan(ctx, plan_id)
    stale, repair = read_staleness(ctx, view), find_repair(ctx, view)
    in_use = read_plan_in_use(ctx)
    points = repair_points(view, repair.moved, repair.fits, chosen=read_id(point) or plan_id, current=in_use.id)
    chosen = next((one for one in points if one.is_chosen), None)
    page = RepairPage(
        event=ctx.event,
        plan_id=plan_id,
        name=plan_name(view.plan),
        address=event_address(ctx.event_id, f"plans/{plan_id}"),
        notice=notice_of(stale, can_edit=True),
        points=points,
        line=curve_line(points),
        chosen=chosen,
        before=repair.before,
        before_name=plan_name(require_plan(ctx, repair.before)) if repair.before else "",
        moves=list_moves(compare_plans(ctx, repair.before, chosen.id)) if repair.before and chosen else (),
        repaired_by=repair.repaired_by,
        in_use=in_use,
    )
    answer = render(request, "plans/repair.html", page)
    if stale.is_unchecked:  # the answer comes without a change of the event
        answer.headers["Cache-Control"] = PASSING
    return answer
