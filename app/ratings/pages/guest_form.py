"""The rating form: one guest with all the others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Query, Request, Response
from sqlalchemy.orm import Session

from app.db.models import Event
from app.errors import FieldError, Invalid, NotFound
from app.events.context import EditorContext, EventContext
from app.guests.queries.guests import Named
from app.guests.text import absence_words
from app.ratings import known as ratings
from app.ratings.change import PairChange, change_pairs
from app.ratings.known import Overview
from app.ratings.levels import LEVELS
from app.ratings.text import value_text
from app.ratings.values import shown_values
from app.web.deps import guard_form
from app.web.html.filters import signed
from app.web.html.numbers import plain_number, read_decimal
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}/ratings/guests/{guest_id}", dependencies=[Depends(guard_form)])
PAGE_SIZE = 100  # a form may have 1,000 fields, and nobody fills in that many
SCORES = {str(level): level.value for level in LEVELS}


@dataclass(frozen=True)
class Other:
    """Another guest: the level, what was entered, what was there before, and a rating between levels.

    `source` says what the pair counts as while it is not rated, and why; `absence` why the guest gets no seat.
    """

    guest: Named
    level: int | None
    text: str
    was: str
    between: str
    source: str = ""
    absence: str = ""


@dataclass(frozen=True, kw_only=True)
class RatingFormPage:
    """One guest with the others, or a page of them; how many are rated is None for who is not to be seated."""

    event: Event
    guest: Named
    previous: Named | None
    next: Named | None
    others: Sequence[Other]
    with_levels: bool
    rated: int | None
    other_count: int
    absence: str
    uploaded: bool
    page: int
    pages: int
    saved: bool
    faults: Sequence[FieldError]
    is_overtaken: bool
    section: str = "ratings"


@router.get("")
def show_form(
    request: Request, ctx: EditorContext, guest_id: UUID, page: Annotated[int, Query()] = 1, saved: str = ""
) -> Response:
    return _form_page(request, ctx, guest_id, page, saved=bool(saved))


async def read_fields(request: Request) -> dict[str, str]:
    """Return the fields of the form, whatever their names."""
    return {name: value for name, value in (await request.form()).items() if isinstance(value, str)}


@router.post("")
def save_form(
    request: Request,
    ctx: EditorContext,
    guest_id: UUID,
    fields: Annotated[dict[str, str], Depends(read_fields)],
    page: Annotated[int, Query()] = 1,
) -> Response:
    """Save what was changed in the form; what others changed meanwhile is kept and shown."""
    overview = ratings.show_overview(ctx)
    _place(overview, guest_id)
    try:
        theirs = {one.b: one.now for one in change_pairs(ctx, _changed(guest_id, fields))}
    except Invalid as error:
        return _form_page(request, ctx, guest_id, page, entered=fields, faults=_with_names(overview, error.faults))
    if theirs:
        changed = [FieldError(f"score/{other}", _text_of_theirs(overview.event, now)) for other, now in theirs.items()]
        return _form_page(request, ctx, guest_id, page, faults=_with_names(overview, changed), is_overtaken=True)
    return redirect(event_address(ctx.event_id, f"ratings/guests/{guest_id}?page={page}&saved=yes"))


def _text_of_theirs(event: Event, now: float | None) -> str:
    number = plain_number(now) if now is None or event.kind == "distance" else signed(now)
    did = f"set this to {number}" if number else "cleared this rating"
    return f"Someone else {did}. Their change was kept, and everything else was saved. You can change it again."


def _form_page(
    request: Request,
    ctx: EventContext,
    guest_id: UUID,
    page: int,
    *,
    entered: Mapping[str, str] | None = None,
    faults: Sequence[FieldError] = (),
    saved: bool = False,
    is_overtaken: bool = False,
) -> Response:
    overview = ratings.show_overview(ctx)
    place = _place(overview, guest_id)
    others = [guest for guest in overview.guests if guest.id != guest_id]
    pages = max(1, math.ceil(len(others) / PAGE_SIZE))
    page = max(1, min(page, pages))
    shown = others[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
    values = ratings.values_between(ctx.session, ctx.event_id, [guest_id], [guest.id for guest in shown])[0].tolist()
    sources = _sources(ctx.session, overview, overview.guests[place], shown)
    form = RatingFormPage(
        event=overview.event,
        guest=overview.guests[place],
        others=[
            replace(_other(*one, entered or {}), absence=_absence(overview, one[0]))
            for one in zip(shown, values, sources, strict=True)
        ],
        # A matrix on another scale, up to 50 perhaps, would not fit the five levels.
        with_levels=overview.event.kind == "score" and not any(abs(value) > 2 for value in values),
        rated=overview.counts.get(guest_id),
        other_count=len(overview.seated) - 1,
        absence=_absence(overview, overview.guests[place]),
        uploaded=overview.uploaded is not None,
        previous=overview.guests[place - 1] if place else None,
        next=overview.guests[place + 1] if place + 1 < len(overview.guests) else None,
        page=page,
        pages=pages,
        saved=saved,
        faults=faults,
        is_overtaken=is_overtaken,
    )
    return render(request, "ratings/guest.html", form, 422 if faults else 200)


def _place(overview: Overview, guest_id: UUID) -> int:
    for place, guest in enumerate(overview.guests):
        if guest.id == guest_id:
            return place
    raise NotFound("Guest not found in this event.")


def _absence(overview: Overview, guest: Named) -> str:
    return "" if guest.id in overview.counts else absence_words([guest.reply])


def _sources(session: Session, overview: Overview, guest: Named, others: Sequence[Named]) -> list[str]:
    worth, place = shown_values(session, overview.event, overview.guests, [guest, *others])
    return [value_text(worth, place[guest.id], place[other.id]) for other in others]


def _other(guest: Named, value: float, source: str, entered: Mapping[str, str]) -> Other:
    known = None if math.isnan(value) else value
    was = str(int(value)) if known in LEVELS else plain_number(known)
    text = entered.get(f"score/{guest.id}", was)
    return Other(
        guest=guest,
        level=SCORES.get(text),
        text=text,
        was=was,
        between=signed(value) if known is not None and known not in LEVELS else "",
        source=source,
    )


def _changed(guest_id: UUID, fields: Mapping[str, str]) -> list[PairChange]:
    changed, faults = [], []
    for name, text in fields.items():
        kind, _, other = name.partition("/")
        was = fields.get(f"was/{other}", "")
        if kind != "score" or text.strip() == was:
            continue
        try:
            changed.append(PairChange(guest_id, UUID(other), read_decimal(text), read_decimal(was), name))
        except ValueError:
            faults.append(FieldError(name, "Enter a number."))
    if faults:
        raise Invalid(faults)
    return changed


def _with_names(overview: Overview, faults: Sequence[FieldError]) -> list[FieldError]:
    names = {f"score/{guest.id}": guest.name for guest in overview.guests}
    return [
        FieldError(fault.where, f"{names[fault.where]}: {fault.message[0].lower()}{fault.message[1:]}")
        if fault.where in names
        else fault
        for fault in faults
    ]
