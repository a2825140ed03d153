"""/events/{event}/wishes."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from app.api.http import Limit
from app.api.ratings import Cursor, read_cursor
from app.api.schemas import Answer, Body
from app.deps import ApiWho, Db
from app.one_hop import Router
from app.services import wishes
from app.services.wishes import Decision, Key

router = Router(prefix="/api/v1/events/{event_id}/wishes", tags=["wishes"])


class WishIn(Body):
    """A wish: who would like to sit with whom."""

    guest: UUID = Field(description="The id of the guest who wishes")
    other: UUID = Field(description="The id of the guest they would like to sit with")


class WishesIn(Body):
    """Some of the wishes."""

    wishes: Annotated[list[WishIn], Field(max_length=100_000)]

    def keys(self) -> list[Key]:
        """Return the wishes as the services take them."""
        return [(wish.guest, wish.other) for wish in self.wishes]


class WishOut(Answer):
    """A wish and what was said to it; only an accepted one counts in plans."""

    guest: UUID
    other: UUID
    state: Literal["undecided", "accepted", "declined"]
    created_at: dt.datetime


class WishList(Answer):
    """A page of wishes between guests who may come."""

    wishes: list[WishOut]
    next: str | None


class Decided(Answer):
    """How many wishes changed, and how many still wait."""

    changed: int
    undecided: int


@router.get("")
def list_wishes(session: Db, actor: ApiWho, event_id: UUID, limit: Limit = 100, after: Cursor = None) -> WishList:
    """List what guests wish for."""
    found = wishes.page_of_wishes(session, actor, event_id, limit=limit, after=read_cursor(after))
    out = [
        WishOut(guest=wish.guest_id, other=wish.other_id, state=wishes.state_of(wish), created_at=wish.created_at)
        for wish in found
    ]
    return WishList(wishes=out, next=f"{out[-1].guest}_{out[-1].other}" if len(out) == limit else None)


@router.post("/accept")
def accept(session: Db, actor: ApiWho, event_id: UUID, body: WishesIn) -> Decided:
    """Let these wishes count in plans."""
    return _answer(session, actor, event_id, wishes.accept(session, actor, event_id, body.keys()))


@router.post("/decline")
def decline(session: Db, actor: ApiWho, event_id: UUID, body: WishesIn) -> Decided:
    """Let these wishes rest; the guests are not told."""
    return _answer(session, actor, event_id, wishes.decline(session, actor, event_id, body.keys()))


@router.post("/withdraw")
def withdraw(session: Db, actor: ApiWho, event_id: UUID, body: WishesIn) -> Decided:
    """Take back what was said to these wishes."""
    return _answer(session, actor, event_id, wishes.withdraw(session, actor, event_id, body.keys()))


def _answer(session: Db, actor: ApiWho, event_id: UUID, decision: Decision) -> Decided:
    return Decided(changed=decision.count, undecided=wishes.count_undecided(session, actor, event_id))
