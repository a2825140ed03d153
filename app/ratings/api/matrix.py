"""/events/{event}/ratings/matrix."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal
from uuid import UUID

from anyio import to_thread
from fastapi import Depends, Header, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import StreamingResponse
from pydantic import Field, ValidationError

from app.accounts.current_user import ApiAccount, ApiLargeBody
from app.errors import FieldError, Invalid
from app.events.context import ApiEditorContext, EventContext
from app.events.list_etags import MatchOfList, read_version, set_version
from app.files.matrices.read import read_matrix
from app.files.matrices.read_json import JsonMatrixError, MatrixReader, rows_of_lists
from app.files.matrices.write import csv_lines, json_pieces
from app.ratings import matrix as matrices
from app.ratings.matrix import PreparedMatrix
from app.ratings.matrix_checks import MOST_RATED
from app.web.deps import Uploads
from app.web.json_api.conditional import etag
from app.web.json_api.schemas import Answer, Body, Id
from app.web.json_api.uploads import FORM_BODY, FORM_TYPE, TEXT_TYPES, media_type_of, read_file, refuse_other_types
from app.web.one_hop import Before, Router

router = Router(prefix="/api/v1/events/{event_id}/ratings/matrix", tags=["ratings"])

Kind = Literal["score", "distance"]
JSON_TYPE = "application/json"


class MatrixIn(Body):
    """How all guests get along. The diagonal is ignored; if the two directions differ, the average is used."""

    kind: Kind | None = Field(
        default=None, description="Whether the numbers are scores or distances; defaults to the event's kind"
    )
    guests: list[Id] = Field(description="Guest ids, in the order of the rows and columns")
    matrix: list[list[Any]] = Field(
        description="One row of numbers per guest; null leaves a pair unrated",
        json_schema_extra={"items": {"type": "array", "items": {"type": ["number", "null"]}}},
    )


class MatrixOut(Answer):
    """All ratings, single and uploaded: each guest (row) rated with each other guest (column)."""

    kind: Kind
    guests: list[UUID]
    matrix: list[list[float | None]] = Field(description="null where a pair is not rated")


class MatrixTaken(Answer):
    """What was stored."""

    kind: Kind
    guests: list[UUID]
    asymmetric: bool = Field(description="Whether the two directions differ; the average is used")
    left_out: list[str] = Field(description="The names of guests who are not in the matrix and stay unrated")


Prepare = Callable[[EventContext], PreparedMatrix]


async def read_upload(
    request: Request,
    uploads: Uploads,
    _: ApiLargeBody,
    account: ApiAccount,
    kind: Annotated[Kind | None, Query(description="For CSV: whether the numbers are scores or distances")] = None,
) -> Prepare:
    """Read the matrix by the type of the body, and return what checks it; a file in a form is a text with names."""
    refuse_other_types(request, "the matrix", (JSON_TYPE, *TEXT_TYPES))
    if media_type_of(request) not in (*TEXT_TYPES, FORM_TYPE):
        return await _read_json(request)
    body = await read_file(request)
    async with uploads.place(account):
        sheet = await to_thread.run_sync(partial(read_matrix, body, most_guests=MOST_RATED))
    return lambda ctx: matrices.prepare_named_matrix(ctx, kind, sheet)


BODY = {
    "required": True,
    "content": {
        JSON_TYPE: {"schema": MatrixIn.model_json_schema()},
        "text/csv": {"schema": {"type": "string", "description": "Names in the first row and column"}},
        "text/tab-separated-values": {"schema": {"type": "string"}},
        "text/plain": {"schema": {"type": "string"}},
        FORM_TYPE: FORM_BODY,
    },
}
ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"model": MatrixOut, "content": {"text/csv": {"schema": {"type": "string"}}}}
}


@router.get("", response_class=Response, responses=ANSWERS)
def show_matrix(ctx: ApiEditorContext, accept: Annotated[str, Header()] = "") -> StreamingResponse:
    """Retrieve all ratings as one matrix; as CSV with names for `Accept: text/csv`."""
    headers = {
        "ETag": etag(read_version(ctx.session, ctx.event_id, "ratings"))
    }  # before the ratings: never newer than these
    found = matrices.read_matrix(ctx)
    if "text/csv" in accept:
        lines = csv_lines([guest.name for guest in found.guests], found.values)
        return StreamingResponse(lines, media_type="text/csv; charset=utf-8", headers=headers)
    head = {"kind": found.kind, "guests": [str(guest.id) for guest in found.guests]}
    return StreamingResponse(json_pieces(head, found.values), media_type="application/json", headers=headers)


def prepare_matrix(prepare: Annotated[Prepare, Depends(read_upload)], ctx: ApiEditorContext) -> PreparedMatrix:
    """Check and pack the matrix before the request begins to write."""
    return prepare(ctx)


@router.put("", openapi_extra={"requestBody": BODY})
def put_matrix(
    ctx: ApiEditorContext,
    match: MatchOfList,
    prepared: Annotated[PreparedMatrix, Before(prepare_matrix)],
    response: Response,
) -> MatrixTaken:
    """Replace all ratings with this matrix. Existing ratings are deleted.

    CSV has guest names in the first row and column, in any order. If the event has no guests, they are added.
    """
    match.hold(ctx, "ratings")
    taken = matrices.store_matrix(ctx, prepared)
    set_version(response, ctx.session, ctx.event_id, "ratings")
    ids = [guest.id for guest in taken.guests]
    return MatrixTaken(kind=taken.kind, guests=ids, asymmetric=taken.asymmetric, left_out=list(taken.left_out))


async def _read_json(request: Request) -> Prepare:
    """Read the numbers as they arrive: the body as a whole would take many times their memory."""
    reader = MatrixReader(MOST_RATED)
    try:
        async for piece in request.stream():
            reader.feed(piece)
        read = reader.finish()
    except JsonMatrixError as error:
        raise Invalid(FieldError(error.where, str(error))) from None
    matrix: dict[str, Any] = {} if read.rows is None else {"matrix": []}
    try:
        head = MatrixIn.model_validate({**read.fields, **matrix})
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_url=False, include_input=False)) from None
    rows = read.rows or rows_of_lists([])
    return lambda ctx: matrices.prepare_matrix(ctx, head.kind, head.guests, rows)
