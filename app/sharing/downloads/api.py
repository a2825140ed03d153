"""/events/{event}/plans/{plan}/downloads: every file of a plan, each with its address."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import Query, Request, Response
from pydantic import Field

from app.events.context import ApiViewerContext
from app.files.csv_out import CSV_TYPE
from app.files.event_file import JSON_TYPE
from app.files.guest_lists.write import XLSX_TYPE
from app.files.ics import ICS_TYPE
from app.plans.read import require_plan
from app.sharing.downloads import answers
from app.sharing.floor.svg import SVG_TYPE
from app.sharing.links import guests_address
from app.sharing.printing.options import DOOR_POSTER, EDITORS_ONLY, NAMES
from app.sharing.printing.typesetting_queue import Typesetting
from app.web.deps import AppSettings
from app.web.json_api.schemas import Answer
from app.web.link_tokens import link_key
from app.web.one_hop import Router

router = Router(prefix="/api/v1/events/{event_id}", tags=["plans"])
PDF_TYPE = "application/pdf"
WithHouseholds = Annotated[bool, Query(description="Add the names of households; editors only")]


class Download(Answer):
    """A file."""

    name: str
    media_type: str
    address: str
    whole_event: bool = Field(description="Whether it holds ratings and notes, so that it is for editors only")


class DownloadList(Answer):
    """The files that you may download."""

    downloads: list[Download]


def _file(media_type: str) -> dict[int | str, dict[str, Any]]:
    plain = media_type.partition(";")[0]
    content = {plain: {"schema": {"type": "string", "format": "binary"}}}
    return {200: {"description": "The file", "content": content}}


@router.get("/plans/{plan_id}/downloads")
def list_downloads(ctx: ApiViewerContext, settings: AppSettings, plan_id: UUID) -> DownloadList:
    """List all files of a plan with their addresses. Print options are query parameters of the PDFs."""
    plan = require_plan(ctx, plan_id)
    event, can_edit = f"/api/v1/events/{ctx.event_id}", ctx.allows("editor")
    has_link = bool(guests_address(ctx.session, ctx.event_id, "", link_key(settings)))
    found = [
        (name, PDF_TYPE, f"{event}/plans/{plan.id}/print/{what}.pdf", False)
        for what, name in NAMES.items()
        if (can_edit or what not in EDITORS_ONLY) and (has_link or what != DOOR_POSTER)
    ]
    found += [
        ("Floor plan as SVG", SVG_TYPE, f"{event}/plans/{plan.id}/floor.svg", False),
        ("Floor plan as PNG", answers.PNG_TYPE, f"{event}/plans/{plan.id}/floor.png", False),
        ("Seating for mail merge", CSV_TYPE, f"{event}/plans/{plan.id}/seating.csv", False),
    ]
    if ctx.event.date:
        found.append(("Calendar file", ICS_TYPE, f"{event}/event.ics", False))
    if can_edit:
        found.append(("Whole event as a workbook", XLSX_TYPE, f"{event}/event.xlsx?plan={plan.id}", True))
        found.append(("Whole event as JSON", JSON_TYPE, f"{event}/event.json", True))
    return DownloadList(
        downloads=[Download(name=n, media_type=t.partition(";")[0], address=a, whole_event=w) for n, t, a, w in found]
    )


@router.get("/plans/{plan_id}/seating.csv", response_class=Response, responses=_file(CSV_TYPE))
def export_seating(
    request: Request, ctx: ApiViewerContext, plan_id: UUID, households: WithHouseholds = False
) -> Response:
    """Download who sits where as CSV, for mail merge. Diets are for editors.

    `households=yes` adds the names of households, for editors: keep that file to yourself.
    """
    return answers.csv_answer(request, ctx, plan_id, households=households)


@router.get("/plans/{plan_id}/floor.svg", response_class=Response, responses=_file(SVG_TYPE))
def export_svg(request: Request, ctx: ApiViewerContext, plan_id: UUID) -> Response:
    """Download the floor plan as SVG, as it is arranged in the workspace."""
    return answers.svg_answer(request, ctx, plan_id)


@router.get("/plans/{plan_id}/floor.png", response_class=Response, responses=_file(answers.PNG_TYPE))
def export_png(request: Request, ctx: ApiViewerContext, plan_id: UUID, line: Typesetting) -> Response:
    """Download the floor plan as PNG, as it is arranged in the workspace."""
    return answers.png_answer(request, ctx, plan_id, line)


@router.get("/event.ics", response_class=Response, responses=_file(ICS_TYPE))
def export_day(ctx: ApiViewerContext) -> Response:
    """Download the day of the event for a calendar."""
    return answers.ics_answer(ctx)
