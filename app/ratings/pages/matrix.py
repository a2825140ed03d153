"""Upload or paste a whole matrix of scores or distances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated

from anyio import to_thread
from fastapi import Depends, Request, Response
from starlette.datastructures import FormData

from app.accounts.current_user import Account, LargeBody
from app.db.models import Event
from app.errors import FieldError, Invalid
from app.events.context import EditorContext, EventContext
from app.files.matrices.read import ParsedMatrix, read_matrix
from app.guests.pages.importing import read_file
from app.ratings import known as ratings
from app.ratings import matrix as matrices
from app.ratings.matrix import PreparedMatrix
from app.ratings.matrix_checks import MOST_RATED
from app.solver import Kind
from app.web.deps import Uploads, get_settings, guard_form
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Before, Router
from app.web.tried import Tried, tried


async def read_form(request: Request, _: LargeBody) -> FormData:
    """Read the form with as much pasted text as a body may have; the usual limit is a mebibyte for a field."""
    return await request.form(max_part_size=get_settings(request).max_matrix_bytes)


OWN_FIELDS = ("replace", "text")

# The large form is read first: whoever reads it later, the guard included, gets what is read already.
router = Router(prefix="/events/{event_id}/ratings/matrix", dependencies=[Depends(read_form), Depends(guard_form)])


@dataclass(frozen=True)
class Entered:
    """What was sent: a sheet, or why there is none; `where` is the field that it came in."""

    kind: Kind
    text: str = ""
    replace: bool = False
    where: str = "text"
    sheet: ParsedMatrix | None = None
    faults: Sequence[FieldError] = field(default_factory=tuple)


@dataclass(frozen=True)
class MatrixPage:
    """The form with what was entered."""

    event: Event
    guest_count: int
    rated: int
    entered: Entered
    faults: Sequence[FieldError]
    section: str = "ratings"


async def read_entered(form: Annotated[FormData, Depends(read_form)], uploads: Uploads, account: Account) -> Entered:
    """Parse what was uploaded or pasted, before the session of the request begins."""
    (_, uploaded), text = await read_file(form), str(form.get("text") or "")
    entered = Entered(
        kind="distance" if form.get("kind") == "distance" else "score",
        text=text,
        replace=bool(form.get("replace")),
        where="file" if uploaded else "text",
    )
    if uploaded and text.strip():
        return replace(entered, faults=[FieldError("text", "Choose a file or paste the matrix, not both.")])
    if not uploaded and not text.strip():
        return replace(entered, faults=[FieldError("text", "Choose a file, or paste the matrix.")])
    async with uploads.place(account):
        sheet = await to_thread.run_sync(partial(read_matrix, uploaded or text, most_guests=MOST_RATED))
    return replace(entered, sheet=sheet)


@router.get("")
def show_matrix_form(request: Request, ctx: EditorContext) -> Response:
    return _matrix_page(request, ctx)


def prepare_matrix(entered: Annotated[Entered, Depends(read_entered)], ctx: EditorContext) -> Tried[PreparedMatrix]:
    """Check and pack the matrix before the request begins to write."""
    return tried(lambda: _prepare(ctx, entered))


@router.post("")
def save_matrix(
    request: Request,
    entered: Annotated[Entered, Depends(read_entered)],
    ctx: EditorContext,
    prepared: Annotated[Tried[PreparedMatrix], Before(prepare_matrix)],
) -> Response:
    """Save the matrix and go to the overview, which says what was taken."""
    try:
        with ctx.session.begin_nested():
            matrices.store_matrix(ctx, prepared.get())
    except Invalid as error:
        faults = [f if f.where in OWN_FIELDS else FieldError(entered.where, f.message) for f in error.faults]
        return _matrix_page(request, ctx, replace(entered, faults=faults))
    return redirect(event_address(ctx.event_id, "ratings/all?done=uploaded"))


def _prepare(ctx: EventContext, entered: Entered) -> PreparedMatrix:
    if entered.sheet is None:
        replaced = [] if entered.replace else matrices.faults_of_replacing(ctx)
        raise Invalid([*entered.faults, *replaced])
    kind, sheet = entered.kind, entered.sheet
    return matrices.prepare_named_matrix(ctx, kind, sheet, may_replace=entered.replace)


def _matrix_page(request: Request, ctx: EventContext, entered: Entered | None = None) -> Response:
    overview = ratings.show_overview(ctx)
    entered = entered or Entered(overview.event.kind)
    rated = ratings.count_every_rating(ctx)
    page = MatrixPage(overview.event, len(overview.guests), rated, entered, entered.faults)
    return render(request, "ratings/matrix.html", page, 422 if page.faults else 200)
