"""Taking guests, groups and ratings over from another event: choose it, see what would happen, confirm, undo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, get_args
from uuid import UUID

from fastapi import Depends, Form, Query, Request, Response

from app.accounts.current_user import known_person
from app.errors import FieldError, Invalid
from app.events.context import EditorContext, EventContext
from app.guests.queries.guests import count_guests
from app.guests.shared_values import REPLY
from app.transfer.take_over.people import Value
from app.transfer.take_over.taking import (
    PARTS,
    AlreadyHere,
    Rated,
    SameName,
    TakeOver,
    TakeOverWish,
    open_source,
    preview_take_over,
    take_over,
)
from app.transfer.take_over.undo import undo_take_over
from app.transfer.views.take_over import (
    EXPECTED,
    ChoicePage,
    PreviewPage,
    SourcesPage,
    TakeOverForm,
    TakeOverView,
    list_sources,
    offered_answers,
    offered_fields,
)
from app.web.deps import LongFormRoute, guard_form
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Before, Router
from app.web.tried import Tried, tried

router = Router(
    prefix="/events/{event_id}/take-over",
    dependencies=[Depends(known_person), Depends(guard_form)],
    route_class=LongFormRoute,
)
MOST_CHOSEN = 2_000
ALREADY_HERE: tuple[AlreadyHere, ...] = get_args(AlreadyHere)
SAME_NAME: tuple[SameName, ...] = get_args(SameName)
RATED: tuple[Rated, ...] = get_args(Rated)


def read_form(
    source: UUID | None,
    part: Sequence[str] | None,
    value: Sequence[str] | None,
    reply: str,
    replies: str,
) -> TakeOverForm:
    """Take what was chosen as it was sent; what makes no sense is left out."""
    parts = tuple(one for one in PARTS if part is None or one in part)
    return TakeOverForm(source, parts, reply[:20], tuple(value or ()), keep_replies=replies == "keep")


async def read_query(
    source: Annotated[UUID | None, Query(alias="from")] = None,
    part: Annotated[list[str] | None, Query(max_length=20)] = None,
    value: Annotated[list[str] | None, Query(max_length=MOST_CHOSEN)] = None,
    reply: str = "expected",
    replies: str = "reset",
) -> TakeOverForm:
    """Take what was chosen on the page before."""
    return read_form(source, part, value, reply, replies)


async def read_confirmed(
    source: Annotated[UUID | None, Form(alias="from")] = None,
    part: Annotated[list[str] | None, Form(max_length=20)] = None,
    value: Annotated[list[str] | None, Form(max_length=MOST_CHOSEN)] = None,
    reply: Annotated[str, Form()] = "",
    replies: Annotated[str, Form()] = "reset",
    offered: Annotated[list[str] | None, Form()] = None,
    take: Annotated[list[str] | None, Form()] = None,
    already_here: Annotated[str, Form()] = "keep",
    same_name: Annotated[str, Form()] = "add",
    rated: Annotated[str, Form()] = "keep",
    seen: Annotated[str, Form()] = "",
) -> TakeOverForm:
    """Take what was chosen beside the preview."""
    return replace(
        read_form(source, part or (), value, reply, replies),
        left_out=tuple(set(offered or ()) - set(take or ())),
        already_here=next((one for one in ALREADY_HERE if one == already_here), "keep"),
        same_name=next((one for one in SAME_NAME if one == same_name), "add"),
        rated=next((one for one in RATED if one == rated), "keep"),
        seen=seen,
    )


Chosen = Annotated[TakeOverForm, Depends(read_query)]
Confirmed = Annotated[TakeOverForm, Depends(read_confirmed)]


def prepare(ctx: EditorContext, form: Confirmed) -> Tried[TakeOver]:
    """Look what would happen, before the request begins to write."""
    return tried(lambda: preview_take_over(ctx, _wish(form)))


@router.get("")
def choose(request: Request, ctx: EditorContext, form: Chosen) -> Response:
    """Show the events to take guests from, or what can come along from the one that is chosen."""
    if form.source is None:
        return render(request, "transfer/take_over_sources.html", SourcesPage(ctx.event, list_sources(ctx)))
    return _choices(request, ctx, form)


@router.get("/preview")
def show_preview(request: Request, ctx: EditorContext, form: Chosen) -> Response:
    """Show what would happen."""
    try:
        preview = preview_take_over(ctx, _wish(form))
    except Invalid as error:
        return _choices(request, ctx, form, error.faults)
    return _preview(request, ctx, form, preview)


@router.post("")
def confirm(
    request: Request, ctx: EditorContext, form: Confirmed, prepared: Annotated[Tried[TakeOver], Before(prepare)]
) -> Response:
    """Take over what the preview showed; show it again where one of the events has changed since."""
    try:
        preview = prepared.get()
    except Invalid as error:
        return _choices(request, ctx, form, error.faults)
    if form.seen != preview.revision:
        return _preview(request, ctx, form, preview, is_changed=True)
    try:
        with ctx.session.begin_nested():
            done = take_over(ctx, preview)
    except Invalid as error:
        return _preview(request, ctx, form, preview, faults=error.faults)
    counts = preview.counts
    numbers = f"{counts['add']}-{counts['change']}-{preview.pairs_written + preview.group_pairs_written}"
    return redirect(event_address(ctx.event_id, f"guests?taken={done}&notice={numbers}"))


@router.post("/{take_over_id}/undo")
def undo(ctx: EditorContext, take_over_id: UUID) -> Response:
    """Make guests, groups and ratings as they were before."""
    undo_take_over(ctx, take_over_id)
    return redirect(event_address(ctx.event_id, "guests"))


def _wish(form: TakeOverForm) -> TakeOverWish:
    if form.source is None:
        raise Invalid(FieldError("from", "Choose an event."))
    if not form.parts:
        raise Invalid(FieldError("parts", "Choose what comes along."))
    return TakeOverWish(
        source_id=form.source,
        parts=frozenset(one for one in PARTS if one in form.parts),
        values=tuple(_values(form)),
        left_out=frozenset(_ids(form.left_out)),
        keep_replies=form.keep_replies,
        already_here=form.already_here,
        same_name=form.same_name,
        rated=form.rated,
    )


def _values(form: TakeOverForm) -> list[Value]:
    answers = {"": (), "expected": EXPECTED}.get(form.reply, (form.reply,))
    pairs = [text.partition(":") for text in dict.fromkeys(form.values)]
    return [*((REPLY, reply) for reply in answers), *((field, value) for field, _, value in pairs)]


def _ids(texts: Sequence[str]) -> list[UUID]:
    try:
        return [UUID(text) for text in texts]
    except ValueError:
        raise Invalid(FieldError("", "One of the guests to leave out isn't a guest of that event.")) from None


def _choices(request: Request, ctx: EventContext, form: TakeOverForm, faults: Sequence[FieldError] = ()) -> Response:
    if form.source is None:
        page = SourcesPage(ctx.event, list_sources(ctx), faults)
        return render(request, "transfer/take_over_sources.html", page, 422)
    try:
        source = open_source(ctx, form.source)
    except Invalid as error:
        page = SourcesPage(ctx.event, list_sources(ctx), error.faults)
        return render(request, "transfer/take_over_sources.html", page, 422)
    shown = ChoicePage(
        event=ctx.event,
        source=source.event,
        guests=count_guests(source.session, source.event_id),
        form=form,
        offered=offered_fields(source),
        answers=offered_answers(source),
        faults=[replace(fault, where=_where(fault.where)) for fault in faults],
    )
    return render(request, "transfer/take_over.html", shown, 422 if faults else 200)


def _where(where: str) -> str:
    return "values" if where.startswith("values/") else where


def _preview(
    request: Request,
    ctx: EventContext,
    form: TakeOverForm,
    preview: TakeOver,
    *,
    is_changed: bool = False,
    faults: Sequence[FieldError] = (),
) -> Response:
    source = open_source(ctx, preview.wish.source_id)
    page = PreviewPage(ctx.event, source.event, form, preview, TakeOverView(preview), is_changed, faults)
    return render(request, "transfer/take_over_preview.html", page, 422 if faults else 200)
