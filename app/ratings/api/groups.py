"""/events/{event}/groups/ratings."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Response
from pydantic import Field

from app.events.context import ApiEditorContext
from app.events.list_etags import MatchOfList, set_version
from app.ratings import group_defaults as group_ratings
from app.ratings.group_defaults import GroupPair
from app.web.json_api.schemas import Answer, Body, Id
from app.web.one_hop import Router

router = Router(prefix="/api/v1/events/{event_id}/groups/ratings", tags=["groups"])
MOST_CELLS = 100_000


class GroupRatingIn(Body):
    """How the guests of two groups get along by default. Use the same group twice for guests within one group."""

    a: Id = Field(description="The id of a group")
    b: Id = Field(description="The id of another group, or the same group")
    score: Annotated[float, Field(ge=-2, le=2, description="From −2 (keep away) to 2 (close)")]


class GroupRatingsIn(Body):
    """The whole grid; pairs of groups you leave out are not rated."""

    ratings: Annotated[list[GroupRatingIn], Field(max_length=MOST_CELLS)]


class GroupRatingOut(Answer):
    """How two groups get along by default."""

    a: UUID
    b: UUID
    score: float


class GroupRatingList(Answer):
    """The whole grid; each pair of groups once."""

    ratings: list[GroupRatingOut]


@router.get("")
def list_group_ratings(ctx: ApiEditorContext, response: Response) -> GroupRatingList:
    """List group ratings: the default for pairs of guests without a rating, wish or household of their own.

    Once ten pairs are rated, estimates start from these.
    """
    set_version(response, ctx.session, ctx.event_id, "group_ratings")
    found = group_ratings.list_group_ratings(ctx)
    return GroupRatingList(ratings=[GroupRatingOut.model_validate(pair) for pair in found])


@router.put("")
def put_group_ratings(
    ctx: ApiEditorContext, match: MatchOfList, body: GroupRatingsIn, response: Response
) -> GroupRatingList:
    """Replace all group ratings. If a guest is in several groups, the strongest rating counts."""
    match.hold(ctx, "group_ratings")
    pairs = [GroupPair(pair.a, pair.b, pair.score) for pair in body.ratings]
    group_ratings.put_group_ratings(ctx, pairs)
    return list_group_ratings(ctx, response)
