"""Changes of several guests at once: each is one step, and one undo takes it back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Literal
from uuid import UUID

from app.audit.actions import Action
from app.clock import now
from app.db.models import Guest
from app.errors import FieldError, Invalid, NotFound
from app.events.context import EventContext
from app.guests.columns import column_called, columns_of
from app.guests.edit import follow_parts, refuse_too_many
from app.guests.entries import GuestEntry, first_in_group, write_entries
from app.guests.entry_checks import check_entry, clean_group_name
from app.guests.guest_view import GuestView, describe
from app.guests.imports.undo import keep_undo, remember, touched_before
from app.guests.known_fields import KnownFields
from app.guests.name_order import last_name_first
from app.guests.party_and_group_names import TooManyGroups
from app.guests.queries import guests as queries
from app.web.bulk import check_each, match_stored
from app.web.names import clean_name, name_key, taken_already

NAMES = ("name", "first_name", "last_name", "public_name")
OFFERED_FOR = timedelta(days=1)
"""How long the page of the guests offers to undo the last change of several of them."""
Did = Literal["changed", "set", "joined", "left", "household", "apart", "removed"]


@dataclass(frozen=True)
class Done:
    """What was done to how many guests, and what takes it back; None where nothing had to be changed."""

    did: Did
    count: int = 0
    subject: str = ""
    """The group, the household, or the label of the column."""
    value: str = ""
    undo: UUID | None = None


def change_guests(ctx: EventContext, entries: Sequence[GuestEntry]) -> Done:
    """Change stored guests, each found by its id; what an entry leaves out stays."""
    known = KnownFields.of(ctx.session, ctx.event_id)
    checked = check_each("guests", entries, lambda entry, where: check_entry(entry, where, known))
    ctx.edit()
    stored = queries.guests_of(ctx.session, ctx.event_id)
    found = [guest for guest in match_stored("guests", checked, stored, lambda _: True) if guest is not None]
    written = [(guest, follow_parts(guest, entry)) for guest, entry in zip(found, checked, strict=True)]
    faults = shared_names(stored, written)
    if faults:
        raise Invalid([FieldError(f"guests/{place}/name", text) for place, text in list(faults.items())[:100]])
    try:
        return write_change(ctx, written, Done("changed", len(written)))
    except TooManyGroups as error:
        place = first_in_group(checked, error.name)
        raise Invalid(FieldError(f"guests/{place}/groups", error.message)) from None


def set_column(ctx: EventContext, guest_ids: Collection[UUID], key: str, typed: object) -> Done:
    """Set one field of several guests to the same value."""
    column = column_called(columns_of(ctx), key)
    if column.key in NAMES:
        raise Invalid(FieldError("column", "Names have to differ."))
    value = column.clean(typed, key)
    entry = check_entry(GuestEntry("x", **column.entry_of(value)), known=KnownFields.of(ctx.session, ctx.event_id))
    return _change(
        ctx,
        guest_ids,
        lambda guest: None if column.value_of(guest) == value else replace(entry, name=guest.name),
        Done("set", subject=column.label, value=column.words_of(value) or ("No" if column.kind == "boolean" else "")),
    )


def join_group(ctx: EventContext, guest_ids: Collection[UUID], name: str) -> Done:
    """Put several guests into a group, which is made where it does not exist."""
    group = clean_group_name(name, "group")

    def joined(guest: GuestView) -> GuestEntry | None:
        is_member = name_key(group) in map(name_key, guest.groups)
        return None if is_member else GuestEntry(guest.name, groups=(*guest.groups, group))

    return _change(ctx, guest_ids, joined, Done("joined", subject=group))


def leave_group(ctx: EventContext, guest_ids: Collection[UUID], name: str) -> Done:
    """Take several guests out of a group."""
    group = clean_group_name(name, "group")

    def left(guest: GuestView) -> GuestEntry | None:
        others = tuple(one for one in guest.groups if name_key(one) != name_key(group))
        return None if len(others) == len(guest.groups) else GuestEntry(guest.name, groups=others)

    return _change(ctx, guest_ids, left, Done("left", subject=group))


def join_household(ctx: EventContext, guest_ids: Collection[UUID], name: str) -> Done:
    """Make several guests one household; without a name it is called after the first of them."""
    typed = clean_name(name, "party", "The household name") if name.strip() else ""
    chosen = _chosen(ctx, guest_ids)
    party = typed or _free_household_name(ctx, chosen[0])

    def joined(guest: GuestView) -> GuestEntry | None:
        is_there = guest.party is not None and name_key(guest.party) == name_key(party)
        return None if is_there else GuestEntry(guest.name, party=party)

    return _change_chosen(ctx, chosen, joined, Done("household", subject=party))


def leave_household(ctx: EventContext, guest_ids: Collection[UUID]) -> Done:
    """Let several guests leave their households."""
    return _change(
        ctx, guest_ids, lambda guest: GuestEntry(guest.name, party=None) if guest.party else None, Done("apart")
    )


def remove_guests(ctx: EventContext, guest_ids: Collection[UUID]) -> Done:
    """Remove several guests; they can be restored until they are erased."""
    chosen, moment = _chosen(ctx, guest_ids), now()
    before = touched_before(ctx, ())
    for guest in chosen:
        guest.removed_at = moment
    ctx.session.flush()
    for guest in chosen:
        ctx.record(Action.GUEST_REMOVED, guest.id)
    return _kept(ctx, Done("removed", len(chosen)), remember(ctx.session, ctx.event_id, (), before, chosen))


@dataclass(frozen=True)
class Restored:
    """How many removed guests came back, and the names of those who stay removed because others have them by now."""

    count: int
    taken: Sequence[str] = ()


def restore_together(ctx: EventContext, guest_id: UUID) -> Restored:
    """Bring back everyone who was removed in the same step as this guest."""
    ctx.edit()
    one = queries.guest_of(ctx.session, ctx.event_id, guest_id, removed=True)
    if one is None and queries.guest_of(ctx.session, ctx.event_id, guest_id) is None:
        raise NotFound("Guest not found in this event.")
    if one is None:  # they are back already
        return Restored(0)
    gone = [guest for guest in queries.removed_guests(ctx.session, ctx.event_id) if guest.removed_at == one.removed_at]
    used = {guest.name_key for guest in queries.guests_of(ctx.session, ctx.event_id)}
    free = [guest for guest in gone if guest.name_key not in used]
    refuse_too_many(len(used) + len(free))
    for guest in free:
        guest.removed_at = None
    ctx.session.flush()
    return Restored(len(free), [guest.name for guest in gone if guest.name_key in used])


def shared_names(stored: Sequence[Guest], written: Sequence[tuple[Guest, GuestEntry]]) -> dict[int, str]:
    """Return what is wrong with names that guests would share with each other or with the rest, by place."""
    renamed = {guest.id for guest, _ in written}
    taken = {guest.name_key: guest.name for guest in stored if guest.id not in renamed}
    faults = {}
    for place, (_, entry) in enumerate(written):
        key = name_key(entry.name)
        if key in taken:
            faults[place] = f"{taken_already('guest', entry.name, taken[key])} Add something to tell them apart."
        taken.setdefault(key, entry.name)
    return faults


def _free_household_name(ctx: EventContext, guest: Guest) -> str:
    taken = {name_key(name) for name in queries.party_names(ctx.session, ctx.event_id).values()}
    last = guest.last_name or last_name_first(guest.name).split()[0]
    return last if name_key(last) not in taken else guest.name


def _chosen(ctx: EventContext, guest_ids: Collection[UUID]) -> list[Guest]:
    if not guest_ids:
        raise Invalid(FieldError("guest", "Select some guests first."))
    ctx.edit()
    chosen = queries.chosen_guests(ctx.session, ctx.event_id, guest_ids)
    if not chosen:
        raise Invalid(FieldError("guest", "The selected guests are no longer on the list."))
    return chosen


Change = Callable[[GuestView], GuestEntry | None]
"""Returns what to write of a guest, or None where they have that already."""


def _change(ctx: EventContext, guest_ids: Collection[UUID], change: Change, done: Done) -> Done:
    return _change_chosen(ctx, _chosen(ctx, guest_ids), change, done)


def _change_chosen(ctx: EventContext, chosen: Sequence[Guest], change: Change, done: Done) -> Done:
    entries = [(guest, change(view)) for guest, view in zip(chosen, describe(ctx, chosen), strict=True)]
    written = [(guest, entry) for guest, entry in entries if entry is not None]
    return write_change(ctx, written, replace(done, count=len(written)))


def write_change(ctx: EventContext, written: Sequence[tuple[Guest, GuestEntry]], done: Done) -> Done:
    """Write entries as one step that can be undone."""
    if not written:
        return done
    before = touched_before(ctx, written)
    write_entries(ctx.session, ctx.event_id, written)
    return _kept(ctx, done, remember(ctx.session, ctx.event_id, written, before))


def _kept(ctx: EventContext, done: Done, undo: bytes) -> Done:
    """Keep what takes the change back; the words about it are kept for the page that offers the undo."""
    words = {"did": done.did, "count": done.count, "subject": done.subject, "value": done.value}
    return replace(done, undo=keep_undo(ctx, undo, words))


def done_before(ctx: EventContext, undo: UUID) -> Done | None:
    """Return what a change did that can still be undone, or None."""
    stored = queries.import_of(ctx.session, ctx.event_id, undo)
    if stored is None or stored.undo is None or "did" not in stored.columns:
        return None
    return Done(**stored.columns, undo=undo)


def last_change(ctx: EventContext) -> Done | None:
    """Return the actor's last change of several guests, if it is recent and can still be undone."""
    if not ctx.allows("editor"):
        return None
    found = queries.last_change(ctx.session, ctx.event_id, ctx.actor.user_id, now() - OFFERED_FOR)
    return Done(**found[1], undo=found[0]) if found and "did" in found[1] else None
