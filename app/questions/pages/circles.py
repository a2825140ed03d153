"""Circles within groups: tick who is close, and save them as one. A plain form; it needs no script."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Form, Query, Request, Response
from pydantic import BaseModel, Field

from app.config import Settings
from app.db.models import Event, Group
from app.errors import FieldError, Invalid
from app.events.context import EditorContext, EventContext
from app.events.progress import Progress
from app.guests.queries.groups import group_of
from app.questions.answer import keep_questions_coming
from app.questions.circles import CircleDeck, Household, Pool, counts_as_close, show_circle_deck
from app.questions.save_circle import may_undo, save_circle, undo_circle
from app.ratings.queries.values import count_undecided
from app.runs.queue import AppQueue
from app.tables.queries import tables_of
from app.web.deps import AppSettings, LongFormRoute, get_settings, guard_form
from app.web.html.forms import read_id
from app.web.html.rendering import event_address, redirect, render
from app.web.link_tokens import link_key, token_of
from app.web.one_hop import Router

router = Router(
    prefix="/events/{event_id}/ratings/circles", dependencies=[Depends(guard_form)], route_class=LongFormRoute
)
LONGEST_KEY, LONGEST_TOKEN = 40, 100
MOST_SHOWN = 1000
NONE, QUESTIONS = "none", "questions"


class CircleForm(BaseModel):
    """A circle as entered: the guests that are ticked, one of each household, and a name if they have one."""

    group: str = ""
    guest: list[UUID] = Field(default_factory=list, max_length=MOST_SHOWN)
    name: str = ""
    next: str = ""
    """Where to go on instead of staying with the group: the key of another one, or `questions`."""

    @property
    def ticked(self) -> frozenset[UUID]:
        """The guests that are ticked, to ask for each guest of a long list."""
        return frozenset(self.guest)


@dataclass(frozen=True)
class CirclesPage:
    """One group with its households to tick, and the other groups."""

    event: Event
    deck: CircleDeck
    pool: Pool | None
    households: Sequence[Household]
    following: Pool | None
    progress: Progress | None
    form: CircleForm
    saved: Group | None = None
    """A group to report that counts as close."""
    undo: str = ""
    """The token that lets it be undone, if it was made here just before."""
    done: Pool | None = None
    """The group that was asked for, if nothing is left to mark in it and another one is shown."""
    has_stayed: bool = False
    most_shown: int = MOST_SHOWN
    waiting_wishes: int = 0
    most_seats: int = 0
    """How many the largest table seats; 0 without tables."""
    faults: Sequence[FieldError] = field(default_factory=tuple)
    section: str = "ratings"


@router.get("")
def show_circles(
    request: Request,
    ctx: EditorContext,
    group: Annotated[str, Query(max_length=LONGEST_KEY)] = "",
    saved: UUID | None = None,
    undo: Annotated[str, Query(max_length=LONGEST_TOKEN)] = "",
    stayed: bool = False,
) -> Response:
    """Show a group to mark circles in; report a circle that was saved, with the token to undo it, or that stayed."""
    return _page(request, ctx, CircleForm(group=group), saved=saved, undo=undo, has_stayed=stayed)


@router.post("")
def take_circle(request: Request, ctx: EditorContext, queue: AppQueue, form: Annotated[CircleForm, Form()]) -> Response:
    """Keep a circle and go on with the rest of the group, or with another; only a circle that is new can be undone.

    Whoever goes on to another group with nothing selected has nothing to keep.
    """
    group = _key(form.group if form.next in ("", QUESTIONS) else form.next)
    if form.next and not form.guest:
        return redirect(event_address(ctx.event_id, _address_of(form.next)))
    try:
        circle = save_circle(ctx, form.ticked, _key(form.group), form.name)
    except Invalid as error:
        return _page(request, ctx, form, error.faults)
    keep_questions_coming(ctx, queue)
    undo = f"&undo={_undo_token(get_settings(request), circle.id, circle.version)}" if circle.is_new else ""
    return redirect(event_address(ctx.event_id, f"ratings/circles?group={group}&saved={circle.id}{undo}"))


@router.post("/undo")
def undo_saved_circle(
    ctx: EditorContext,
    queue: AppQueue,
    settings: AppSettings,
    circle: Annotated[str, Form()] = "",
    version: Annotated[int, Form()] = 0,
    undo: Annotated[str, Form()] = "",
    group: Annotated[str, Form()] = "",
) -> Response:
    """Delete a circle that was just saved; its guests stay, and so does a circle that somebody has changed since."""
    found = read_id(circle)
    is_own = found is not None and _is_undo_token(settings, found, version, undo)
    is_undone = found is not None and is_own and undo_circle(ctx, found, version)
    if is_undone:
        keep_questions_coming(ctx, queue)
    stayed = "" if is_undone or not found or not group_of(ctx.session, ctx.event_id, found) else "&stayed=1"
    return redirect(event_address(ctx.event_id, f"ratings/circles?group={_key(group)}{stayed}"))


def _address_of(following: str) -> str:
    return "ratings/questions" if following == QUESTIONS else f"ratings/circles?group={_key(following)}"


def _key(text: str) -> str:
    """Return what stands for a group in an address: its id, or that of no group for anything else."""
    found = read_id(text)
    return str(found) if found else NONE


def _undo_token(settings: Settings, circle: UUID, version: int) -> str:
    """Return what shows that a group was saved here as a circle, in this version."""
    return token_of(link_key(settings), f"{circle}:{version}", "circle")


def _is_undo_token(settings: Settings, circle: UUID, version: int, undo: str) -> bool:
    return hmac.compare_digest(_undo_token(settings, circle, version).encode(), undo.encode())


def _page(
    request: Request,
    ctx: EventContext,
    form: CircleForm,
    faults: Sequence[FieldError] = (),
    *,
    saved: UUID | None = None,
    undo: str = "",
    has_stayed: bool = False,
) -> Response:
    deck = show_circle_deck(ctx)
    asked = deck.every.get(form.group)
    is_asked = asked is not None and (bool(faults) or any(asked is one for one in deck.pools))
    pool = asked if is_asked else next(iter(deck.pools), None)
    named = group_of(ctx.session, ctx.event_id, saved) if saved and counts_as_close(ctx, saved) else None
    is_own = named is not None and _is_undo_token(get_settings(request), named.id, named.version, undo)
    page = CirclesPage(
        deck.event,
        deck,
        pool,
        _to_tick(pool, form) if pool else (),
        deck.after(pool) if pool else None,
        deck.progress,
        form,
        saved=named,
        undo=undo if named and is_own and may_undo(ctx, named.id, named.version) else "",
        done=asked if asked is not pool and (named or form.group != NONE) else None,
        has_stayed=has_stayed,
        waiting_wishes=count_undecided(ctx.session, ctx.event_id),
        most_seats=max((table.seats for table in tables_of(ctx.session, ctx.event_id)), default=0),
        faults=faults,
    )
    return render(request, "questions/circles.html", page, 422 if faults else 200)


def _to_tick(pool: Pool, form: CircleForm) -> Sequence[Household]:
    """Return the households to choose from, with those that are ticked though somebody has put them into a circle.

    Of more than the page shows, those that are ticked come first: they could not be cleared otherwise.
    """
    ids = form.ticked - {guest.id for guest in pool.free}
    found = [*pool.left, *(Household((guest,)) for guest in pool.guests if guest.id in ids)]
    return found if len(found) <= MOST_SHOWN else sorted(found, key=lambda one: one.key not in form.ticked)
