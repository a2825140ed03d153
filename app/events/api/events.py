"""/events."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Request, Response
from pydantic import MISSING, Field

from app.accounts.current_user import ApiUser
from app.events import edit as events
from app.events.context import ApiEditorContext, ApiOwnerContext, ApiViewerContext
from app.events.erased import answer_erased
from app.events.erasure_day import MOST_DAYS
from app.events.idempotency import OnlyOnce
from app.web import cursors
from app.web.deps import Db
from app.web.json_api.conditional import After, Limit, Match, etag
from app.web.json_api.schemas import Answer, Body, Day, given
from app.web.one_hop import Router

ERASE = "The event is erased this many days after its date; null for never."
Days = Annotated[int, Field(ge=1, le=MOST_DAYS)]
UNDECIDED = "Whether to seat guests who have not replied or replied maybe"

router = Router(prefix="/api/v1/events", tags=["events"])


class EventIn(Body):
    """A new event."""

    name: str
    date: Day | None = None
    kind: Literal["score", "distance"] = Field(default="score", description="Whether ratings are scores or distances")
    erase_after_days: Days | None = Field(default=None, description=ERASE)


class EventPatch(Body):
    """What to change about an event."""

    name: str | MISSING = MISSING
    date: Day | MISSING | None = Field(default=MISSING, description="null clears it")
    seats_undecided: bool | MISSING = Field(default=MISSING, description=UNDECIDED)
    erase_after_days: Days | MISSING | None = Field(default=MISSING, description=f"{ERASE} Only the owner sets it.")


class EventOut(Answer):
    """An event. Guests, tables, rules and plans are separate resources, each with its own version."""

    id: UUID
    name: str
    date: dt.date | None
    kind: str
    seats_undecided: bool = Field(description=UNDECIDED)
    erase_after_days: int | None = Field(description=ERASE)
    created_at: dt.datetime


class EventList(Answer):
    """A page of events, newest first."""

    events: list[EventOut]
    next: UUID | None


@router.get("")
def list_events(session: Db, actor: ApiUser, limit: Limit = 100, after: After = None) -> EventList:
    """List your events."""
    cursors.check_event_cursor(session, actor.user_id, after)
    found = events.list_events(session, actor, limit=limit, after=after)
    full = len(found) == limit
    return EventList(events=[EventOut.model_validate(e) for e in found], next=found[-1].id if full else None)


@router.post("", status_code=201, response_model=EventOut)
def create_event(session: Db, actor: ApiUser, once: OnlyOnce, body: EventIn) -> Response:
    """Create an event."""
    event = events.create_event(
        session, actor, name=body.name, on=body.date, kind=body.kind, erase_after_days=body.erase_after_days
    )
    answer = EventOut.model_validate(event)
    return once.answer(answer, location=f"/api/v1/events/{event.id}", version=etag(event))


@router.get("/{event_id}")
def show_event(ctx: ApiViewerContext, response: Response) -> EventOut:
    """Retrieve an event."""
    event = ctx.event
    response.headers["ETag"] = etag(event)
    return EventOut.model_validate(event)


@router.patch("/{event_id}")
def change_event(ctx: ApiEditorContext, match: Match, body: EventPatch, response: Response) -> EventOut:
    """Update an event."""
    match.check(ctx.event)
    event = events.change_event(
        ctx,
        name=None if body.name is MISSING else body.name,
        on=given(body.date),
        seats_undecided=None if body.seats_undecided is MISSING else body.seats_undecided,
        erase_after_days=given(body.erase_after_days),
    )
    response.headers["ETag"] = etag(event)
    return EventOut.model_validate(event)


@router.delete("/{event_id}", status_code=204)
def delete_event(request: Request, ctx: ApiOwnerContext, match: Match) -> Response:
    """Delete an event and everything in it."""
    match.check(ctx.event)
    events.delete_event(ctx)
    return answer_erased(request, Response(status_code=204))
