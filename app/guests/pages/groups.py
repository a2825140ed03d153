"""The groups of an event, and the page of one group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Form, Request, Response
from pydantic import BaseModel, Field

from app.db.models import Event
from app.errors import FieldError, Invalid
from app.events.context import EditorContext, EventContext, ViewerContext
from app.guests import edit as guests
from app.guests import groups
from app.guests.groups import GroupEntry, GroupUses, GroupView
from app.guests.guest_view import GuestView
from app.guests.party_and_group_names import COLOURS
from app.guests.views.guest_list import Message
from app.web.deps import LongFormRoute, guard_form
from app.web.html.forms import check_version, top_fields
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}/groups", dependencies=[Depends(guard_form)], route_class=LongFormRoute)


class GroupForm(BaseModel):
    """A group as entered: its name and the guests that are ticked."""

    name: str = ""
    guest: list[UUID] = Field(default_factory=list)
    colour: str = ""
    version: int | None = None

    @property
    def ticked(self) -> frozenset[UUID]:
        """The guests that are ticked, to ask for each guest of a long list."""
        return frozenset(self.guest)


@dataclass(frozen=True)
class GroupsPage:
    """All groups, and the form for a new one."""

    event: Event
    groups: Sequence[GroupView]
    names: dict[UUID, str]
    may_edit: bool
    group_names: dict[UUID, str] = field(default_factory=dict)
    form: GroupForm = field(default_factory=GroupForm)
    faults: Sequence[FieldError] = field(default_factory=tuple)
    message: Message | None = None
    section: str = "guests"


@dataclass(frozen=True)
class GroupPage:
    """One group, with everybody who may be in it."""

    event: Event
    group: GroupView
    guests: Sequence[GuestView]
    form: GroupForm
    uses: GroupUses
    faults: Sequence[FieldError] = field(default_factory=tuple)
    colours: Sequence[str] = COLOURS
    section: str = "guests"


@router.get("")
def list_groups(request: Request, ctx: ViewerContext, removed: UUID | None = None) -> Response:
    """Show the groups and the form for a new one; for a group that was just deleted, offer to undo it."""
    return _list_page(request, ctx, GroupForm(), removed=removed if ctx.allows("editor") else None)


@router.post("")
def add_group(request: Request, ctx: EditorContext, form: Annotated[GroupForm, Form()]) -> Response:
    """Make a group and go on with who is in it."""
    try:
        group = groups.add_group(ctx, GroupEntry(form.name))
    except Invalid as error:
        return _list_page(request, ctx, form, error.faults)
    return redirect(event_address(ctx.event_id, f"groups/{group.id}"))


@router.get("/{group_id}")
def show_group(request: Request, ctx: EditorContext, group_id: UUID) -> Response:
    group = groups.show_group(ctx, group_id)
    form = GroupForm(name=group.name, guest=list(group.guest_ids), colour=group.colour, version=group.version)
    return _group_page(request, ctx, group, form)


@router.post("/{group_id}")
def change_group(request: Request, ctx: EditorContext, group_id: UUID, form: Annotated[GroupForm, Form()]) -> Response:
    group = groups.show_group(ctx, group_id)
    try:
        check_version(form.version, group.version)
        entry = GroupEntry(form.name, guest_ids=form.guest, colour=form.colour or None)
        groups.change_group(ctx, group_id, entry)
    except Invalid as error:
        present = form.model_copy(update={"version": group.version})
        return _group_page(request, ctx, group, present, top_fields(error.faults))
    return redirect(event_address(ctx.event_id, f"groups#group-{group_id}"))


@router.post("/{group_id}/delete")
def delete_group(ctx: EditorContext, group_id: UUID) -> Response:
    """Delete a group, not its guests; the form has asked before."""
    return redirect(event_address(ctx.event_id, f"groups?removed={groups.delete_group(ctx, group_id)}"))


@router.post("/undo/{import_id}")
def restore_group(request: Request, ctx: EditorContext, import_id: UUID) -> Response:
    """Bring a deleted group back."""
    try:
        with ctx.session.begin_nested():
            groups.restore_group(ctx, import_id)
    except Invalid as error:
        return _list_page(request, ctx, GroupForm(), error.faults, removed=import_id)
    return redirect(event_address(ctx.event_id, "groups"))


def _list_page(
    request: Request,
    ctx: EventContext,
    form: GroupForm,
    faults: Sequence[FieldError] = (),
    *,
    removed: UUID | None = None,
) -> Response:
    names = {guest.id: guest.name for guest in guests.list_named(ctx)}
    message = None
    if removed and (gone := groups.deleted_before(ctx, removed)):
        text = f"{gone[0]} deleted. {gone[1].text}".strip()
        message = Message(text, event_address(ctx.event_id, f"groups/undo/{removed}"))
    found, may_edit = groups.list_groups(ctx), ctx.allows("editor")
    group_names = {group.id: group.name for group in found}
    page = GroupsPage(ctx.event, found, names, may_edit, group_names, form, faults, message)
    return render(request, "guests/groups.html", page, 422 if faults else 200)


def _group_page(
    request: Request, ctx: EventContext, group: GroupView, form: GroupForm, faults: Sequence[FieldError] = ()
) -> Response:
    page = GroupPage(ctx.event, group, guests.list_guests(ctx), form, groups.depending_on(ctx, group.id), faults)
    return render(request, "guests/group.html", page, 422 if faults else 200)
