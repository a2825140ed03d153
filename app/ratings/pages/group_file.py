"""The grid of groups as CSV, and back from a file or from pasted cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import Depends, Request, Response

from app.accounts.current_user import known_person
from app.errors import FieldError, Invalid
from app.events.context import Editor
from app.files.csv_out import CSV_TYPE
from app.files.group_grid import read_group_grid
from app.files.matrices.write import csv_lines
from app.files.sheet_limits import SheetRow
from app.guests.pages.importing import ATTACHED, Sent, read_sent
from app.ratings.group_file import NamedScore, export_group_grid, take_group_scores
from app.ratings.pages.groups import Taken, grid_page
from app.web.deps import LongFormRoute, guard_form
from app.web.html.numbers import read_decimal
from app.web.one_hop import Router

router = Router(
    prefix="/events/{event_id}/ratings",
    dependencies=[Depends(known_person), Depends(guard_form)],
    route_class=LongFormRoute,
)


@router.get("/groups.csv")
def export_grid(ctx: Editor) -> Response:
    """Give the grid of groups as a square with their names."""
    square = export_group_grid(ctx)
    content = "".join(csv_lines(square.names, square.scores)).encode("utf-8-sig")
    return Response(content, media_type=CSV_TYPE, headers={"Content-Disposition": ATTACHED.format("groups.csv")})


@router.post("/groups/file")
def take_grid(request: Request, sent: Annotated[Sent, Depends(read_sent)], ctx: Editor) -> Response:
    """Set the cells that the file has, and show the grid with what takes that back."""
    where = "text" if sent.text.strip() else "file"
    try:
        if sent.faults:
            raise Invalid(list(sent.faults))
        before = take_group_scores(ctx, _scores(sent.rows))
    except Invalid as error:
        faults = [FieldError(fault.where or where, fault.message) for fault in error.faults]
        return grid_page(request, ctx, text=sent.text, faults=faults)
    return grid_page(request, ctx, taken=Taken(before))


def _scores(rows: Sequence[SheetRow]) -> list[NamedScore]:
    found, faults = [], []
    for cell in read_group_grid(rows):
        try:
            found.append(NamedScore(cell.place, cell.a, cell.b, read_decimal(cell.text) or 0.0))
        except ValueError:
            faults.append(FieldError("", f"{cell.place}: “{cell.text[:30]}” is not a number."))
    if faults:
        raise Invalid(faults[:50])
    return found
