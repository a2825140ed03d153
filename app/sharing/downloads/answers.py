"""The files themselves, as pages and the API send them. They hold no ratings and no notes."""

from __future__ import annotations

from uuid import UUID

from fastapi import Request, Response

from app.errors import Conflict, Forbidden
from app.events.context import EventContext
from app.events.exports import record_export, recorded_export
from app.files.csv_out import CSV_TYPE, write_csv
from app.files.ics import ICS_TYPE, write_ics
from app.files.pdf.typesetting import Document
from app.plans.read import require_plan
from app.sharing.downloads.seating_csv import seating_rows
from app.sharing.floor.page import PNG_UNIT, picture_values
from app.sharing.floor.read import FloorPlan, read_floor
from app.sharing.floor.svg import SVG_TYPE, draw_svg
from app.sharing.printing.options import document_name
from app.sharing.printing.seating import read_seating
from app.sharing.printing.typesetting_queue import TypesettingLine
from app.web.after_transaction import AfterTransaction
from app.web.html.attachments import attachment

PNG_TYPE = "image/png"
MOST_PIXELS = 6_000
"""Of the longer side of a picture."""
PIXELS_PER_UNIT = 2.0
INCH = 25.4


def csv_answer(request: Request, ctx: EventContext, plan_id: UUID, *, households: bool) -> Response:
    """Return who sits where as CSV, for mail merge; diets and households only for editors."""
    if households and not ctx.allows("editor"):
        raise Forbidden("Only editors can download the names of households.")
    plan = read_seating(ctx, plan_id, all_rounds=True)
    rows = seating_rows(plan, households=households)
    answer = _file(write_csv(rows), CSV_TYPE, f"Seating {plan.event_name}", "csv", "seating")
    return recorded_export(request, ctx, answer, "seating", "csv")


def ics_answer(ctx: EventContext) -> Response:
    """Return the day of the event for a calendar."""
    event = ctx.event
    if event.date is None:
        raise Conflict("This event has no date yet. Set one under Settings, then download the calendar file.")
    content = write_ics(f"{event.id}@convive", event.name, event.date, event.updated_at)
    return _file(content, ICS_TYPE, event.name, "ics", "event")


def svg_answer(request: Request, ctx: EventContext, plan_id: UUID) -> Response:
    """Return the floor as SVG: text stays text, and everything that it needs is inside."""
    drawing = draw_svg(read_floor(ctx, plan_id), f"{_floor_name(ctx, plan_id)} · {ctx.event.name}")
    answer = _file(drawing, SVG_TYPE, _floor_file(ctx, plan_id), "svg", "floor-plan")
    return recorded_export(request, ctx, answer, "floor-plan", "svg")


def png_answer(request: Request, ctx: EventContext, plan_id: UUID, line: TypesettingLine) -> Response:
    """Return the floor as a picture, made once the transaction has ended."""
    plan, account, name = read_floor(ctx, plan_id), ctx.actor.user_id, _floor_file(ctx, plan_id)
    event_id = ctx.event_id
    values = {"title": ctx.event.name, "date": "", "heading": "Floor plan", "theme": "modern", **picture_values(plan)}

    async def build() -> Response:
        made = await line.typeset(account, Document("floor", values), "png", pixels_per_inch(plan))
        await record_export(request, account, event_id, "floor-plan", "png")
        return _file(made.content, PNG_TYPE, name, "png", "floor-plan")

    return AfterTransaction(build)


def pixels_per_inch(plan: FloorPlan) -> float:
    """Return how fine the picture is: two pixels to a floor unit, fewer in a large room."""
    longest = max(plan.box[2:])
    return min(PIXELS_PER_UNIT, MOST_PIXELS / longest) / PNG_UNIT * INCH


def _floor_name(ctx: EventContext, plan_id: UUID) -> str:
    return document_name("floor-plan", require_plan(ctx, plan_id).round)


def _floor_file(ctx: EventContext, plan_id: UUID) -> str:
    return f"{_floor_name(ctx, plan_id)} {ctx.event.name}"


def _file(content: bytes, media_type: str, name: str, ending: str, otherwise: str) -> Response:
    headers = {"Content-Disposition": attachment(name, ending, otherwise)}
    return Response(content, media_type=media_type, headers=headers)
