"""The list of events, and making, changing and deleting one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Form, Request, Response
from pydantic import BaseModel

from app.accounts.current_user import CurrentUser
from app.accounts.recent_password import RecentlyConfirmed
from app.db.models import Event
from app.errors import FieldError, Invalid
from app.events import edit as events
from app.events.context import EditorContext, EventContext, OwnerContext, ViewerContext
from app.events.edit import EventCounts
from app.events.erased import answer_erased
from app.events.erasure_day import CHOICES, MOST_DAYS, erased_on
from app.events.progress import Progress, read_progress
from app.sentences import count
from app.web.deps import Db, get_settings, guard_form
from app.web.html.forms import check_version
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Router
from app.web.unset import UNSET

router = Router(dependencies=[Depends(guard_form)])
PAGE_SIZE = 100
MOST_DIGITS = 10


class EventForm(BaseModel):
    """An event as typed."""

    name: str = ""
    on: str = ""
    seats_undecided: bool = False
    erase_after_days: str | None = None
    version: int | None = None


def _options(choices: Sequence[int]) -> list[tuple[str, str]]:
    return [(str(days), f"{count(days, 'day')} after its date") for days in choices]


@dataclass(frozen=True)
class EventsPage:
    """The events of the person, and the form for a new one with what was entered."""

    events: Sequence[Event]
    counts: dict[UUID, EventCounts]
    progress: Mapping[UUID, Progress]
    next: UUID | None
    is_first_page: bool = True
    deleted: bool = False
    asks_retention: bool = False
    erase_options: Sequence[tuple[str, str]] = field(default_factory=lambda: _options(CHOICES))
    form: EventForm = field(default_factory=EventForm)
    faults: Sequence[FieldError] = field(default_factory=tuple)


@dataclass(frozen=True)
class SettingsPage:
    """The name and the day of an event, whether the undecided are seated, and its deletion for the owner."""

    event: Event
    counts: EventCounts
    form: EventForm
    may_delete: bool
    erased_on: date | None
    erase_options: Sequence[tuple[str, str]]
    faults: Sequence[FieldError] = field(default_factory=tuple)
    saved: bool = False
    section: str = "settings"


@router.get("/")
def list_events(
    request: Request, session: Db, actor: CurrentUser, after: UUID | None = None, deleted: bool = False
) -> Response:
    return _events_page(request, session, actor, after=after, deleted=deleted)


@router.get("/events")
def go_to_events(actor: CurrentUser) -> Response:
    """Redirect a shortened address to the list of events."""
    return redirect("/")


@router.post("/events")
def create_event(request: Request, session: Db, actor: CurrentUser, form: Annotated[EventForm, Form()]) -> Response:
    try:
        event = events.create_event(session, actor, name=form.name, on=read_date(form.on), erase_after_days=_days(form))
    except Invalid as error:
        return _events_page(request, session, actor, form=form, faults=_at_fields(error))
    return redirect(event_address(event.id, "guests"))


@router.get("/events/{event_id}")
def show_event(ctx: ViewerContext) -> Response:
    """Go to where the event stands: to its plan if there is one, else to its guests, who come first."""
    counts = events.count_contents(ctx.session, [ctx.event_id])[ctx.event_id]
    return redirect(event_address(ctx.event_id, "plan" if counts.plans else "guests"))


@router.get("/events/{event_id}/settings")
def show_settings(request: Request, ctx: EditorContext, saved: bool = False) -> Response:
    """Show the form to change or delete an event; `saved` says that it was changed."""
    event = ctx.event
    form = EventForm(
        name=event.name,
        on=event.date.isoformat() if event.date else "",
        seats_undecided=event.seats_undecided,
        erase_after_days=str(event.erase_after_days or ""),
        version=event.version,
    )
    return _settings_page(request, ctx, form, saved=saved)


@router.post("/events/{event_id}/settings")
def change_event(request: Request, ctx: EditorContext, form: Annotated[EventForm, Form()]) -> Response:
    """Change the name, the day, or who is seated, and stay on the page."""
    event = ctx.event
    try:
        check_version(form.version, event.version)
        events.change_event(
            ctx,
            name=form.name,
            on=read_date(form.on),
            seats_undecided=form.seats_undecided,
            erase_after_days=UNSET if form.erase_after_days is None else _days(form),
        )
    except Invalid as error:
        present = form.model_copy(update={"version": event.version})
        return _settings_page(request, ctx, present, faults=_at_fields(error))
    return redirect(event_address(ctx.event_id, "settings?saved=1"))


@router.post("/events/{event_id}/delete")
def delete_event(request: Request, ctx: OwnerContext, recent: RecentlyConfirmed) -> Response:
    """Delete an event with everything in it; the form has asked before."""
    events.delete_event(ctx)
    return answer_erased(request, redirect("/?deleted=1"))


def _at_fields(error: Invalid) -> list[FieldError]:
    """Name the fields as the form does."""
    return [replace(fault, where="on") if fault.where == "date" else fault for fault in error.faults]


def _days(form: EventForm) -> int | None:
    text = (form.erase_after_days or "").strip()
    if text and not (text.isascii() and text.isdigit() and len(text) < MOST_DIGITS and 1 <= int(text) <= MOST_DAYS):
        raise Invalid(FieldError("erase_after_days", f"Choose from 1 to {MOST_DAYS:,} days."))
    return int(text) if text else None


def read_date(text: str) -> date | None:
    """Read a day as browsers send it, or none at all."""
    try:
        return date.fromisoformat(text.strip()) if text.strip() else None
    except ValueError:
        raise Invalid(FieldError("on", "Enter the date as 2026-12-05.")) from None


def _events_page(request: Request, session: Db, actor: CurrentUser, after: UUID | None = None, **more: Any) -> Response:
    found = events.list_events(session, actor, limit=PAGE_SIZE, after=after)
    counts = events.count_contents(session, [event.id for event in found])
    following = found[-1].id if len(found) == PAGE_SIZE else None
    asks = not get_settings(request).is_only_here
    edited = events.list_edited(session, actor, [event.id for event in found])
    page = EventsPage(
        found,
        counts,
        read_progress(session, edited),
        following,
        is_first_page=after is None,
        asks_retention=asks,
        **more,
    )
    return render(request, "events/list.html", page, 422 if page.faults else 200)


def _settings_page(request: Request, ctx: EventContext, form: EventForm, **more: Any) -> Response:
    counts = events.count_contents(ctx.session, [ctx.event_id])[ctx.event_id]
    days = ctx.event.erase_after_days
    choices = sorted({*CHOICES, *([days] if days else [])})
    page = SettingsPage(
        ctx.event, counts, form, ctx.allows("owner"), erased_on(ctx.event.date, days), _options(choices), **more
    )
    return render(request, "events/settings.html", page, 422 if page.faults else 200)
