"""/events/{event}/groups."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated
from uuid import UUID

from fastapi import Response
from pydantic import MISSING, Field

from app.db.models import Group
from app.events.context import ApiEditorContext, ApiViewerContext, EventContext
from app.events.idempotency import OnlyOnce
from app.events.list_etags import MatchOfList, set_version
from app.guests import groups
from app.guests.entries import MAX_GUESTS
from app.guests.groups import GroupEntry, GroupView
from app.guests.party_and_group_names import MAX_GROUPS, Colour
from app.web import cursors
from app.web.json_api.conditional import After, Limit, Match, etag
from app.web.json_api.schemas import Answer, Body, Id, given
from app.web.one_hop import Router

router = Router(prefix="/api/v1/events/{event_id}/groups", tags=["groups"])
Members = Annotated[list[Id], Field(max_length=MAX_GUESTS, description="Guest ids")]


COLOUR = "If left out, the least used colour is chosen"
CIRCLE_OF = "The larger group, if this is a circle of close guests within it; always null for viewers"
LARGER = "The id of the larger group within which this is a circle; its guests must be in that group"


class GroupIn(Body):
    """A new group."""

    name: str
    guests: Members = Field(default_factory=list)
    colour: Colour | None = Field(default=None, description=COLOUR)
    circle_of: Id | None = Field(default=None, description=LARGER)


class GroupPatch(Body):
    """What to change about a group."""

    name: str | MISSING = MISSING
    guests: Members | MISSING | None = Field(default=MISSING, description="Guest ids; null means none")
    colour: Colour | MISSING = MISSING
    circle_of: Id | MISSING | None = Field(default=MISSING, description=f"{LARGER}; null makes it an ordinary group")


class GroupOfList(Body):
    """A group in the full list. For an existing group, leave out guests to keep them."""

    name: str
    id: Id | None = Field(default=None, description="The id of an existing group, needed to rename it")
    guests: Members | MISSING | None = Field(default=MISSING, description="Guest ids; null means none")
    colour: Colour | None = Field(default=None, description=COLOUR)


class GroupListIn(Body):
    """All groups of the event."""

    groups: Annotated[list[GroupOfList], Field(max_length=MAX_GROUPS)]


class GroupOut(Answer):
    """A group."""

    id: UUID
    name: str
    guests: list[UUID] = Field(validation_alias="guest_ids")
    colour: str
    circle_of: UUID | None = Field(description=CIRCLE_OF)


class GroupList(Answer):
    """A page of groups, in the order they were created."""

    groups: list[GroupOut]
    next: UUID | None


def _out(ctx: EventContext, group: GroupView) -> GroupOut:
    """Return a group as the account may see it: circles say who is close to whom, as ratings do."""
    return GroupOut.model_validate(group if ctx.allows("editor") else replace(group, circle_of=None))


def _members(sent: list[UUID] | MISSING | None) -> list[UUID] | None:
    """Return the guests as the services take them: None for those that were left out, nobody for null."""
    return None if sent is MISSING else sent or []


@router.get("")
def list_groups(ctx: ApiViewerContext, response: Response, limit: Limit = 100, after: After = None) -> GroupList:
    """List the groups."""
    set_version(response, ctx.session, ctx.event_id, "groups")
    found = groups.list_groups(ctx, limit=limit, after=after)
    cursors.check_cursor(ctx.session, Group, ctx.event_id, after)
    full = len(found) == limit
    return GroupList(groups=[_out(ctx, group) for group in found], next=found[-1].id if full else None)


@router.post("", status_code=201, response_model=GroupOut)
def add_group(ctx: ApiEditorContext, once: OnlyOnce, body: GroupIn) -> Response:
    """Create a group, or a circle of close guests within one.

    The guests of a circle count as close once `PUT /groups/ratings` rates it, with the circle as both groups.
    """
    entry = GroupEntry(body.name, guest_ids=body.guests, colour=body.colour, circle_of=body.circle_of)
    group = groups.add_group(ctx, entry)
    location = f"/api/v1/events/{ctx.event_id}/groups/{group.id}"
    return once.answer(_out(ctx, group), location=location, version=etag(group))


@router.put("")
def replace_groups(ctx: ApiEditorContext, match: MatchOfList, body: GroupListIn, response: Response) -> GroupList:
    """Replace all groups in one transaction. Groups whose id or name is listed are kept; the others are deleted.

    Rules and ratings about a deleted group and reservations of tables for it no longer count.
    """
    match.hold(ctx, "groups")
    entries = [GroupEntry(group.name, group.id, _members(group.guests), group.colour) for group in body.groups]
    found = groups.replace_groups(ctx, entries)
    set_version(response, ctx.session, ctx.event_id, "groups")
    return GroupList(groups=[_out(ctx, group) for group in found], next=None)


@router.get("/{group_id}")
def show_group(ctx: ApiViewerContext, group_id: UUID, response: Response) -> GroupOut:
    """Retrieve a group."""
    group = groups.show_group(ctx, group_id)
    response.headers["ETag"] = etag(group)
    return _out(ctx, group)


@router.patch("/{group_id}")
def change_group(ctx: ApiEditorContext, group_id: UUID, match: Match, body: GroupPatch, response: Response) -> GroupOut:
    """Update a group's name, guests, colour or larger group."""
    before = groups.show_group(ctx, group_id)
    match.check(before)
    name = before.name if body.name is MISSING else body.name
    colour = None if body.colour is MISSING else body.colour
    entry = GroupEntry(name, guest_ids=_members(body.guests), colour=colour, circle_of=given(body.circle_of))
    group = groups.change_group(ctx, group_id, entry)
    response.headers["ETag"] = etag(group)
    return _out(ctx, group)


@router.delete("/{group_id}", status_code=204)
def delete_group(ctx: ApiEditorContext, group_id: UUID, match: Match) -> None:
    """Delete a group. Its guests stay; rules and ratings about it and reservations of tables for it no longer count."""
    match.check(groups.show_group(ctx, group_id))
    groups.delete_group(ctx, group_id)
