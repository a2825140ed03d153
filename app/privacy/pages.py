"""Removed guests, everything about one guest, erasing one, and the privacy notice for guests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Form, Request, Response
from fastapi.responses import JSONResponse

from app.accounts.recent_password import RecentlyConfirmed
from app.db.models import Event
from app.errors import FieldError, Invalid
from app.events.context import EditorContext, EventContext, OwnerContext
from app.events.erased import answer_erased
from app.events.exports import recorded_export
from app.guests import edit as guests
from app.guests.bulk import restore_together
from app.privacy import queries, removed
from app.privacy.erase import RESTORABLE, PreparedErasure, erase_one, prepare_one
from app.privacy.guest_data import GuestData, read_guest_data
from app.privacy.removed import GuestToErase, RemovedStep
from app.sentences import count
from app.web.deps import get_settings, guard_form
from app.web.html.attachments import attachment
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Before, Router

router = Router(prefix="/events/{event_id}/guests", dependencies=[Depends(guard_form)])
public_router = Router()
BACKUPS_BY_SERVER = 0
MOST_FAULTS = 20


@dataclass(frozen=True)
class RemovedPage:
    """The removed guests of an event."""

    event: Event
    steps: Sequence[RemovedStep]
    may_erase: bool
    restorable_days: int = RESTORABLE.days
    erased: bool = False
    restored: str = ""
    faults: Sequence[FieldError] = field(default_factory=tuple)
    section: str = "guests"


@dataclass(frozen=True)
class ErasePage:
    """A guest who is to be erased: what goes, what stays, and for how long backups keep it."""

    event: Event
    guest: GuestToErase
    backup_days: int
    faults: Sequence[FieldError] = field(default_factory=tuple)
    section: str = "guests"


@dataclass(frozen=True)
class DataPage:
    """Everything about one guest, to read and to print."""

    event: Event
    guest_id: UUID
    data: GuestData
    backup_days: int
    section: str = "guests"


@dataclass(frozen=True)
class PrivacyPage:
    """The privacy notice for guests: whom to ask, and for how long backups and removed guests are kept."""

    contact: str
    backup_days: int
    restorable_days: int = RESTORABLE.days


@router.get("/removed")
def list_removed(request: Request, ctx: EditorContext, erased: bool = False, restored: UUID | None = None) -> Response:
    """Show the removed guests."""
    back = queries.guest_ever(ctx.session, ctx.event_id, restored) if restored else None
    is_back = back and not back.removed_at  # somebody may have removed them again
    message = f"{back.name} is on the list again." if back and is_back else ""
    return _removed_page(request, ctx, erased=erased, restored=message)


@router.post("/removed/{guest_id}/restore")
def restore_removed(request: Request, ctx: EditorContext, guest_id: UUID) -> Response:
    """Bring a removed guest back, and stay on the page."""
    try:
        guests.restore_guest(ctx, guest_id)
    except Invalid as error:
        return _removed_page(request, ctx, faults=[FieldError("", fault.message) for fault in error.faults])
    return redirect(event_address(ctx.event_id, f"guests/removed?restored={guest_id}"))


@router.post("/removed/{guest_id}/restore-step")
def restore_step(request: Request, ctx: EditorContext, guest_id: UUID) -> Response:
    """Bring everyone back who was removed together with a guest."""
    back = restore_together(ctx, guest_id)
    faults = [FieldError("", f"{name} stays removed: another guest has that name by now.") for name in back.taken]
    if back.count and not faults:
        return redirect(event_address(ctx.event_id, f"guests?restored={back.count}"))
    restored = f"{count(back.count, 'guest')} restored." if back.count else ""
    return _removed_page(request, ctx, restored=restored, faults=faults[:MOST_FAULTS])


@router.get("/{guest_id}/erase")
def ask_before_erasing(request: Request, ctx: OwnerContext, guest_id: UUID) -> Response:
    """Say exactly what is erased and what stays."""
    return _erase_page(request, ctx, guest_id)


def prepare(ctx: OwnerContext, guest_id: UUID) -> PreparedErasure:
    """Prepare before the event is locked."""
    return prepare_one(ctx, guest_id)


@router.post("/{guest_id}/erase")
def erase_guest(
    request: Request,
    ctx: OwnerContext,
    guest_id: UUID,
    recent: RecentlyConfirmed,
    prepared: Annotated[PreparedErasure, Before(prepare)],
    sure: Annotated[bool, Form()] = False,
) -> Response:
    """Erase a guest once the box is ticked."""
    if not sure:
        fault = FieldError("sure", "Tick the box to confirm. Nothing was erased.")
        return _erase_page(request, ctx, guest_id, [fault])
    erase_one(ctx, prepared)
    return answer_erased(request, redirect(event_address(ctx.event_id, "guests/removed?erased=1")))


@router.get("/{guest_id}/data")
def show_data(request: Request, ctx: EditorContext, guest_id: UUID) -> Response:
    """Show everything about a guest, to read it with them or to print it."""
    page = DataPage(ctx.event, guest_id, read_guest_data(ctx, guest_id), _backup_days(request))
    return render(request, "privacy/data.html", page)


@router.get("/{guest_id}/data.json")
def download_data(request: Request, ctx: EditorContext, guest_id: UUID) -> Response:
    """Send everything about a guest as a file."""
    data = read_guest_data(ctx, guest_id)
    headers = {"Content-Disposition": attachment(f"Data about {data.guest_name}", "json", "guest")}
    return recorded_export(request, ctx, JSONResponse(data.plain, headers=headers), "guest", "json")


@public_router.get("/privacy")
def show_privacy(request: Request) -> Response:
    """Show guests what is stored about them, who sees it, for how long, and whom to ask."""
    page = PrivacyPage(get_settings(request).privacy_contact, _backup_days(request))
    return render(request, "privacy/public.html", page)


def _backup_days(request: Request) -> int:
    """Return for how many days daily backups are kept; 0 where whoever runs the database decides."""
    settings = get_settings(request)
    return settings.backups_kept if settings.is_sqlite else BACKUPS_BY_SERVER


def _removed_page(
    request: Request,
    ctx: EventContext,
    *,
    erased: bool = False,
    restored: str = "",
    faults: Sequence[FieldError] = (),
) -> Response:
    steps, may_erase = removed.list_steps(ctx), ctx.allows("owner")
    page = RemovedPage(ctx.event, steps, may_erase, erased=erased, restored=restored, faults=faults)
    return render(request, "privacy/removed.html", page, 422 if faults else 200)


def _erase_page(request: Request, ctx: EventContext, guest_id: UUID, faults: Sequence[FieldError] = ()) -> Response:
    page = ErasePage(ctx.event, removed.show_before_erasing(ctx, guest_id), _backup_days(request), faults)
    return render(request, "privacy/erase.html", page, 422 if faults else 200)
