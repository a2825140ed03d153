"""Guests from a file: choose it, see what was read, confirm, undo."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Form, Request, Response
from starlette.datastructures import FormData, UploadFile

from app.accounts.current_user import Account, known_person
from app.db.models import Event
from app.errors import FieldError, Invalid
from app.events.context import EditorContext, EventContext
from app.events.exports import recorded_export
from app.files.csv_out import CSV_TYPE
from app.files.guest_lists.columns import FIELDS
from app.files.guest_lists.pasted_lines import without_bullets
from app.files.guest_lists.write import XLSX_TYPE, write_csv, write_xlsx
from app.files.sheet_limits import SheetError, SheetRow
from app.files.sheets import read_list
from app.files.uploads import read_upload
from app.guests import import_undo
from app.guests import importing as guest_imports
from app.guests.edit import export_guests
from app.guests.import_rows import Choices
from app.guests.importing import Preview
from app.guests.views.guest_list import GuestsForm, done, import_text
from app.web.deps import LongFormRoute, Uploads, guard_form
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Before, Router
from app.web.request_queue import RequestQueue
from app.web.tried import Tried, tried

router = Router(
    prefix="/events/{event_id}/guests/import",
    dependencies=[Depends(known_person), Depends(guard_form)],
    route_class=LongFormRoute,
)
exports = Router(prefix="/events/{event_id}")
SHOWN_CELLS, SHOWN_GUESTS, SHOWN_ALIKE, SHOWN_ERRORS = 5, 20, 300, 100
KEPT, KEPT_TEXTS = "kept-", ("name", "party", "groups", "note", "diet", "public_name")
CHOICE = re.compile(r"choice-([0-9]{1,6})")
SHORT_TEXT = 20_000
OPTIONS = [("", "Skip"), *FIELDS.items()]


@dataclass(frozen=True)
class Sent:
    """What was sent: rows, or why there are none."""

    file_name: str = ""
    text: str = ""
    rows: Sequence[SheetRow] = ()
    faults: Sequence[FieldError] = ()


@dataclass(frozen=True)
class ImportPage:
    """The form to choose a file or to paste a sheet."""

    event: Event
    text: str = ""
    faults: Sequence[FieldError] = field(default_factory=tuple)
    section: str = "guests"


@dataclass(frozen=True)
class PreviewPage:
    """What was read, and what would be done with it."""

    event: Event
    preview: Preview
    choices: Choices
    options: Sequence[tuple[str, str]]
    letters: Sequence[str]
    unused: Sequence[str]
    kept: Mapping[str, object] = field(default_factory=dict)
    columns_changed: bool = False
    faults: Sequence[FieldError] = field(default_factory=tuple)
    shown_cells: int = SHOWN_CELLS
    shown_guests: int = SHOWN_GUESTS
    shown_alike: int = SHOWN_ALIKE
    shown_errors: int = SHOWN_ERRORS
    section: str = "guests"


async def read_fields(request: Request) -> FormData:
    """Return the form, whatever the names of its fields."""
    return await request.form()


Fields = Annotated[FormData, Depends(read_fields)]


async def read_file(form: FormData) -> tuple[str, bytes]:
    """Return the name and the content of the file in a form; nothing where none was chosen."""
    file = form.get("file")
    return (file.filename, await file.read()) if isinstance(file, UploadFile) and file.filename else ("", b"")


async def read_sent(form: Fields, uploads: Uploads, account: Account) -> Sent:
    """Read what was uploaded or pasted, before the session of the request begins."""
    (name, data), text = await read_file(form), str(form.get("text") or "")
    if bool(data) == bool(text.strip()):
        message = "Choose a file or paste text, not both." if data else "Choose a file, or paste cells."
        return Sent(text=text, faults=[FieldError("file", message)])
    try:
        rows = await _read_rows(data, text, uploads, account)
    except SheetError as error:
        return Sent(text=text, faults=[FieldError("file" if data else "text", str(error))])
    return Sent(name, text, rows)


async def _read_rows(data: bytes, text: str, uploads: RequestQueue, account: UUID) -> list[SheetRow]:
    """Read a file, or a long text, in the process with limits; a short text takes no time."""
    if not data and len(text) <= SHORT_TEXT:
        return read_list(without_bullets(text))
    async with uploads.place(account):
        return await read_upload(data or codecs.BOM_UTF8 + without_bullets(text).encode(errors="replace"))


def download(content: bytes, media_type: str, name: str, status: int = 200) -> Response:
    """Give a file to save under this name."""
    return Response(content, status, {"Content-Disposition": f'attachment; filename="{name}"'}, media_type)


@exports.get("/guests.csv")
def export_csv(request: Request, ctx: EditorContext) -> Response:
    answer = download(write_csv(export_guests(ctx)), CSV_TYPE, "guests.csv")
    return recorded_export(request, ctx, answer, "guests", "csv")


@exports.get("/guests.xlsx")
def export_xlsx(request: Request, ctx: EditorContext) -> Response:
    answer = download(write_xlsx(export_guests(ctx)), XLSX_TYPE, "guests.xlsx")
    return recorded_export(request, ctx, answer, "guests", "xlsx")


@router.get("")
def show_form(request: Request, ctx: EditorContext) -> Response:
    return render(request, "guests/import_start.html", ImportPage(ctx.event))


@router.post("")
def open_import(request: Request, sent: Annotated[Sent, Depends(read_sent)], ctx: EditorContext) -> Response:
    """Keep what was sent, and show what was read."""
    if sent.faults:
        return render(request, "guests/import_start.html", ImportPage(ctx.event, sent.text, sent.faults), 422)
    opened = guest_imports.open_import(ctx, sent.rows, sent.file_name)
    return redirect(event_address(ctx.event_id, f"guests/import/{opened.id}"))


@router.get("/{import_id}")
def show_import(request: Request, ctx: EditorContext, import_id: UUID) -> Response:
    return preview_page(request, ctx, import_id)


def preview_before(form: Fields, ctx: EditorContext, import_id: UUID) -> Tried[Preview]:
    """Look what the import would do, before the request begins to write."""
    return tried(lambda: guest_imports.preview_import(ctx, import_id, _choices(form)))


@router.post("/{import_id}")
def confirm_import(
    request: Request,
    form: Fields,
    ctx: EditorContext,
    import_id: UUID,
    known: Annotated[Tried[Preview], Before(preview_before)],
) -> Response:
    """Take the guests over, or read the columns again if they were changed."""
    fields = [str(value) for value in form.getlist("column")]
    choices, kept = _choices(form), _kept(form)
    if guest_imports.is_taken(ctx, import_id):  # the button was pressed twice
        return _taken(request, ctx, import_id, kept)
    heading = bool(form.get("has_heading"))
    changed = guest_imports.set_columns(ctx, import_id, fields, has_heading=heading) if fields else False
    if changed or form.get("action") == "columns":
        return preview_page(request, ctx, import_id, kept=kept, columns_changed=changed)
    try:
        with ctx.session.begin_nested():
            taken = guest_imports.confirm_import(ctx, import_id, choices, known.value)
    except Invalid as error:
        return preview_page(request, ctx, import_id, choices, kept=kept, faults=error.faults)
    notice = f"{taken.added}-{taken.updated}-{taken.left_out}"
    return _taken(request, ctx, import_id, kept, notice)


@router.post("/{import_id}/discard")
def discard_import(request: Request, form: Fields, ctx: EditorContext, import_id: UUID) -> Response:
    """Forget the file and go back to the guests."""
    guest_imports.discard_import(ctx, import_id)
    return done(request, ctx, _kept(form), "guests")


@router.post("/{import_id}/undo")
def undo_import(request: Request, ctx: EditorContext, import_id: UUID, form: Annotated[GuestsForm, Form()]) -> Response:
    """Make the guests as they were before the import, or before another change of many."""
    import_undo.undo_import(ctx, import_id)
    return done(request, ctx, form, "guests")


def _taken(request: Request, ctx: EventContext, import_id: UUID, kept: GuestsForm, notice: str = "") -> Response:
    address = f"guests?imported={import_id}" + (f"&notice={notice}" if notice else "")
    return done(request, ctx, kept, address, undo=import_id, notice=import_text(notice))


def _choices(form: Mapping[str, object]) -> Choices:
    chosen = {CHOICE.fullmatch(name): str(value) for name, value in form.items()}
    rows = {int(found[1]): value for found, value in chosen.items() if found}
    return Choices(rows, str(form.get("otherwise") or ""), leave_faulty_out=bool(form.get("leave_out")))


def _kept(form: Mapping[str, object]) -> GuestsForm:
    """Return what was entered beside the list when it was pasted; the preview carries it along."""
    texts = {name: str(form.get(KEPT + name) or "") for name in KEPT_TEXTS}
    return GuestsForm(
        **texts, child=form.get(f"{KEPT}child") == "True", reply=str(form.get(f"{KEPT}reply") or "invited")
    )


def preview_page(
    request: Request,
    ctx: EventContext,
    import_id: UUID,
    choices: Choices | None = None,
    *,
    kept: GuestsForm | None = None,
    columns_changed: bool = False,
    faults: Sequence[FieldError] = (),
) -> Response:
    """Show what was read and what was chosen so far; `kept` comes back with the form."""
    event, choices = ctx.require("editor"), choices or Choices()
    names = (*KEPT_TEXTS, "child", "reply") if kept and not kept.is_empty else ()
    carried = {KEPT + name: getattr(kept, name) for name in names}
    preview = guest_imports.preview_import(ctx, import_id, choices)
    letters = [_letters(number) for number in range(len(preview.columns.fields))]
    unused = [_called(preview, place, letters[place]) for place in preview.unused]
    page = PreviewPage(event, preview, choices, OPTIONS, letters, unused, carried, columns_changed, faults)
    return render(request, "guests/import_preview.html", page, 422 if faults else 200)


def _called(preview: Preview, place: int, letter: str) -> str:
    """Return the heading of a column, or its letter where it has none."""
    first = preview.sheet[0].cells if preview.columns.has_heading else ()
    return "".join(first[place : place + 1]).strip() or f"column {letter}"


def _letters(number: int) -> str:
    """Return the name of a column as spreadsheets count them: A … Z, AA …"""
    return (chr(64 + number // 26) if number >= 26 else "") + chr(65 + number % 26)
