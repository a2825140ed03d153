"""/events/{event}/take-over."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Query, Response
from pydantic import Field

from app.events.context import ApiEditorContext
from app.events.idempotency import OnlyOnce
from app.guests.entries import MAX_GUESTS
from app.transfer.take_over.taking import (
    PARTS,
    AlreadyHere,
    Part,
    Rated,
    SameName,
    TakenGuest,
    TakeOver,
    TakeOverWish,
    What,
    preview_take_over,
    take_over,
)
from app.transfer.take_over.undo import undo_take_over
from app.web.json_api.schemas import Answer, Body, Id
from app.web.one_hop import Before, Router
from app.web.tried import Tried, tried

router = Router(prefix="/api/v1/events/{event_id}/take-over", tags=["guests"])


class ChosenValue(Body):
    """A value that guests have, by the keys that `GET …/fields` lists."""

    field: str = Field(max_length=100, description="“group”, “side”, “reply”, “age_group”, “household” or a field's id")
    value: str = Field(max_length=100, description="The id of the group, side, household or option, or “yes”, “child”")


class TakeOverIn(Body):
    """What comes along from another event, and which guests."""

    source: Id = Field(description="The other event; you must be at least an editor there too")
    parts: list[Part] = Field(default=list(PARTS), min_length=1, max_length=20)
    values: list[ChosenValue] = Field(
        default=[],
        max_length=1_000,
        description="Only guests who have one of the values in each field named here; without any, all guests",
    )
    leave_out: list[Id] = Field(default=[], max_length=MAX_GUESTS, description="Guests of the other event to skip")
    keep_replies: bool = Field(default=False, description="Otherwise new guests have not replied yet")
    already_here: AlreadyHere = Field(
        default="keep", description="For guests who are here: keep all, fill in what is empty, or replace what differs"
    )
    same_name: SameName = Field(
        default="add", description="For namesakes in another household: add them, treat them as the same, or skip them"
    )
    rated: Rated = Field(default="keep", description="For pairs that are rated differently here")


class TakenDifference(Answer):
    """What the other event says about a guest, and this one does not."""

    field: str
    here: str
    there: str
    taken: bool


class TakenOver(Answer):
    """A guest of the other event, and what happens to them."""

    source_id: UUID
    id: UUID | None = Field(description="The guest of this event who they are; null for a new one")
    name: str
    what: What
    same_name: bool = Field(description="Somebody in another household has this name here")
    differs: list[TakenDifference]


class TakeOverOut(Answer):
    """What taking over did, or would do."""

    id: UUID | None = Field(description="POST …/take-over/{id}/undo undoes it; null after a dry run")
    done: bool = Field(description="false after a dry run")
    added: int
    changed: int
    kept: int
    skipped: int
    new_groups: list[str]
    new_ratings: int = Field(description="Pairs that are not rated here")
    same_ratings: int
    differing_ratings: int = Field(description="Pairs that are rated differently here; replaced only if you asked")
    new_group_ratings: int
    differing_group_ratings: int
    problems: list[str] = Field(description="What could not come along, and why")
    guests: list[TakenOver] = Field(description="All guests after a dry run; otherwise those who were here already")


def prepare(ctx: ApiEditorContext, body: TakeOverIn) -> Tried[TakeOver]:
    """Look what would happen, before the request begins to write."""
    wish = TakeOverWish(
        source_id=body.source,
        parts=frozenset(body.parts),
        values=tuple((one.field, one.value) for one in body.values),
        left_out=frozenset(body.leave_out),
        keep_replies=body.keep_replies,
        already_here=body.already_here,
        same_name=body.same_name,
        rated=body.rated,
    )
    return tried(lambda: preview_take_over(ctx, wish))


@router.post("", response_model=TakeOverOut)
def take_guests_over(
    once: OnlyOnce,
    ctx: ApiEditorContext,
    body: TakeOverIn,
    prepared: Annotated[Tried[TakeOver], Before(prepare)],
    dry_run: Annotated[bool, Query(description="Preview only: nothing is changed")] = False,
) -> Response:
    """Take guests, groups and ratings over from another event of yours.

    Guests who are here by name and household are not added again. What is entered here stays, unless `already_here`
    or `rated` say otherwise.
    """
    preview = prepared.get()
    if dry_run:
        return once.answer(_answer(preview, None), status=200)
    done = take_over(ctx, preview)
    return once.answer(_answer(preview, done), status=200)


@router.post("/{take_over_id}/undo", status_code=204)
def undo_taking_over(ctx: ApiEditorContext, once: OnlyOnce, take_over_id: UUID) -> Response:
    """Undo taking over, unless one of the guests has changed since. Ratings that were changed since stay."""
    undo_take_over(ctx, take_over_id)
    return once.answer(None, status=204)


def _answer(preview: TakeOver, done: UUID | None) -> TakeOverOut:
    counts, ratings = preview.counts, preview.ratings
    return TakeOverOut(
        id=done,
        done=done is not None,
        added=counts["add"],
        changed=counts["change"],
        kept=counts["keep"],
        skipped=counts["skip"],
        new_groups=list(preview.new_groups),
        new_ratings=ratings.added,
        same_ratings=ratings.same,
        differing_ratings=len(ratings.differing),
        new_group_ratings=len(ratings.new_groups),
        differing_group_ratings=len(ratings.differing_groups),
        problems=preview.problems,
        guests=[_guest(one) for one in preview.guests if done is None or one.what != "add"],
    )


def _guest(one: TakenGuest) -> TakenOver:
    return TakenOver(
        source_id=one.found.there.view.id,
        id=one.here.view.id if one.here else None,
        name=one.found.there.view.name,
        what=one.what,
        same_name=one.found.is_namesake,
        differs=[
            TakenDifference(field=diff.label, here=diff.here, there=diff.there, taken=diff in one.taken)
            for diff in one.differences
        ],
    )
