"""/import, /events/{event}/event.json and event.xlsx: a whole event out, and back in as a new one."""

from __future__ import annotations

import re
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Header, Query, Request, Response
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.accounts.current_user import ApiAccount, ApiCredential
from app.errors import FieldError, Invalid
from app.events.context import ApiEditorContext
from app.events.idempotency import claim_once, replay_known, request_digest
from app.files.event_file import JSON_TYPE
from app.files.guest_lists.write import XLSX_TYPE
from app.files.sheet_limits import SheetError
from app.transfer.answers import Source, create_from_file, json_answer, read_source, workbook_answer
from app.web.deps import Uploads
from app.web.json_api.schemas import Answer
from app.web.json_api.uploads import FORM_BODY, FORM_TYPE, read_file, refuse_other_types
from app.web.one_hop import Router, read_database

router = Router(prefix="/api/v1", tags=["events"])
PLACE = re.compile(r"([a-z_]+(?:\[\d+\]|\.\w+)*): (.*)", re.DOTALL)
"""What messages about JSON files begin with, such as guests[3].name."""
FILE = {"schema": {"type": "string", "format": "binary"}}
BODY = {
    "required": True,
    "content": {
        JSON_TYPE: {"schema": {"type": "object", "description": "A file from event.json"}},
        XLSX_TYPE: FILE,
        FORM_TYPE: FORM_BODY,
    },
}
JSON_FILE: dict[int | str, dict[str, Any]] = {
    200: {"description": "The file", "content": {JSON_TYPE: {"schema": {"type": "object"}}}}
}
XLSX_FILE: dict[int | str, dict[str, Any]] = {200: {"description": "The workbook", "content": {XLSX_TYPE: FILE}}}


class ImportedEvent(Answer):
    """The event that was created."""

    id: UUID


Digest = Annotated[str, Depends(request_digest)]


async def read_body(request: Request, uploads: Uploads, account: ApiAccount, _: Digest) -> Source:
    """Read the file before the session of the request begins; its digest is taken first, while it is there as sent."""
    refuse_other_types(request, "the event", (JSON_TYPE, XLSX_TYPE))
    data = await read_file(request)
    is_json = request.headers.get("content-type", "").partition(";")[0].strip().lower() == JSON_TYPE
    try:
        async with uploads.place(account):
            return await read_source(data, is_json=is_json)
    except SheetError as error:
        raise Invalid([_pointed(message) for message in error.errors]) from None


def _pointed(message: str) -> FieldError:
    """Split “guests[0].name: is required.” into the place and the message."""
    found = PLACE.fullmatch(message)
    if found is None:
        return FieldError("", message)
    return FieldError(found[1].replace("[", "/").replace("]", "").replace(".", "/"), found[2])


@router.post("/import", status_code=201, openapi_extra={"requestBody": BODY})
async def import_event(
    request: Request,
    _: ApiCredential,
    source: Annotated[Source, Depends(read_body)],
    account: ApiAccount,
    response: Response,
    digest: Digest,
    idempotency_key: Annotated[str | None, Header()] = None,
) -> ImportedEvent:
    """Create an event from an exported JSON file or workbook. If anything is wrong with it, none is created."""

    def claim(session: Session, event_id: UUID) -> None:
        once = claim_once(session, Actor(account), idempotency_key, digest)
        once.answer(ImportedEvent(id=event_id), location=f"/api/v1/events/{event_id}")

    if idempotency_key is not None:
        await read_database(request, lambda session: replay_known(session, account, idempotency_key, digest))
    try:
        event_id = await create_from_file(request, account, source, at_end=claim)
    except Invalid as error:
        raise Invalid([_pointed(fault.message) for fault in error.faults]) from None
    response.headers["Location"] = f"/api/v1/events/{event_id}"
    return ImportedEvent(id=event_id)


@router.get("/events/{event_id}/event.json", response_class=Response, responses=JSON_FILE)
def export_json(request: Request, ctx: ApiEditorContext) -> Response:
    """Download the whole event as JSON, with ratings, notes and all versions of the plan. Pictures are not included."""
    return json_answer(request, ctx)


@router.get("/events/{event_id}/event.xlsx", response_class=Response, responses=XLSX_FILE)
def export_workbook(
    request: Request,
    ctx: ApiEditorContext,
    plan: Annotated[
        UUID | None, Query(description="The plan whose seating is included; by default the one in use")
    ] = None,
) -> Response:
    """Download the event as a workbook, with ratings, notes and the seating of one plan."""
    return workbook_answer(request, ctx, plan)
