"""Groups: guests who have something in common."""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from sqlalchemy import update
from sqlalchemy.orm import Session

from app.db.models import Group, GroupRating, Table
from app.errors import Conflict, FieldError, Invalid, NotFound
from app.events.context import EventContext
from app.guests.entries import write_memberships
from app.guests.entry_checks import clean_group_name
from app.guests.imports.undo import keep_undo
from app.guests.party_and_group_names import MAX_GROUPS, TooManyGroups, clean_colour, free_colours
from app.guests.queries import groups as queries
from app.guests.queries import guests as guest_queries
from app.guests.shared_values import GROUP
from app.sentences import count, list_in_words
from app.web.bulk import MAX_FAULTS, check_list
from app.web.names import name_key, taken_already, tidy_name
from app.web.unset import UNSET, Unset

ERASED = "erased"
"""In place of the words about a deleted group: why it cannot be brought back after the erasure of guests."""


@dataclass(frozen=True)
class GroupEntry:
    """A group as entered; guests and a colour left out (None) stay as they are stored.

    `circle_of` left out (UNSET) stays, too: a circle stays one whatever else of it is changed.
    """

    name: str
    id: UUID | None = None
    guest_ids: Sequence[UUID] | None = None
    colour: str | None = None
    circle_of: UUID | Unset | None = UNSET


@dataclass(frozen=True)
class GroupView:
    """A group with its present guests, in their order."""

    id: UUID
    name: str
    guest_ids: tuple[UUID, ...]
    version: int
    colour: str = ""
    circle_of: UUID | None = None


@dataclass(frozen=True)
class GroupUses:
    """How many rules and ratings are about a group, and how many tables are reserved for it."""

    rules: int
    ratings: int
    tables: int

    @property
    def text(self) -> str:
        """What no longer counts without the group, as a sentence; empty if nothing."""
        parts = [
            *([f"{count(self.rules, 'rule')} about it"] if self.rules else []),
            *([count(self.ratings, "rating of groups", "ratings of groups")] if self.ratings else []),
            *([f"the reservation of {count(self.tables, 'table')}"] if self.tables else []),
        ]
        is_one = (self.rules, self.ratings, self.tables) in ((1, 0, 0), (0, 1, 0)) or (self.tables and len(parts) == 1)
        words = list_in_words(parts)
        return f"{words[0].upper()}{words[1:]} no longer {'counts' if is_one else 'count'}." if parts else ""


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
    _set_circle(ctx, group, checked)
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
    _set_circle(ctx, group, checked)
    ctx.session.flush()
    return _write_members(ctx.session, ctx.event_id, [(group, checked)])[0]


def depending_on(ctx: EventContext, group_id: UUID) -> GroupUses:
    """Return what is about a group and goes when it is deleted."""
    group = _group(ctx.session, ctx.event_id, group_id)
    return GroupUses(
        rules=queries.count_rules(ctx.session, ctx.event_id, GROUP, group.id),
        ratings=sum(group.id in pair[:2] for pair in queries.group_ratings_of(ctx.session, ctx.event_id)),
        tables=len(queries.tables_reserved_for(ctx.session, ctx.event_id, group.id)),
    )


def delete_group(ctx: EventContext, group_id: UUID) -> UUID:
    """Delete a group, not its guests, and return the id that undoes it."""
    ctx.edit()
    group = _group(ctx.session, ctx.event_id, group_id)
    uses = depending_on(ctx, group_id)
    undo = {
        "id": str(group.id),
        "colour": group.colour,
        "circle_of": str(group.circle_of) if group.circle_of else None,
        "guests": [str(guest) for one, guest in queries.memberships(ctx.session, ctx.event_id) if one == group.id],
        "ratings": [[str(a), str(b), score] for a, b, score in queries.ratings_with(ctx.session, group.id)],
        "tables": [str(table.id) for table in queries.tables_reserved_for(ctx.session, ctx.event_id, group.id)],
    }
    ctx.session.delete(group)
    return keep_undo(ctx, _packed(undo), {"group": group.name, **vars(uses)})


def undo_without_guests(packed: bytes, gone: Collection[str]) -> bytes | None:
    """Return what brings a deleted group back, without guests who were erased; None if it had no others."""
    undo = json.loads(zlib.decompress(packed))
    left = [guest for guest in undo["guests"] if guest not in gone]
    return _packed(undo | {"guests": left}) if left or not undo["guests"] else None


def _packed(undo: dict[str, Any]) -> bytes:
    return zlib.compress(json.dumps(undo).encode(), 1)


def deleted_before(ctx: EventContext, undo_id: UUID) -> tuple[str, GroupUses] | None:
    """Return the name of a deleted group that can be brought back, and what was about it; else None."""
    stored = guest_queries.import_of(ctx.session, ctx.event_id, undo_id)
    if stored is None or stored.undo is None or "group" not in stored.columns:
        return None
    uses = {name: stored.columns[name] for name in ("rules", "ratings", "tables")}
    return stored.columns["group"], GroupUses(**uses)


def restore_group(ctx: EventContext, undo_id: UUID) -> str:
    """Bring a deleted group back with its guests, ratings and tables, and return its name.

    It has its former id again, so the rules about it count again too.
    """
    ctx.edit()
    stored = guest_queries.import_of(ctx.session, ctx.event_id, undo_id)
    if stored is not None and ERASED in stored.columns:
        raise Conflict(f"This group can no longer be brought back: {stored.columns[ERASED]}.")
    if stored is None or "group" not in stored.columns:
        raise NotFound("Group not found in this event.")
    name = str(stored.columns["group"])
    if stored.undo is None:  # it is back already
        return name
    groups = queries.groups_of(ctx.session, ctx.event_id)
    _refuse_too_many(len(groups) + 1)
    _refuse_namesake(name, groups)
    was = json.loads(zlib.decompress(stored.undo))
    group = Group(id=UUID(was["id"]), event_id=ctx.event_id, name=name, name_key=name_key(name), colour=was["colour"])
    group.circle_of = UUID(was["circle_of"]) if was.get("circle_of") else None
    ctx.session.add(group)
    ctx.session.flush()
    known = {guest.id for guest in guest_queries.guests_of(ctx.session, ctx.event_id, with_removed=True)}
    members = {(group.id, guest) for guest in map(UUID, was["guests"]) if guest in known}
    write_memberships(ctx.session, set(), members)
    pairs = [(UUID(a), UUID(b), score) for a, b, score in was["ratings"]]
    present = {one.id for one in groups} | {group.id}
    ctx.session.add_all(
        GroupRating(event_id=ctx.event_id, group_a=a, group_b=b, score=score)
        for a, b, score in pairs
        if {a, b} <= present
    )
    is_free = (Table.event_id == ctx.event_id, Table.id.in_([*map(UUID, was["tables"])]), Table.reserved_for.is_(None))
    ctx.session.execute(update(Table).where(*is_free).values(reserved_for=group.id))
    stored.status, stored.undo = "undone", None
    ctx.session.flush()
    return name


def replace_groups(ctx: EventContext, entries: Sequence[GroupEntry]) -> list[GroupView]:
    """Make these the event's groups; one whose id or name is among them stays, the others are deleted."""
    ctx.edit()
    _refuse_too_many(len(entries), "groups")
    stored = queries.groups_of(ctx.session, ctx.event_id)
    matched = check_list("groups", entries, lambda entry, where, _: _checked(entry, where), stored, lambda _: True)
    checked, meant = [entry for entry, _ in matched], [group for _, group in matched]
    _refuse_unknown(ctx.session, ctx.event_id, {f"groups/{number}/": entry for number, entry in enumerate(checked)})
    kept = {group.id for group in meant if group is not None}
    for group in stored:
        if group.id not in kept:
            ctx.session.delete(group)
        else:
            group.name_key = f"\n{group.id}"  # out of the way, so that two groups can swap their names
    ctx.session.flush()
    groups = [group or Group(event_id=ctx.event_id) for group in meant]
    colours = iter(free_colours(ctx.session, ctx.event_id, len(groups)))
    for group, entry in zip(groups, checked, strict=True):
        group.name, group.name_key = entry.name, name_key(entry.name)
        group.colour = entry.colour or group.colour or next(colours)
    ctx.session.add_all(groups)
    ctx.session.flush()
    return _write_members(ctx.session, ctx.event_id, list(zip(groups, checked, strict=True)))


def mark_circles(ctx: EventContext, named: Sequence[tuple[str, str]]) -> None:
    """Make groups circles: the name of each imported group, whose id is new, with that of its larger group or none."""
    by_name = {group.name_key: group for group in queries.groups_of(ctx.session, ctx.event_id)}
    keys = [(name_key(tidy_name(name)), name_key(tidy_name(larger))) for name, larger in named]
    circles = {key for key, larger in keys if larger}
    faults = []
    for number, (key, larger) in enumerate(keys):
        if larger and larger not in by_name:
            faults.append(FieldError(f"groups/{number}/circle_of", "No group has this name."))
        elif larger and larger == key:
            faults.append(FieldError(f"groups/{number}/circle_of", "A group can't be a circle of itself."))
        elif larger and larger in circles:
            faults.append(FieldError(f"groups/{number}/circle_of", "The larger group is a circle itself."))
        elif larger:
            by_name[key].circle_of = by_name[larger].id
    if faults:
        raise Invalid(faults[:MAX_FAULTS])


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


def _set_circle(ctx: EventContext, group: Group, entry: GroupEntry) -> None:
    """Make a group a circle within a larger one, or (with None) an ordinary one; left out, it stays what it is."""
    if isinstance(entry.circle_of, Unset):
        return
    if entry.circle_of is not None:
        _refuse_circle(ctx, group, entry.circle_of, entry.guest_ids)
    group.circle_of = entry.circle_of


def _refuse_circle(ctx: EventContext, group: Group, larger: UUID, given: Sequence[UUID] | None) -> None:
    circles = queries.circles_of(ctx.session, ctx.event_id)
    if larger == group.id or queries.group_of(ctx.session, ctx.event_id, larger) is None:
        raise Invalid(FieldError("circle_of", "No other group of this event has this id."))
    if larger in circles:
        raise Invalid(FieldError("circle_of", "The larger group is a circle itself."))
    if group.id in circles.values():
        raise Invalid(FieldError("circle_of", "This group has circles, so it can't be one."))
    members = queries.members_of(ctx.session, ctx.event_id, [one for one in (larger, group.id) if one])
    theirs = set(members[larger])
    if given is not None:
        text = "This guest isn't in the larger group."
        faults = [FieldError(f"guests/{number}", text) for number, one in enumerate(given) if one not in theirs]
        if faults:
            raise Invalid(faults[:MAX_FAULTS])
    elif others := len(set(members.get(group.id, ())) - theirs):
        text = f"{count(others, 'guest')} of this group {'is' if others == 1 else 'are'} not in the larger group."
        raise Invalid(FieldError("circle_of", text))


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
    circles = queries.circles_of(session, event_id)
    return [
        GroupView(group.id, group.name, tuple(members[group.id]), group.version, group.colour, circles.get(group.id))
        for group in groups
    ]


def _group(session: Session, event_id: UUID, group_id: UUID) -> Group:
    group = queries.group_of(session, event_id, group_id)
    if group is None:
        raise NotFound("Group not found in this event.")
    return group
