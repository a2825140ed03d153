"""/events/{event}/wishes."""

from __future__ import annotations

import datetime as dt
from typing import Annotated
from uuid import UUID

from fastapi import Response
from pydantic import Field

from app.events.context import ApiEditorContext, EventContext
from app.events.idempotency import OnlyOnce
from app.ratings.api.ratings import Cursor, read_cursor
from app.web import cursors
from app.web.json_api.conditional import Limit
from app.web.json_api.schemas import Answer, Body, Id
from app.web.one_hop import Router
from app.wishes import decide as wishes
from app.wishes.decide import State

router = Router(prefix="/api/v1/events/{event_id}/wishes", tags=["wishes"])


class WishIn(Body):
    """A wish: who would like to sit with whom."""

    guest: Id = Field(description="The id of the guest who made the wish")
    other: Id = Field(description="The id of the guest they would like to sit with")


class WishesIn(Body):
    """Some of the wishes."""

    wishes: Annotated[list[WishIn], Field(max_length=100_000)]


class WishOut(Answer):
    """A wish and its state. Only accepted wishes count in plans."""

    guest: UUID
    other: UUID
    state: State
    created_at: dt.datetime


class WishList(Answer):
    """A page of wishes between guests who may attend."""

    wishes: list[WishOut]
    next: str | None


class Decided(Answer):
    """How many wishes changed, and how many are still waiting."""

    changed: int
    undecided: int


@router.get("")
def list_wishes(ctx: ApiEditorContext, limit: Limit = 100, after: Cursor = None) -> WishList:
    """List wishes."""
    behind = read_cursor(after)
    found = wishes.page_of_wishes(ctx, limit=limit, after=behind)
    cursors.check_pair_cursor(ctx.session, ctx.event_id, behind)
    out = [
        WishOut(guest=wish.guest_id, other=wish.other_id, state=wishes.state_of(wish), created_at=wish.created_at)
        for wish in found
    ]
    return WishList(wishes=out, next=f"{out[-1].guest}_{out[-1].other}" if len(out) == limit else None)


@router.post("/accept", response_model=Decided)
def accept_wishes(ctx: ApiEditorContext, once: OnlyOnce, body: WishesIn) -> Response:
    """Accept wishes: they count in plans."""
    return _decide(ctx, once, body, "accepted")


@router.post("/decline", response_model=Decided)
def decline_wishes(ctx: ApiEditorContext, once: OnlyOnce, body: WishesIn) -> Response:
    """Decline wishes. Guests are not notified."""
    return _decide(ctx, once, body, "declined")


@router.post("/withdraw", response_model=Decided)
def withdraw_wishes(ctx: ApiEditorContext, once: OnlyOnce, body: WishesIn) -> Response:
    """Undo a decision: these wishes wait again."""
    return _decide(ctx, once, body, "undecided")


def _decide(ctx: EventContext, once: OnlyOnce, body: WishesIn, state: State) -> Response:
    decision = wishes.decide(ctx, [(wish.guest, wish.other) for wish in body.wishes], state)
    return once.answer(Decided(changed=decision.count, undecided=wishes.count_undecided(ctx)), status=200)
