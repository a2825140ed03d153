"""Groups: guests who have something in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from sqlalchemy.orm import Session

from app.db.models import Group
from app.errors import FieldError, Invalid, NotFound
from app.events.context import EventContext
from app.guests.entries import write_memberships
from app.guests.entry_checks import clean_group_name
from app.guests.party_and_group_names import MAX_GROUPS, TooManyGroups, clean_colour, free_colours
from app.guests.queries import groups as queries
from app.guests.queries import guests as guest_queries
from app.web.bulk import check_each, match_stored
from app.web.names import name_key, taken_already


@dataclass(frozen=True)
class GroupEntry:
    """A group as entered; guests and a colour left out (None) stay as they are stored."""

    name: str
    id: UUID | None = None
    guest_ids: Sequence[UUID] | None = None
    colour: str | None = None


@dataclass(frozen=True)
class GroupView:
    """A group with its present guests, in their order."""

    id: UUID
    name: str
    guest_ids: tuple[UUID, ...]
    version: int
    colour: str = ""


def list_groups(ctx: EventContext, *, limit: int | None = None, after: UUID | None = None) -> list[GroupView]:
    """Return the groups in the order in which they were made."""
    return _views(ctx.session, ctx.event_id, queries.groups_of(ctx.session, ctx.event_id, limit=limit, after=after))


def show_group(ctx: EventContext, group_id: UUID) -> GroupView:
    return _views(ctx.session, ctx.event_id, [_group(ctx.session, ctx.event_id, group_id)])[0]


def add_group(ctx: EventContext, entry: GroupEntry) -> GroupView:
    ctx.edit()
    checked = _checked(entry)
    stored = queries.groups_of(ctx.session, ctx.event_id)
    _refuse_too_many(len(stored) + 1)
    _refuse_namesake(checked.name, stored)
    _refuse_unknown(ctx.session, ctx.event_id, {"": checked})
    colour = checked.colour or free_colours(ctx.session, ctx.event_id, 1)[0]
    group = Group(event_id=ctx.event_id, name=checked.name, name_key=name_key(checked.name), colour=colour)
    ctx.session.add(group)
    ctx.session.flush()
    return _write_members(ctx.session, ctx.event_id, [(group, checked)])[0]


def change_group(ctx: EventContext, group_id: UUID, entry: GroupEntry) -> GroupView:
    """Update a group's name or guests."""
    ctx.edit()
    group = _group(ctx.session, ctx.event_id, group_id)
    checked = _checked(entry)
    _refuse_namesake(
        checked.name, [other for other in queries.groups_of(ctx.session, ctx.event_id) if other is not group]
    )
    _refuse_unknown(ctx.session, ctx.event_id, {"": checked})
    group.name, group.name_key = checked.name, name_key(checked.name)
    group.colour = checked.colour or group.colour
    ctx.session.flush()
    return _write_members(ctx.session, ctx.event_id, [(group, checked)])[0]


def delete_group(ctx: EventContext, group_id: UUID) -> str:
    """Delete a group, not its guests, and return its name."""
    ctx.edit()
    group = _group(ctx.session, ctx.event_id, group_id)
    ctx.session.delete(group)
    ctx.session.flush()
    return group.name


def replace_groups(ctx: EventContext, entries: Sequence[GroupEntry]) -> list[GroupView]:
    """Make these the event's groups; one whose id or name is among them stays, the others are deleted."""
    ctx.edit()
    _refuse_too_many(len(entries), "groups")
    checked = check_each("groups", entries, _checked)
    _refuse_unknown(ctx.session, ctx.event_id, {f"groups/{number}/": entry for number, entry in enumerate(checked)})
    stored = queries.groups_of(ctx.session, ctx.event_id)
    matched = match_stored("groups", checked, stored, lambda _: True)
    kept = {group.id for group in matched if group is not None}
    for group in stored:
        if group.id not in kept:
            ctx.session.delete(group)
        else:
            group.name_key = f"\n{group.id}"  # out of the way, so that two groups can swap their names
    ctx.session.flush()
    groups = [group or Group(event_id=ctx.event_id) for group in matched]
    colours = iter(free_colours(ctx.session, ctx.event_id, len(groups)))
    for group, entry in zip(groups, checked, strict=True):
        group.name, group.name_key = entry.name, name_key(entry.name)
        group.colour = entry.colour or group.colour or next(colours)
    ctx.session.add_all(groups)
    ctx.session.flush()
    return _write_members(ctx.session, ctx.event_id, list(zip(groups, checked, strict=True)))


def _checked(entry: GroupEntry, where: str = "") -> GroupEntry:
    colour = None if entry.colour is None else clean_colour(entry.colour, f"{where}colour")
    return replace(entry, name=clean_group_name(entry.name, f"{where}name"), colour=colour)


def _refuse_namesake(name: str, others: Sequence[Group]) -> None:
    for group in others:
        if group.name_key == name_key(name):
            raise Invalid(FieldError("name", taken_already("group", name, group.name)))


def _refuse_unknown(session: Session, event_id: UUID, entries: dict[str, GroupEntry]) -> None:
    present = guest_queries.guest_ids_of(session, event_id)
    faults = [
        FieldError(f"{where}guests/{number}", "Guest not found in this event.")
        for where, entry in entries.items()
        for number, guest_id in enumerate(entry.guest_ids or ())
        if guest_id not in present
    ]
    if faults:
        raise Invalid(faults[:100])


def _refuse_too_many(count: int, where: str = "name") -> None:
    if count > MAX_GROUPS:
        raise TooManyGroups(count, where)


def _write_members(session: Session, event_id: UUID, written: Sequence[tuple[Group, GroupEntry]]) -> list[GroupView]:
    given = [(group, entry.guest_ids) for group, entry in written if entry.guest_ids is not None]
    members = queries.members_of(session, event_id, [group.id for group, _ in given])
    before = {(group_id, guest_id) for group_id, guests in members.items() for guest_id in guests}
    after = {(group.id, guest_id) for group, guests in given for guest_id in guests}
    write_memberships(session, before, after)
    return _views(session, event_id, [group for group, _ in written])


def _views(session: Session, event_id: UUID, groups: Sequence[Group]) -> list[GroupView]:
    members = queries.members_of(session, event_id, [group.id for group in groups])
    return [GroupView(group.id, group.name, tuple(members[group.id]), group.version, group.colour) for group in groups]


def _group(session: Session, event_id: UUID, group_id: UUID) -> Group:
    group = queries.group_of(session, event_id, group_id)
    if group is None:
        raise NotFound("Group not found in this event.")
    return group
