"""/events/{event}/guests/import."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from fastapi import Depends, Query, Request, Response
from pydantic import Field

from app.accounts.current_user import ApiAccount
from app.errors import FieldError, Invalid
from app.events.context import ApiEditorContext
from app.events.idempotency import OnlyOnce
from app.files.guest_lists.write import XLSX_TYPE
from app.files.sheet_limits import SheetError, SheetRow
from app.files.uploads import read_upload
from app.guests import import_undo
from app.guests import importing as guest_imports
from app.guests.import_rows import Choices
from app.guests.importing import Preview
from app.web.deps import Uploads
from app.web.json_api.schemas import Answer
from app.web.json_api.uploads import FORM_BODY, FORM_TYPE, TEXT_TYPES, read_file, refuse_other_types
from app.web.one_hop import Before, Router
from app.web.tried import Tried, tried

router = Router(prefix="/api/v1/events/{event_id}/guests/import", tags=["guests"])

BODY = {
    "required": True,
    "content": {
        "text/csv": {"schema": {"type": "string", "description": "One guest per row; a heading row helps"}},
        "text/tab-separated-values": {"schema": {"type": "string"}},
        "text/plain": {"schema": {"type": "string", "description": "One guest per line, or CSV"}},
        XLSX_TYPE: {"schema": {"type": "string", "format": "binary"}},
        FORM_TYPE: FORM_BODY,
    },
}


class ImportedRow(Answer):
    """A guest in the file, and what happens to them."""

    row: int = Field(description="Row number, as shown in a spreadsheet")
    name: str
    choice: Literal["add", "update", "skip"]
    like: str | None = Field(description="The name of the similar guest, in the event or earlier in the file")
    faults: list[str]
    notes: list[str] = Field(description="What needs checking in the row, and what was imported instead")


class ImportOut(Answer):
    """What the import did, or would do."""

    id: UUID | None = Field(description="The import id: POST …/guests/import/{id}/undo undoes it; null after a dry run")
    done: bool = Field(description="false after a dry run")
    columns: list[str] = Field(description="The field of each column; an empty string means skipped")
    added: int
    updated: int
    left_out: int
    rows: list[ImportedRow] = Field(
        description="All rows after a dry run; otherwise only rows that were not simply added"
    )


async def read_body(request: Request, _: ApiAccount) -> bytes:
    """Read the file, if it is of a type that guests come in."""
    refuse_other_types(request, "the guests", (*TEXT_TYPES, XLSX_TYPE))
    return await read_file(request)


async def read_rows(
    body: Annotated[bytes, Depends(read_body)], uploads: Uploads, account: ApiAccount
) -> list[SheetRow] | str:
    """Read the file before the session of the request begins; errors are shown only to those who may see the event."""
    try:
        async with uploads.place(account):
            return await read_upload(body)
    except SheetError as error:
        return str(error)


Rows = Annotated[list[SheetRow] | str, Depends(read_rows)]
Alike = Literal["update", "add", "skip"]
ALIKE = (
    "What to do with possible duplicates. By default, guests with the same name are updated; "
    "similar names and repeated rows are skipped"
)


async def read_choices(
    alike: Annotated[Alike | None, Query(description=ALIKE)] = None,
    leave_out_faulty: Annotated[bool, Query(description="Import the other rows if some rows are invalid")] = False,
) -> Choices:
    """Read what to do with guests who may be there already, and with rows that cannot be read."""
    return Choices(otherwise=alike or "", only_alike="skip", leave_faulty_out=leave_out_faulty)


Chosen = Annotated[Choices, Depends(read_choices)]


def preview_before(rows: Rows, ctx: ApiEditorContext, choices: Chosen) -> Tried[Preview]:
    """Look what the import would do, before the request begins to write."""
    return tried(lambda: guest_imports.preview_rows(ctx, _read(rows), choices))


@router.post("", openapi_extra={"requestBody": BODY}, response_model=ImportOut)
def import_guests(
    once: OnlyOnce,  # first: it reads the body whole, and a form can be read from that, but not the other way round
    rows: Rows,
    ctx: ApiEditorContext,
    known: Annotated[Tried[Preview], Before(preview_before)],
    choices: Chosen,
    dry_run: Annotated[bool, Query(description="Preview only: nothing is changed")] = False,
) -> Response:
    """Import guests from a CSV or XLSX file. All rows are imported, or none.

    Columns are recognised by their headings, in many languages. Guests with the same name are updated. Guests with a
    similar name (first and last name swapped, or without accents) are listed and skipped unless you set `alike`.
    Empty cells change nothing.
    """
    before = known.get()
    if dry_run:
        return once.answer(_answer(before, done=False), status=200)
    preview = guest_imports.take_rows(ctx, _read(rows), choices, before)
    return once.answer(_answer(preview, done=True), status=200)


def _read(rows: list[SheetRow] | str) -> list[SheetRow]:
    if isinstance(rows, str):
        raise Invalid(FieldError("", rows))
    return rows


@router.post("/{import_id}/undo", status_code=204)
def undo_import(ctx: ApiEditorContext, once: OnlyOnce, import_id: UUID) -> Response:
    """Undo an import, unless one of its guests has changed since."""
    import_undo.undo_import(ctx, import_id)
    return once.answer(None, status=204)


def _answer(preview: Preview, *, done: bool) -> ImportOut:
    rows = [row for row in preview.rows if not done or row.is_like_another or row.errors or row.notes]
    return ImportOut(
        id=preview.id if done else None,
        done=done,
        columns=list(preview.columns.fields),
        **vars(preview.counts),
        rows=[
            ImportedRow(
                row=row.row.number,
                name=row.row.name,
                choice=row.choice,
                like=row.like or None,
                faults=list(row.errors),
                notes=list(row.notes),
            )
            for row in rows
        ],
    )
