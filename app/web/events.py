"""The list of events, and making, changing and deleting one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Form, Request, Response

from app.db.models import Event
from app.deps import Db, Who, guard_form
from app.errors import Fault, Invalid
from app.services import access, events
from app.services.events import EventCounts
from app.web.pages import event_address, render, see

router = APIRouter(dependencies=[Depends(guard_form)])


@dataclass(frozen=True)
class EventsPage:
    """All events of the person, and the form for a new one with what was entered."""

    events: Sequence[Event]
    counts: dict[UUID, EventCounts]
    name: str = ""
    on: str = ""
    faults: Sequence[Fault] = field(default_factory=tuple)


@router.get("/")
def list_events(request: Request, session: Db, actor: Who) -> Response:
    """Show all events."""
    return _events_page(request, session, actor)


@router.post("/events")
def create_event(
    request: Request, session: Db, actor: Who, name: Annotated[str, Form()] = "", on: Annotated[str, Form()] = ""
) -> Response:
    """Make an event and go on with its guests."""
    try:
        event = events.create_event(session, actor, name=name, on=read_date(on))
    except Invalid as error:
        return _events_page(request, session, actor, name=name, on=on, faults=error.faults)
    return see(event_address(event.id, "guests"))


@router.get("/events/{event_id}")
def show_event(session: Db, actor: Who, event_id: UUID) -> Response:
    """Go to where the event stands: its guests come first."""
    return see(event_address(access.require_event(session, actor, event_id).id, "guests"))


def read_date(text: str) -> date | None:
    """Read a day as browsers send it, or none at all."""
    try:
        return date.fromisoformat(text.strip()) if text.strip() else None
    except ValueError:
        raise Invalid(Fault("on", "The date must look like 2026-12-05.")) from None


def _events_page(request: Request, session: Db, actor: Who, **entered: object) -> Response:
    found = events.list_events(session, actor)
    counts = events.count_contents(session, [event.id for event in found])
    page = EventsPage(found, counts, **entered)  # type: ignore[arg-type]  # the form's own fields
    return render(request, "events/list.html", page, 422 if page.faults else 200)
