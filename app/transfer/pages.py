"""A whole event as a workbook, and a new event from one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request, Response
from fastapi.responses import StreamingResponse

from app.accounts.actor import Actor
from app.accounts.current_user import Account, CurrentUser, known_person
from app.errors import FieldError, Invalid
from app.events.context import EditorContext
from app.files.csv_out import CSV_TYPE, write_csv
from app.files.guest_lists.write import XLSX_TYPE
from app.files.matrices.write import csv_lines
from app.files.sheet_limits import SheetError
from app.files.uploads import read_uploaded_workbook
from app.files.workbook import Sheet, write_workbook
from app.guests.pages.importing import Fields, download, read_file
from app.ratings.matrix import read_matrix
from app.transfer import export as exports
from app.transfer.staged_events import stage_event
from app.transfer.workbook_import import Book
from app.web.deps import LongFormRoute, Uploads, guard_form
from app.web.html.attachments import attachment
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Router, database_of, write_database

router = Router(dependencies=[Depends(known_person), Depends(guard_form)], route_class=LongFormRoute)


@dataclass(frozen=True)
class BookPage:
    """The form to choose a workbook."""

    faults: Sequence[FieldError] = field(default_factory=tuple)


async def read_book(form: Fields, uploads: Uploads, account: Account) -> Book | FieldError:
    """Read the workbook that was sent, or say what is wrong, before the session of the request begins."""
    _, data = await read_file(form)
    if not data:
        return FieldError("file", "Choose a workbook exported from an event.")
    try:
        async with uploads.place(account):
            return await read_uploaded_workbook(data)
    except SheetError as error:
        return FieldError("file", str(error))


@router.get("/events/{event_id}/event.xlsx")
def export_book(ctx: EditorContext) -> Response:
    """Give everything that was entered as a workbook, called after the event."""
    content = write_workbook(exports.export_event(ctx))
    headers = {"Content-Disposition": attachment(ctx.event.name, "xlsx", "event")}
    return Response(content, media_type=XLSX_TYPE, headers=headers)


@router.get("/events/{event_id}/ratings.csv")
def export_ratings(ctx: EditorContext) -> Response:
    """Give all ratings as a square with names, as the page of matrices takes it."""
    found = read_matrix(ctx)
    lines = csv_lines([guest.name for guest in found.guests], found.values)
    return StreamingResponse(
        lines, headers={"Content-Disposition": 'attachment; filename="ratings.csv"'}, media_type=CSV_TYPE
    )


@router.get("/events/{event_id}/wishes.csv")
def export_wishes(ctx: EditorContext) -> Response:
    """Give the wishes, as the workbook has them."""
    return _csv(exports.export_wishes(ctx))


@router.get("/events/{event_id}/rules.csv")
def export_rules(ctx: EditorContext) -> Response:
    """Give the rules, as the workbook has them."""
    return _csv(exports.export_rules(ctx))


@router.get("/import")
def choose_book(request: Request, actor: CurrentUser) -> Response:
    return render(request, "transfer/import.html", BookPage())


@router.post("/import")
async def take_book(
    request: Request, book: Annotated[Book | FieldError, Depends(read_book)], account: Account
) -> Response:
    """Make a new event of the workbook; where something is wrong with it, none is made.

    It is written in short steps, because on SQLite everybody else waits for each of them.
    """
    if isinstance(book, FieldError):
        return render(request, "transfer/import.html", BookPage([book]), 422)
    try:
        staged = await database_of(request).prepare(account, lambda _: stage_event(Actor(account), book))
    except Invalid as error:
        faults = [FieldError("file", fault.message) for fault in error.faults]
        return render(request, "transfer/import.html", BookPage(faults), 422)
    for step in staged.steps:
        await write_database(request, step.write)
    await write_database(request, staged.finish)
    return redirect(event_address(staged.id, "guests?made=1"))


def _csv(sheet: Sheet) -> Response:
    content = write_csv([sheet.headings, *([str(value) for value in row] for row in sheet.rows)])
    return download(content, CSV_TYPE, f"{sheet.title.lower()}.csv")
