"""A whole event as a workbook or JSON, and a new event from one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request, Response
from fastapi.responses import StreamingResponse

from app.accounts.current_user import Account, CurrentUser, known_person
from app.accounts.recent_password import RecentlyConfirmed
from app.errors import FieldError, Invalid
from app.events.context import EditorContext
from app.events.exports import recorded_export
from app.files.csv_out import CSV_TYPE, write_csv
from app.files.matrices.write import csv_lines
from app.files.sheet_limits import SheetError
from app.files.workbook import Sheet
from app.guests.pages.importing import Fields, download, read_file
from app.ratings.matrix import read_matrix
from app.transfer import export as exports
from app.transfer.answers import Source, create_from_file, json_answer, read_source, workbook_answer
from app.web.deps import Uploads, guard_form
from app.web.html.forms import read_id
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Router

# First who sends it: the guard of the form reads the whole file.
router = Router(dependencies=[Depends(known_person), Depends(guard_form)])


@dataclass(frozen=True)
class BookPage:
    """The form to choose a file."""

    faults: Sequence[FieldError] = field(default_factory=tuple)


async def read_book(form: Fields, uploads: Uploads, account: Account) -> Source | list[FieldError]:
    """Read the file that was sent, or say what is wrong, before the session of the request begins."""
    _, data = await read_file(form)
    if not data:
        return [FieldError("file", "Choose a workbook or JSON file exported from an event.")]
    try:
        async with uploads.place(account):
            return await read_source(data)
    except SheetError as error:
        return [FieldError("file", message) for message in error.errors]


@router.get("/events/{event_id}/event.xlsx")
def export_book(request: Request, ctx: EditorContext, recent: RecentlyConfirmed, plan: str = "") -> Response:
    """Send everything that was entered as a workbook, named after the event, with the seating of one plan."""
    return workbook_answer(request, ctx, read_id(plan))


@router.get("/events/{event_id}/event.json")
def export_json(request: Request, ctx: EditorContext, recent: RecentlyConfirmed) -> Response:
    """Send the whole event as JSON, named after the event."""
    return json_answer(request, ctx)


@router.get("/events/{event_id}/ratings.csv")
def export_ratings(request: Request, ctx: EditorContext) -> Response:
    """Send all ratings as a square with names, as the page of matrices takes it."""
    found = read_matrix(ctx)
    lines = csv_lines([guest.name for guest in found.guests], found.values)
    headers = {"Content-Disposition": 'attachment; filename="ratings.csv"'}
    answer = StreamingResponse(lines, headers=headers, media_type=CSV_TYPE)
    return recorded_export(request, ctx, answer, "ratings", "csv")


@router.get("/events/{event_id}/wishes.csv")
def export_wishes(request: Request, ctx: EditorContext) -> Response:
    """Send the wishes, as the workbook has them."""
    return recorded_export(request, ctx, _csv(exports.export_wishes(ctx)), "wishes", "csv")


@router.get("/events/{event_id}/rules.csv")
def export_rules(request: Request, ctx: EditorContext) -> Response:
    """Send the rules, as the workbook has them."""
    return recorded_export(request, ctx, _csv(exports.export_rules(ctx)), "rules", "csv")


@router.get("/import")
def choose_book(request: Request, actor: CurrentUser) -> Response:
    return render(request, "transfer/import.html", BookPage())


@router.post("/import")
async def take_book(
    request: Request, source: Annotated[Source | list[FieldError], Depends(read_book)], account: Account
) -> Response:
    """Make a new event of the file; where something is wrong with it, none is made."""
    if isinstance(source, list):
        return render(request, "transfer/import.html", BookPage(source), 422)
    try:
        event_id = await create_from_file(request, account, source)
    except Invalid as error:
        faults = [FieldError("file", fault.message) for fault in error.faults]
        return render(request, "transfer/import.html", BookPage(faults), 422)
    return redirect(event_address(event_id, "guests?made=1"))


def _csv(sheet: Sheet) -> Response:
    content = write_csv([sheet.headings, *([str(value) for value in row] for row in sheet.rows)])
    return download(content, CSV_TYPE, f"{sheet.title.lower()}.csv")
