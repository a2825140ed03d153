"""Events: make, change, remove."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.audit.actions import Action
from app.audit.record import record
from app.db import models
from app.db.conditions import hold_runs
from app.db.erased_bytes import note_erasure
from app.events import queries
from app.events.context import EventContext
from app.events.days import check_day
from app.events.erasure_day import erased_on, refuse_to_bring_forward, refuse_too_soon
from app.events.wish_deadline import lengthen_links
from app.web.names import clean_name
from app.web.unset import UNSET, Unset


@dataclass(frozen=True)
class EventCounts:
    """How much is stored in an event."""

    guests: int
    tables: int
    seats: int
    plans: int
    seated: int


def create_event(
    session: Session,
    actor: Actor,
    *,
    name: str,
    on: date | None = None,
    kind: str = "score",
    erase_after_days: int | None = None,
) -> models.Event:
    check_day(on)
    refuse_too_soon(on, erase_after_days)
    event = models.Event(name=clean_name(name, what="The event name"), date=on, kind=kind)
    event.erase_after_days = erase_after_days
    session.add(event)
    session.flush()
    session.add(models.Member(event_id=event.id, user_id=actor.user_id, role="owner"))
    session.flush()
    record(session, Action.EVENT_CREATED, by=actor.user_id, event_id=event.id)
    return event


def list_events(
    session: Session, actor: Actor, *, limit: int = 100, after: UUID | None = None
) -> Sequence[models.Event]:
    return queries.events_of(session, actor.user_id, limit=limit, after=after)


def list_edited(session: Session, actor: Actor, event_ids: Sequence[UUID]) -> list[UUID]:
    """Return those of the events that the account may edit."""
    return queries.edited_by(session, actor.user_id, event_ids)


def count_contents(session: Session, event_ids: Sequence[UUID]) -> dict[UUID, EventCounts]:
    """Return how much each event holds."""
    return {key: EventCounts(*row) for key, row in queries.counts(session, event_ids).items()}


def change_event(
    ctx: EventContext,
    *,
    name: str | None = None,
    on: date | Unset | None = UNSET,
    seats_undecided: bool | None = None,
    erase_after_days: int | Unset | None = UNSET,
) -> models.Event:
    """Change the name, the date, whether the undecided are seated, or when it is erased; what is left out stays."""
    event = ctx.require("editor")
    if not isinstance(on, Unset) and on != event.date:
        check_day(on)
    _change_erasure(ctx, event.date if isinstance(on, Unset) else on, erase_after_days)
    if name is not None:
        event.name = clean_name(name, what="The event name")
    if not isinstance(on, Unset):
        event.date = on
    if seats_undecided is not None:
        event.seats_undecided = seats_undecided
    ctx.session.flush()
    queries.count_revision(ctx.session, ctx.event_id)
    lengthen_links(ctx.session, event)
    ctx.record(Action.EVENT_CHANGED)
    return event


def _change_erasure(ctx: EventContext, on: date | None, after_days: int | Unset | None) -> None:
    """Set after how many days an event is erased, which its owner decides; a new date moves that day, too."""
    earlier = ctx.event.erase_after_days
    days = earlier if isinstance(after_days, Unset) else after_days
    if (on, days) == (ctx.event.date, earlier):
        return
    if not ctx.allows("owner"):
        refuse_to_bring_forward(on, earlier, before=erased_on(ctx.event.date, earlier))
    refuse_too_soon(on, days)
    if days != earlier:
        ctx.require("owner")
        ctx.event.erase_after_days = days


def delete_event(ctx: EventContext) -> None:
    event = ctx.require("owner")
    hold_runs(ctx.session, models.Run.event_id == ctx.event_id)
    ctx.record(Action.EVENT_DELETED)
    ctx.session.delete(event)
    note_erasure(ctx.session)
    ctx.session.flush()
