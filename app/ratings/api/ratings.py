"""/events/{event}/ratings."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Query, Request, Response
from pydantic import Field

from app.errors import FieldError, Invalid
from app.events.cached_lists import NOT_MODIFIED, answer_list
from app.events.context import ApiEditorContext, EventContext
from app.events.list_etags import MatchOfList, set_version
from app.ratings import change as rate
from app.ratings import known as ratings
from app.ratings.change import Entry
from app.web import cursors
from app.web.json_api.conditional import Limit
from app.web.json_api.schemas import Answer, Body, Id
from app.web.one_hop import Before, Router
from app.web.tried import Tried, tried

router = Router(prefix="/api/v1/events/{event_id}/ratings", tags=["ratings"])

Cursor = Annotated[str | None, Query(description="`next` from the previous page", max_length=100)]
BOTH_DIRECTIONS = "A pair may be listed once in each direction, with different scores: its rating is their average"
SCORE = "Any number from −2 (keep away) to 2 (close); 0 or more if the event uses distances"


class PairIn(Body):
    """Two guests, in this direction. If both directions are rated, the average is used."""

    a: Id = Field(description="The id of a guest")
    b: Id = Field(description="The id of another guest")


class RatingIn(PairIn):
    """How one guest (`a`) gets along with another (`b`). If both directions are rated, the average is used."""

    score: float = Field(description=SCORE)


class RatingPatch(PairIn):
    """A rating of `b` by `a` to add or change; null removes it. If both directions are rated, the average is used."""

    score: float | None = Field(description=f"{SCORE}; null removes the ratings of the pair in both directions")


class RatingsIn(Body):
    """All ratings of the event."""

    ratings: list[RatingIn] = Field(description=BOTH_DIRECTIONS)


class RatingsPatch(Body):
    """The ratings to change."""

    ratings: list[RatingPatch] = Field(description=BOTH_DIRECTIONS)


class RatingOut(Answer):
    """A single rating."""

    a: UUID
    b: UUID
    score: float


class RatingList(Answer):
    """A page of single ratings."""

    ratings: list[RatingOut]
    next: str | None


class RatingCount(Answer):
    """How many pairs are rated now, by single ratings or an uploaded matrix, and how many pairs there are.

    Pairs with a guest who is not attending are not counted. Their ratings are kept.
    """

    rated: int
    pairs: int


@router.get("", response_model=RatingList, responses=NOT_MODIFIED)
def list_ratings(request: Request, ctx: ApiEditorContext, limit: Limit = 100, after: Cursor = None) -> Response:
    """List single ratings. `/ratings/matrix` combines them with an uploaded matrix."""
    behind = read_cursor(after)

    def build() -> RatingList:
        found = ratings.list_ratings(ctx, limit=limit, after=behind)
        cursors.check_pair_cursor(ctx.session, ctx.event_id, behind)
        out = [RatingOut(a=a, b=b, score=score) for a, b, score in found]
        return RatingList(ratings=out, next=f"{out[-1].a}_{out[-1].b}" if len(out) == limit else None)

    return answer_list(request, ctx, "ratings", build)


def check_new(ctx: ApiEditorContext, body: RatingsIn) -> Tried[int | None]:
    """Check the ratings before the request begins to write."""
    return tried(lambda: rate.check_ratings(ctx, _entries(body), replacing=True))


def check_changes(ctx: ApiEditorContext, body: RatingsPatch) -> Tried[int | None]:
    """Check the ratings before the request begins to write."""
    return tried(lambda: rate.check_ratings(ctx, _entries(body)))


@router.put("")
def put_ratings(
    ctx: ApiEditorContext,
    match: MatchOfList,
    body: RatingsIn,
    checked: Annotated[Tried[int | None], Before(check_new)],
    response: Response,
) -> RatingCount:
    """Replace all ratings, including an uploaded matrix."""
    match.hold(ctx, "ratings")
    rate.put_ratings(ctx, _entries(body), checked.get())
    return _count(ctx, response)


@router.patch("")
def patch_ratings(
    ctx: ApiEditorContext,
    body: RatingsPatch,
    checked: Annotated[Tried[int | None], Before(check_changes)],
    response: Response,
) -> RatingCount:
    """Add, change or delete these ratings. The others stay. A single rating overrides an uploaded matrix."""
    rate.patch_ratings(ctx, _entries(body), checked.get(), both_removed=True)
    return _count(ctx, response)


def _entries(body: RatingsIn | RatingsPatch) -> list[Entry]:
    return [Entry(r.a, r.b, r.score) for r in body.ratings]


def _count(ctx: EventContext, response: Response) -> RatingCount:
    set_version(response, ctx.session, ctx.event_id, "ratings")
    rated, pairs = ratings.count_known(ctx)
    return RatingCount(rated=rated, pairs=pairs)


def read_cursor(text: str | None) -> tuple[UUID, UUID] | None:
    """Read the `next` of a page of pairs."""
    if text is None:
        return None
    try:
        a, b = text.split("_")
        return UUID(a), UUID(b)
    except ValueError:
        raise Invalid(FieldError("after", "This is not a valid “next” value.")) from None
