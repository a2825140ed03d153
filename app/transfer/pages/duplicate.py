"""Duplicating an event: what comes along is chosen in a form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

from fastapi import Depends, Form, Request, Response

from app.audit.actions import Action
from app.db.models import Event
from app.errors import FieldError, Invalid
from app.events.context import EditorContext, EventContext
from app.events.pages.events import read_date
from app.transfer.answers import write_staged
from app.transfer.duplicate import PARTS, USUAL_PARTS, CopyPart, CopyWish, stage_copy
from app.transfer.staged_events import StagedEvent
from app.web.after_transaction import AfterTransaction
from app.web.deps import guard_form
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Before, Router
from app.web.tried import Tried, tried

router = Router(prefix="/events/{event_id}/duplicate", dependencies=[Depends(guard_form)])
OPTIONS: dict[CopyPart, tuple[str, str]] = {
    "guests": ("Guests", "With diets, notes and contact details."),
    "groups": ("Groups and households", ""),
    "fields": ("Sides, menu and own fields", ""),
    "ratings": ("Ratings", "Of pairs and groups, and an uploaded matrix."),
    "rules": ("Rules", ""),
    "tables": ("Tables and room", "Without the background picture."),
    "plan": ("The plan in use", "Needs guests and tables."),
    "wishes": ("Wishes of guests", "They are private: take them along only if the guests would expect it."),
    "members": ("Members", "They get the same roles in the copy."),
}


@dataclass(frozen=True)
class CopyForm:
    """The form as it was filled in."""

    name: str
    on: str = ""
    parts: frozenset[str] = USUAL_PARTS
    replies: str = "reset"


@dataclass(frozen=True)
class DuplicatePage:
    """What of the event comes along."""

    event: Event
    form: CopyForm
    options: Sequence[tuple[str, str, str]]
    faults: Sequence[FieldError] = field(default_factory=tuple)
    section: str = "settings"


async def read_form(
    name: Annotated[str, Form()] = "",
    on: Annotated[str, Form()] = "",
    part: Annotated[list[str] | None, Form(max_length=len(PARTS))] = None,
    replies: Annotated[str, Form()] = "reset",
) -> CopyForm:
    """Take the form as it was filled in."""
    return CopyForm(name, on, frozenset(part or ()), replies)


def prepare_copy(ctx: EditorContext, form: Annotated[CopyForm, Depends(read_form)]) -> Tried[StagedEvent]:
    """Build the copy before the request begins to write."""
    return tried(lambda: stage_copy(ctx, _wish(form)))


@router.get("")
def choose_parts(request: Request, ctx: EditorContext) -> Response:
    return _page(request, ctx, CopyForm(f"{ctx.event.name} (copy)"[:200]))


@router.post("")
def duplicate_event(
    request: Request,
    ctx: EditorContext,
    form: Annotated[CopyForm, Depends(read_form)],
    prepared: Annotated[Tried[StagedEvent], Before(prepare_copy)],
) -> Response:
    """Create the copy and go to its guests; where something is wrong with the form, none is created."""
    try:
        staged = prepared.get()
    except Invalid as error:
        named = {"date": "on"}
        return _page(request, ctx, form, [replace(one, where=named.get(one.where, one.where)) for one in error.faults])
    ctx.record(Action.EVENT_DUPLICATED)

    async def write_and_go() -> Response:
        return redirect(event_address(await write_staged(request, staged), "guests?made=1"))

    return AfterTransaction(write_and_go)


def _wish(form: CopyForm) -> CopyWish:
    parts = frozenset(part for part in PARTS if part in form.parts)
    return CopyWish(form.name, read_date(form.on), parts, keep_replies=form.replies == "keep")


def _page(request: Request, ctx: EventContext, form: CopyForm, faults: Sequence[FieldError] = ()) -> Response:
    offered = [part for part in PARTS if part != "members" or ctx.allows("owner")]
    page = DuplicatePage(ctx.event, form, [(part, *OPTIONS[part]) for part in offered], faults)
    return render(request, "transfer/duplicate.html", page, 422 if faults else 200)
