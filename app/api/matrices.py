"""/events/{event}/ratings/matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Depends, Header, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import StreamingResponse
from pydantic import Field, ValidationError

from app.api.schemas import Answer, Body
from app.api.uploads import FORM_BODY, FORM_TYPE, TEXT_TYPES, media_type_of, read_file, refuse_other_types
from app.deps import ApiWho, Db, known_caller
from app.formats.matrix import ParsedMatrix, read_matrix
from app.formats.matrix_text import csv_lines, json_pieces
from app.one_hop import Router
from app.services import matrices
from app.services.matrix_checks import MOST_RATED

router = Router(prefix="/api/v1/events/{event_id}/ratings/matrix", tags=["ratings"])

Kind = Literal["score", "distance"]
JSON_TYPE = "application/json"


class MatrixIn(Body):
    """How all guests get along. The diagonal is ignored; where directions differ, they are averaged in use."""

    kind: Kind | None = Field(default=None, description="What the numbers are; left out: as the event has it")
    guests: list[UUID] = Field(description="The ids of the guests, in the order of the rows and columns")
    matrix: list[list[Any]] = Field(
        description="A row of numbers for each guest; null leaves a pair unrated",
        json_schema_extra={"items": {"type": "array", "items": {"type": ["number", "null"]}}},
    )


class MatrixOut(Answer):
    """All ratings, single and uploaded ones together: how each guest (row) is rated with each other (column)."""

    kind: Kind
    guests: list[UUID]
    matrix: list[list[float | None]] = Field(description="null where a pair is not rated")


class MatrixTaken(Answer):
    """What was taken."""

    kind: Kind
    guests: list[UUID]
    asymmetric: bool = Field(description="Whether directions differ; they are averaged in use")
    left_out: list[str] = Field(description="The names of the guests who are not in the matrix and stay unrated")


@dataclass(frozen=True)
class NamedMatrix:
    """A matrix from a text, with the names of its guests if it has any, and with what is wrong with it."""

    kind: str | None
    sheet: ParsedMatrix


async def read_body(request: Request, _: Annotated[None, Depends(known_caller)]) -> bytes:
    """Read the body, or the file in it, if it is of a type that a matrix comes in."""
    refuse_other_types(request, "the matrix", (JSON_TYPE, *TEXT_TYPES))
    return await read_file(request)


def read_upload(
    request: Request,
    body: Annotated[bytes, Depends(read_body)],
    kind: Annotated[Kind | None, Query(description="For CSV: what the numbers are")] = None,
) -> MatrixIn | NamedMatrix:
    """Read the matrix by the type of the body; a file in a form is a text with names."""
    if media_type_of(request) in (*TEXT_TYPES, FORM_TYPE):
        return NamedMatrix(kind, read_matrix(body, most_guests=MOST_RATED))
    return _read_json(body)


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
def show_matrix(session: Db, actor: ApiWho, event_id: UUID, accept: Annotated[str, Header()] = "") -> StreamingResponse:
    """Show all ratings as one matrix; as CSV with names when `Accept: text/csv` asks for it."""
    found = matrices.read_matrix(session, actor, event_id)
    if "text/csv" in accept:
        lines = csv_lines([guest.name for guest in found.guests], found.values)
        return StreamingResponse(lines, media_type="text/csv; charset=utf-8")
    head = {"kind": found.kind, "guests": [str(guest.id) for guest in found.guests]}
    return StreamingResponse(json_pieces(head, found.values), media_type="application/json")


@router.put("", openapi_extra={"requestBody": BODY})
def put_matrix(
    upload: Annotated[MatrixIn | NamedMatrix, Depends(read_upload)], session: Db, actor: ApiWho, event_id: UUID
) -> MatrixTaken:
    """Make this matrix the event's ratings: every earlier one goes.

    CSV has the guests' names in its first row and column, in any order; an event without guests gets them.
    """
    if isinstance(upload, MatrixIn):
        taken = matrices.put_matrix(session, actor, event_id, upload.kind, upload.guests, upload.matrix)
    else:
        taken = matrices.put_named_matrix(session, actor, event_id, upload.kind, upload.sheet)
    ids = [guest.id for guest in taken.guests]
    return MatrixTaken(kind=taken.kind, guests=ids, asymmetric=taken.asymmetric, left_out=list(taken.left_out))


def _read_json(body: bytes) -> MatrixIn:
    try:
        return MatrixIn.model_validate_json(body)
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_url=False, include_input=False)) from None
