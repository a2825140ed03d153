"""What the Download menu of a plan offers."""

from __future__ import annotations

from uuid import UUID

from fastapi import Request, Response

from app.events.context import ViewerContext
from app.sharing.downloads import answers
from app.sharing.printing.typesetting_queue import Typesetting
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}")


@router.get("/plans/{plan_id}/seating.csv")
def export_seating(request: Request, ctx: ViewerContext, plan_id: UUID, households: bool = False) -> Response:
    """Send who sits where as CSV."""
    return answers.csv_answer(request, ctx, plan_id, households=households)


@router.get("/plans/{plan_id}/floor.svg")
def export_svg(request: Request, ctx: ViewerContext, plan_id: UUID) -> Response:
    """Send the floor as SVG."""
    return answers.svg_answer(request, ctx, plan_id)


@router.get("/plans/{plan_id}/floor.png")
def export_png(request: Request, ctx: ViewerContext, plan_id: UUID, line: Typesetting) -> Response:
    """Send the floor as PNG."""
    return answers.png_answer(request, ctx, plan_id, line)


@router.get("/event.ics")
def export_day(ctx: ViewerContext) -> Response:
    """Send the day of the event for a calendar."""
    return answers.ics_answer(ctx)
