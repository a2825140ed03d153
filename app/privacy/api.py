"""/events/{event}/guests/…: removed guests, everything about one guest, and erasing one."""

from __future__ import annotations

import datetime as dt
from typing import Annotated
from uuid import UUID

from fastapi import Request, Response

from app.events.context import ApiEditorContext, ApiOwnerContext
from app.events.erased import answer_erased
from app.guests import edit as guests
from app.privacy import removed
from app.privacy.erase import PreparedErasure, erase_one, prepare_one
from app.privacy.guest_data import read_guest_data
from app.web.json_api.schemas import Answer
from app.web.one_hop import Before, Router

router = Router(prefix="/api/v1/events/{event_id}/guests", tags=["guests"])


class RemovedOut(Answer):
    """A removed guest, who can be restored until they are erased."""

    id: UUID
    name: str
    removed_on: dt.date
    erased_on: dt.date


class RemovedList(Answer):
    """The removed guests, the last one first, at most 500."""

    guests: list[RemovedOut]


class DataRow(Answer):
    """One value that is stored."""

    label: str
    value: str


class DataSection(Answer):
    """Some of what is stored, under a title."""

    title: str
    note: str
    data: list[DataRow]


class GuestDataOut(Answer):
    """Everything about one guest, to hand over to them."""

    event: str
    guest: str
    sections: list[DataSection]


@router.get("/removed")
def list_removed(ctx: ApiEditorContext) -> RemovedList:
    """List the removed guests."""
    return RemovedList(guests=[RemovedOut.model_validate(guest) for guest in removed.list_removed(ctx)])


@router.post("/{guest_id}/restore", status_code=204)
def restore_guest(ctx: ApiEditorContext, guest_id: UUID) -> None:
    """Restore a removed guest."""
    guests.restore_guest(ctx, guest_id)


@router.get("/{guest_id}/data")
def show_data(ctx: ApiEditorContext, guest_id: UUID) -> GuestDataOut:
    """Retrieve everything about a guest, removed or not."""
    return GuestDataOut.model_validate(read_guest_data(ctx, guest_id).plain)


def prepare(ctx: ApiOwnerContext, guest_id: UUID) -> PreparedErasure:
    """Prepare before the event is locked."""
    return prepare_one(ctx, guest_id)


@router.post("/{guest_id}/erase", status_code=204)
def erase_guest(
    request: Request, ctx: ApiOwnerContext, guest_id: UUID, prepared: Annotated[PreparedErasure, Before(prepare)]
) -> Response:
    """Erase a guest for good, removed or not. This cannot be undone."""
    erase_one(ctx, prepared)
    return answer_erased(request, Response(status_code=204))
