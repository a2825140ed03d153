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
from app.files.guest_lists.readings import KINDS
from app.files.guest_lists.write import XLSX_TYPE
from app.files.sheet_limits import MOST_ROWS, ListSheet, SheetError
from app.files.uploads import read_uploaded_list
from app.guests.imports import importing as guest_imports
from app.guests.imports import undo as import_undo
from app.guests.imports.choices import Choices
from app.guests.imports.files import Where
from app.guests.imports.preview import Preview
from app.web.deps import Uploads
from app.web.json_api.schemas import Answer
from app.web.json_api.uploads import FORM_BODY, FORM_TYPE, TEXT_TYPES, read_file, refuse_other_types
from app.web.one_hop import Before, Router
from app.web.tried import Tried, tried

router = Router(prefix="/api/v1/events/{event_id}/guests/import", tags=["guests"])

VCARD_TYPE = "text/vcard"
BODY = {
    "required": True,
    "content": {
        "text/csv": {"schema": {"type": "string", "description": "One guest per row; a heading row helps"}},
        "text/tab-separated-values": {"schema": {"type": "string"}},
        "text/plain": {"schema": {"type": "string", "description": "One guest per line, or CSV"}},
        XLSX_TYPE: {"schema": {"type": "string", "format": "binary"}},
        VCARD_TYPE: {"schema": {"type": "string", "description": "Contacts, one guest per card"}},
        FORM_TYPE: FORM_BODY,
    },
}


class ImportedRow(Answer):
    """A guest in the file, and what happens to them."""

    row: int = Field(description="Row number, as shown in a spreadsheet; for contacts, the number of the card")
    name: str
    choice: Literal["add", "update", "skip"]
    like: str | None = Field(description="The name of the similar guest, in the event or earlier in the file")
    faults: list[str]
    notes: list[str] = Field(description="What needs checking in the row, and what was imported instead")
    understood: list[str] = Field(
        description="What was read beyond the letter, such as “+1” as a seat or “Anna and Ben Lee” as two people"
    )


class ImportOut(Answer):
    """What the import did, or would do."""

    id: UUID | None = Field(description="The import id: POST …/guests/import/{id}/undo undoes it; null after a dry run")
    done: bool = Field(description="false after a dry run")
    sheet: str = Field(description="The title of the sheet that was read; empty for a text or contacts")
    headings_row: int | None = Field(description="The row with the headings, null if there are none")
    columns: list[str] = Field(description="The field of each column; an empty string means skipped")
    added: int
    updated: int
    left_out: int
    rows: list[ImportedRow] = Field(
        description="All rows after a dry run; otherwise only rows that were not simply added"
    )


async def read_body(request: Request, _: ApiAccount) -> bytes:
    """Read the file, if it is of a type that guests come in."""
    refuse_other_types(request, "the guests", (*TEXT_TYPES, VCARD_TYPE, XLSX_TYPE))
    return await read_file(request)


async def read_rows(
    body: Annotated[bytes, Depends(read_body)], uploads: Uploads, account: ApiAccount
) -> list[ListSheet] | str:
    """Read the file before the session of the request begins; errors are shown only to those who may see the event."""
    try:
        async with uploads.place(account):
            return await read_uploaded_list(body)
    except SheetError as error:
        return str(error)


Rows = Annotated[list[ListSheet] | str, Depends(read_rows)]
Alike = Literal["update", "add", "skip"]
ALIKE = (
    "What to do with possible duplicates. By default, guests with the same name are updated; "
    "similar names and repeated rows are skipped"
)


AS_WRITTEN = "Take names to the letter: “+1”, couples, families, titles and ages in a name are not read"
SHEET = "The title of the sheet to read; by default the one that looks like a guest list"
HEADINGS_ROW = "The row with the headings, 0 if there are none; by default it is found"


async def read_choices(
    alike: Annotated[Alike | None, Query(description=ALIKE)] = None,
    leave_out_faulty: Annotated[bool, Query(description="Import the other rows if some rows are invalid")] = False,
    as_written: Annotated[bool, Query(description=AS_WRITTEN)] = False,
) -> Choices:
    """Read what to do with guests who may be there already, with names, and with rows that cannot be read."""
    return Choices(
        otherwise=alike or "",
        only_alike="skip",
        leave_faulty_out=leave_out_faulty,
        refused=frozenset(KINDS) if as_written else frozenset(),
    )


async def read_where(
    sheet: Annotated[str, Query(description=SHEET, max_length=200)] = "",
    headings_row: Annotated[int | None, Query(description=HEADINGS_ROW, ge=0, le=MOST_ROWS * 2)] = None,
) -> Where:
    """Read where the guests are in the file."""
    return Where(sheet, headings_row)


Chosen = Annotated[Choices, Depends(read_choices)]
Found = Annotated[Where, Depends(read_where)]


def preview_before(rows: Rows, ctx: ApiEditorContext, choices: Chosen, where: Found) -> Tried[Preview]:
    """Look what the import would do, before the request begins to write."""
    return tried(lambda: guest_imports.preview_sheets(ctx, _read(rows), choices, where))


@router.post("", openapi_extra={"requestBody": BODY}, response_model=ImportOut)
def import_guests(
    once: OnlyOnce,  # first: it reads the body whole, and a form can be read from that, but not the other way round
    rows: Rows,
    ctx: ApiEditorContext,
    known: Annotated[Tried[Preview], Before(preview_before)],
    choices: Chosen,
    where: Found,
    dry_run: Annotated[bool, Query(description="Preview only: nothing is changed")] = False,
) -> Response:
    """Import guests from a CSV, XLSX or vCard file. All rows are imported, or none.

    Columns are recognised by their headings, in many languages. “Grace Chen +1”, “Anna and Ben Lee” and the like are
    read as what they mean; `understood` says so for each row, and `as_written` switches it off. Guests with the same
    name are updated, unless their household or their groups differ: then they are somebody else. Guests with a similar
    name (first and last name swapped, or without accents) are listed and skipped unless you set `alike`. Empty cells
    change nothing.
    """
    before = known.get()
    if dry_run:
        return once.answer(_answer(before, done=False), status=200)
    preview = guest_imports.take_sheets(ctx, _read(rows), choices, before, where)
    return once.answer(_answer(preview, done=True), status=200)


def _read(rows: list[ListSheet] | str) -> list[ListSheet]:
    if isinstance(rows, str):
        raise Invalid(FieldError("", rows))
    return rows


@router.post("/{import_id}/undo", status_code=204)
def undo_import(ctx: ApiEditorContext, once: OnlyOnce, import_id: UUID) -> Response:
    """Undo an import, unless one of its guests has changed since."""
    import_undo.undo_import(ctx, import_id)
    return once.answer(None, status=204)


def _answer(preview: Preview, *, done: bool) -> ImportOut:
    readings = {row.number: [one.reason for one in row.readings if one.taken] for row in preview.read}
    rows = [
        row
        for row in preview.rows
        if not done or row.is_like_another or row.errors or row.notes or readings[row.row.number]
    ]
    return ImportOut(
        id=preview.id if done else None,
        done=done,
        sheet=preview.sheets[preview.sheet_place].title,
        headings_row=preview.columns.above if preview.columns.has_heading else None,
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
                understood=readings[row.row.number],
            )
            for row in rows
        ],
    )
