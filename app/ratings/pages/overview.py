"""All pairs of guests: the grid and the list of guests, and saving one pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Form, Header, Query, Request, Response
from fastapi.responses import JSONResponse

from app.db.models import Event
from app.db.once import reading_once
from app.errors import FieldError, Invalid
from app.events.cached_pages import kept_without
from app.events.context import EditorContext
from app.events.progress import Progress, show_progress
from app.guests.queries.groups import group_ratings_of
from app.guests.queries.guests import Named
from app.ratings import change as rate
from app.ratings import known as ratings
from app.ratings.change import PairChange, change_pairs
from app.ratings.known import Overview
from app.ratings.pages.grid_cells import answer_conflicts, count_rated
from app.ratings.queries.values import count_undecided
from app.ratings.views.grid import Grid, make_grid
from app.web.deps import guard_form
from app.web.html.forms import read_id
from app.web.html.numbers import read_decimal
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}/ratings", dependencies=[Depends(guard_form)])
NO_RATING = "none"
"""What `was` says of a pair that was not rated: an empty field counts as none sent."""


@dataclass(frozen=True)
class RatingsPage:
    """How far the rating has come, guest by guest and in the grid, without those who declined.

    `every_rated` counts the rated pairs with them too: this many go when all are removed.
    """

    event: Event
    overview: Overview
    guests: Sequence[Named]
    every_rated: int
    grid: Grid | None
    group_answers: int = 0
    progress: Progress | None = None
    waiting_wishes: int = 0
    notice: str = ""
    faults: Sequence[FieldError] = field(default_factory=tuple)
    section: str = "ratings"


@router.get("/all")
@kept_without("plans", shows_progress=True)
def show_ratings(
    request: Request,
    ctx: EditorContext,
    rows: Annotated[int, Query()] = 1,
    columns: Annotated[int, Query()] = 1,
    done: str = "",
) -> Response:
    overview = ratings.show_overview(ctx)
    grid = make_grid(ctx.session, overview, rows, columns) if len(overview.expected) > 1 else None
    page = RatingsPage(
        event=overview.event,
        overview=overview,
        guests=[row.guest for row in grid.rows] if grid else overview.expected,
        every_rated=ratings.count_every_rating(ctx) if len(overview.seated) < len(overview.guests) else overview.rated,
        grid=grid,
        group_answers=len(group_ratings_of(ctx.session, ctx.event_id)),
        progress=show_progress(ctx),
        waiting_wishes=count_undecided(ctx.session, ctx.event_id),
        notice=done,
    )
    return render(request, "ratings/show.html", page)


@router.post("/pairs")
def save_pair(
    ctx: EditorContext,
    a: Annotated[str, Form()] = "",
    b: Annotated[str, Form()] = "",
    score: Annotated[str, Form()] = "",
    was: Annotated[str, Form()] = "",
    accept: Annotated[str, Header()] = "",
) -> Response:
    """Save one pair and return its rating now; with `was`, only if nobody else has changed it since."""
    try:
        pair, wanted = (_read_guest("a", a), _read_guest("b", b)), _read_score(score)
        change = PairChange(*pair, wanted)
        if was:
            change = replace(change, expected=None if was == NO_RATING else _read_score(was))
        if conflicts := change_pairs(ctx, [change]):
            return answer_conflicts(conflicts)
        holds = ratings.pair_value(ctx.session, ctx.event_id, *pair) if wanted is None else wanted
    except Invalid as error:
        return JSONResponse({"detail": error.message}, error.status)
    if "application/json" not in accept:
        return redirect(event_address(ctx.event_id, "ratings/all"))
    with reading_once(ctx.session):  # nothing more is written
        return JSONResponse({"score": holds, **count_rated(ctx, pair)})


@router.post("/start-over")
def start_over(ctx: EditorContext, kind: Annotated[str, Form()] = "score") -> Response:
    rate.start_over(ctx, "distance" if kind == "distance" else "score")
    return redirect(event_address(ctx.event_id, "ratings/all?done=start-over"))


def _read_guest(name: str, text: str) -> UUID:
    guest_id = read_id(text)
    if guest_id is None:
        raise Invalid(FieldError(name, f"“{name}” isn't a guest of this event."))
    return guest_id


def _read_score(text: str) -> float | None:
    try:
        return read_decimal(text)
    except ValueError:
        raise Invalid(FieldError("score", "Enter a number.")) from None
