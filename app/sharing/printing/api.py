"""/events/{event}/plans/{plan}/print: cards, charts and lists as PDF."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Query, Request, Response

from app.events.context import ApiViewerContext
from app.events.exports import record_export
from app.guests.name_order import language_of
from app.sharing.links import guests_address
from app.sharing.printing.jobs import PrintJob, check_glyphs, read_job
from app.sharing.printing.options import (
    DOOR_POSTER,
    Order,
    PaperKey,
    PrintOptions,
    ThemeKey,
    What,
    check_options,
)
from app.sharing.printing.typesetting_queue import Typesetting
from app.web.after_transaction import AfterTransaction
from app.web.deps import get_settings, own_address
from app.web.html.attachments import attachment
from app.web.link_tokens import link_key
from app.web.one_hop import InThread, Router

router = Router(prefix="/api/v1/events/{event_id}/plans/{plan_id}/print", tags=["plans"])
PDF_TYPE = "application/pdf"
ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"description": "The PDF", "content": {PDF_TYPE: {"schema": {"type": "string", "format": "binary"}}}}
}


def read_api_job(
    request: Request,
    ctx: ApiViewerContext,
    plan_id: UUID,
    what: What,
    paper: Annotated[PaperKey, Query(description="Cards and lists: a4 or letter")] = "a4",
    layout: Annotated[str, Query(max_length=40, description="Cards, such as a4-tent-4, avery-5302")] = "",
    theme: ThemeKey = "classic",
    order: Annotated[Order, Query(description="Sort A–Z by first or last name")] = "first",
    crop: Annotated[bool, Query(description="Crop marks, except on perforated sheets")] = True,
    table: Annotated[bool, Query(description="The table on place cards")] = True,
    marks: Annotated[bool, Query(description="Meals and allergies on place cards; editors only")] = False,
) -> PrintJob:
    """Return the job that the address describes."""
    options = PrintOptions(what, paper, layout, theme, order, crop=crop, with_table=table, marks=marks)
    check_options(options)
    language = language_of(request.headers.get("accept-language", ""))
    job = read_job(ctx, plan_id, options, language=language)
    if what != DOOR_POSTER:
        return job
    key = link_key(get_settings(request))
    return replace(job, seat_address=guests_address(ctx.session, ctx.event_id, own_address(request), key))


@router.get("/{what}.pdf", response_class=Response, responses=ANSWERS)
def print_plan(
    request: Request,
    job: Annotated[PrintJob, InThread(read_api_job)],
    line: Typesetting,
    missing: Annotated[
        Literal["refuse", "boxes"], Query(description="What to do with characters that no font has")
    ] = "refuse",
) -> Response:
    """Print cards, a seating chart or a list as PDF. Diets are for editors.

    Of several rounds, cards of guests say the table in each; everything else shows the round that the plan is.
    """
    document, event_id = job.document(), job.event.id
    headers = {"Content-Disposition": attachment(job.file_name, "pdf", "print")}

    async def build() -> Response:
        made = await line.typeset(job.account, document)
        if missing == "refuse":
            check_glyphs(job.plan, made)
        await record_export(request, job.account, event_id, job.options.what, "pdf")
        return Response(made.content, media_type=PDF_TYPE, headers=headers)

    return AfterTransaction(build)
