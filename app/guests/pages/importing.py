"""Guests from a file: choose it, see what was read, confirm, undo."""

from __future__ import annotations

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
from app.files.guest_lists.write import XLSX_TYPE, write_csv, write_xlsx
from app.files.list_files import pasted_bytes, read_pasted
from app.files.sheet_limits import ListSheet, SheetError, SheetRow
from app.files.uploads import read_uploaded_list
from app.guests.edit import export_guests
from app.guests.imports import importing as guest_imports
from app.guests.imports import undo as import_undo
from app.guests.imports.choices import Choices
from app.guests.imports.differences import find_differences
from app.guests.imports.preview import Preview
from app.guests.pages.import_form import read_choices, read_page
from app.guests.views.guest_list import GuestsForm, done, import_message
from app.guests.views.import_preview import preview_page
from app.web.deps import LongFormRoute, Uploads, guard_form
from app.web.html.paging import PageNumber
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
KEPT, KEPT_TEXTS = "kept-", ("name", "party", "groups", "note", "diet", "public_name")
SHORT_TEXT = 20_000
ACCEPTED = ".xlsx,.csv,.tsv,.txt,.vcf,text/csv,text/vcard"


@dataclass(frozen=True)
class Sent:
    """What was sent: sheets, or why there are none."""

    file_name: str = ""
    text: str = ""
    sheets: Sequence[ListSheet] = ()
    faults: Sequence[FieldError] = ()

    @property
    def rows(self) -> Sequence[SheetRow]:
        """The rows of the first sheet."""
        return self.sheets[0].rows if self.sheets else ()


@dataclass(frozen=True)
class ImportPage:
    """The form to choose a file or to paste a sheet."""

    event: Event
    text: str = ""
    faults: Sequence[FieldError] = field(default_factory=tuple)
    accepted: str = ACCEPTED
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
        sheets = await _read_sheets(data, text, uploads, account)
    except SheetError as error:
        return Sent(text=text, faults=[FieldError("file" if data else "text", str(error))])
    return Sent(name, text, sheets)


async def _read_sheets(data: bytes, text: str, uploads: RequestQueue, account: UUID) -> list[ListSheet]:
    """Read a file, or a long text, in the process with limits; a short text takes no time."""
    if not data and len(text) <= SHORT_TEXT:
        return read_pasted(text)
    async with uploads.place(account):
        return await read_uploaded_list(data or pasted_bytes(text))


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
    opened = guest_imports.open_import(ctx, sent.sheets, sent.file_name)
    return redirect(event_address(ctx.event_id, f"guests/import/{opened.id}"))


@router.get("/{import_id}")
def show_import(
    request: Request, ctx: EditorContext, import_id: UUID, page: PageNumber = 1, refreshed: bool = False
) -> Response:
    """Show what was read; whoever comes back with the browser's button after confirming finds the list."""
    if guest_imports.is_taken(ctx, import_id):
        return redirect(event_address(ctx.event_id, f"guests?imported={import_id}"))
    return show_preview(request, ctx, import_id, page=page, is_refreshed=refreshed)


def preview_before(ctx: EditorContext, import_id: UUID) -> Tried[Preview]:
    """Look what the import would do as it was chosen so far, before the request begins to write."""
    return tried(lambda: guest_imports.preview_import(ctx, import_id))


@router.post("/{import_id}")
def confirm_import(
    request: Request,
    form: Fields,
    ctx: EditorContext,
    import_id: UUID,
    before: Annotated[Tried[Preview], Before(preview_before)],
) -> Response:
    """Keep what was chosen, and take the guests over if that was asked for and nothing else has to be read."""
    kept = _kept(form)
    ctx.hold()
    if guest_imports.is_taken(ctx, import_id):  # the button was pressed twice
        return _taken(request, ctx, import_id, kept)
    choices = read_choices(form, before.get())
    is_refreshed = _read_otherwise(ctx, import_id, form, choices)
    if is_refreshed or form.get("action") != "confirm":
        return _chosen(request, ctx, import_id, form, kept, is_refreshed=is_refreshed)
    try:
        with ctx.session.begin_nested():
            taken = guest_imports.confirm_import(ctx, import_id, choices, before.value)
    except Invalid as error:
        return show_preview(request, ctx, import_id, page=read_page(form), kept=kept, faults=error.faults)
    notice = f"{taken.added}-{taken.updated}-{taken.left_out}"
    return _taken(request, ctx, import_id, kept, notice)


def _read_otherwise(ctx: EventContext, import_id: UUID, form: FormData, choices: Choices) -> bool:
    """Keep the choices, and say whether another sheet, other headings or other columns have to be read."""
    sheet, heading = (str(form.get(name) or "") for name in ("sheet", "heading"))
    if sheet.isascii() and sheet.isdigit() and guest_imports.set_sheet(ctx, import_id, int(sheet[:4])):
        return True
    guest_imports.choose(ctx, import_id, choices)
    if heading.isascii() and heading.isdigit() and guest_imports.set_heading(ctx, import_id, int(heading[:7])):
        return True
    fields = [str(value) for value in form.getlist("column")]
    return bool(fields) and guest_imports.set_columns(ctx, import_id, fields)


def _chosen(
    request: Request, ctx: EventContext, import_id: UUID, form: FormData, kept: GuestsForm, *, is_refreshed: bool
) -> Response:
    """Show the preview again, at an address that can be reloaded unless it carries what was typed beside the list."""
    page = read_page(form)
    if not kept.is_empty:
        return show_preview(request, ctx, import_id, page=page, kept=kept, is_refreshed=is_refreshed)
    query = "&".join([f"page={page}", *(["refreshed=true"] if is_refreshed else [])])
    anchor = "#rows" if str(form.get("action")).startswith("page-") else ""
    return redirect(event_address(ctx.event_id, f"guests/import/{import_id}?{query}{anchor}"))


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
    return done(request, ctx, kept, address, message=import_message(ctx, import_id, notice))


def _kept(form: Mapping[str, object]) -> GuestsForm:
    """Return what was entered beside the list when it was pasted; the preview carries it along."""
    texts = {name: str(form.get(KEPT + name) or "") for name in KEPT_TEXTS}
    return GuestsForm(
        **texts, child=form.get(f"{KEPT}child") == "True", reply=str(form.get(f"{KEPT}reply") or "invited")
    )


def show_preview(
    request: Request,
    ctx: EventContext,
    import_id: UUID,
    *,
    page: int = 1,
    kept: GuestsForm | None = None,
    is_refreshed: bool = False,
    faults: Sequence[FieldError] = (),
) -> Response:
    """Show what was read and what was chosen so far; `kept` comes back with the form."""
    event = ctx.require("editor")
    names = (*KEPT_TEXTS, "child", "reply") if kept and not kept.is_empty else ()
    carried = {KEPT + name: getattr(kept, name) for name in names}
    preview = guest_imports.preview_import(ctx, import_id)
    differences = find_differences(ctx, preview.rows)
    more = {"kept": carried, "is_refreshed": is_refreshed, "faults": faults}
    shown = preview_page(event, preview, page, differences, **more)
    return render(request, "guests/import_preview.html", shown, 422 if faults else 200)
