"""Guests: list, add, change, remove, bring back."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from sqlalchemy.orm import Session

from app.audit.actions import Action
from app.clock import now
from app.db.models import Guest
from app.errors import FieldError, Invalid, NotFound
from app.events.context import EventContext
from app.files.guest_lists.own_format import COLUMNS, field_heading
from app.files.guest_lists.write import GuestLine
from app.guests.entries import MAX_GUESTS, GuestEntry, NewGuest, write_entries
from app.guests.entry_checks import check_entry
from app.guests.guest_view import GuestView, describe
from app.guests.known_fields import KnownFields
from app.guests.name_order import Names, name_following
from app.guests.public_names import Namesake, find_namesakes, public_names
from app.guests.queries import guests as queries
from app.guests.queries.guests import Named
from app.web.names import clean_name, name_key, taken_already
from app.web.unset import Unset


def list_guests(ctx: EventContext, *, limit: int | None = None, after: UUID | None = None) -> list[GuestView]:
    """Return the guests in their order."""
    return describe(ctx, queries.find_guests(ctx.session, ctx.event_id, limit=limit, after=after))


def export_guests(ctx: EventContext) -> list[GuestLine]:
    """Return all guests with everything that an import can take, notes and diets too, so for editors."""
    ctx.require("editor")
    known = KnownFields.of(ctx.session, ctx.event_id)
    fields = [(field_heading(field.kind, field.name), field.name) for field in (*known.courses, *known.own)]
    found = []
    for guest in list_guests(ctx):
        plain = {name: value for name in COLUMNS if (value := getattr(guest, name)) is not None}
        has = {**guest.meals, **guest.fields}
        found.append(GuestLine(**plain, values=tuple((heading, has.get(name, "")) for heading, name in fields)))
    return found


def list_named(ctx: EventContext) -> list[Named]:
    """Return the guests in their order by name alone: much quicker than with all there is about them."""
    return queries.named_guests(ctx.session, ctx.event_id)


def show_guest(ctx: EventContext, guest_id: UUID) -> GuestView:
    return describe(ctx, [_guest(ctx.session, ctx.event_id, guest_id)])[0]


def has_removed(ctx: EventContext) -> bool:
    """Return whether there are guests to restore."""
    return ctx.allows("editor") and queries.has_removed(ctx.session, ctx.event_id)


def list_namesakes(ctx: EventContext) -> tuple[Namesake, ...]:
    """Return who will read the same as somebody else, if households sit together."""
    people = list(queries.people_of(ctx.session, ctx.event_id))
    names = public_names(people, queries.names_ever_of(ctx.session, ctx.event_id))
    return find_namesakes(names.items(), {one.id: one.name for one in people})


def removed_guest(ctx: EventContext, guest_id: UUID) -> Guest | None:
    """Return a guest who was removed and can be brought back, or None."""
    return queries.guest_of(ctx.session, ctx.event_id, guest_id, removed=True)


def add_guest(ctx: EventContext, entry: GuestEntry) -> Guest:
    """Add one guest behind the others."""
    ctx.edit()
    checked = check_entry(entry, known=KnownFields.of(ctx.session, ctx.event_id))
    refuse_namesake(ctx.session, ctx.event_id, entry.name if entry.name.strip() else checked.name)
    refuse_too_many(queries.count_guests(ctx.session, ctx.event_id) + 1)
    guest = NewGuest(ctx.event_id, queries.last_position(ctx.session, ctx.event_id) + 1)
    write_entries(ctx.session, ctx.event_id, [(guest, checked)])
    return _guest(ctx.session, ctx.event_id, guest.id)


def change_guest(ctx: EventContext, guest_id: UUID, entry: GuestEntry) -> Guest:
    """Change a guest; what the entry leaves out stays. A name that first and last name made changes with them."""
    ctx.edit()
    guest = _guest(ctx.session, ctx.event_id, guest_id)
    checked = check_entry(entry, known=KnownFields.of(ctx.session, ctx.event_id))
    named = follow_parts(guest, checked)
    typed = entry.name if entry.name.strip() and named.name == checked.name else named.name
    refuse_namesake(ctx.session, ctx.event_id, typed, besides=guest.id)
    write_entries(ctx.session, ctx.event_id, [(guest, named)])
    return guest


def follow_parts(guest: Guest, checked: GuestEntry) -> GuestEntry:
    """Return the entry with the name that new first and last names make, where they made the present one."""
    return replace(checked, name=clean_name(name_following(_names(guest), _names(guest, checked))))


def remove_guest(ctx: EventContext, guest_id: UUID) -> Guest:
    """Remove a guest from every list; they can be restored with all that refers to them until they are erased."""
    ctx.edit()
    guest = _guest(ctx.session, ctx.event_id, guest_id)
    guest.removed_at = now()
    ctx.session.flush()
    ctx.record(Action.GUEST_REMOVED, guest_id)
    return guest


def restore_guest(ctx: EventContext, guest_id: UUID) -> Guest:
    """Bring a removed guest back to their place; one who is there already stays."""
    ctx.edit()
    guest = queries.guest_of(ctx.session, ctx.event_id, guest_id, removed=True)
    if guest is None:
        return _guest(ctx.session, ctx.event_id, guest_id)
    refuse_namesake(ctx.session, ctx.event_id, guest.name)
    guest.removed_at = None
    ctx.session.flush()
    return guest


def refuse_namesake(session: Session, event_id: UUID, name: str, *, besides: UUID | None = None) -> None:
    """Refuse a name, as it was typed, that another guest has: a plan with two of one name helps nobody."""
    present = queries.namesake(session, event_id, name_key(clean_name(name)), besides=besides)
    if present is not None:
        hint = f"Add something to tell them apart, such as “{clean_name(name)} K.”."
        raise Invalid(FieldError("name", f"{taken_already('guest', name, present.name)} {hint}"))


def refuse_too_many(count: int, where: str = "name") -> None:
    """Refuse more guests than an event takes."""
    if count > MAX_GUESTS:
        raise Invalid(FieldError(where, f"That would be {count:,} guests; maximum {MAX_GUESTS:,} per event."))


def _guest(session: Session, event_id: UUID, guest_id: UUID) -> Guest:
    guest = queries.guest_of(session, event_id, guest_id)
    if guest is None:
        raise NotFound("Guest not found in this event.")
    return guest


def _names(guest: Guest, entry: GuestEntry | None = None) -> Names:
    """Return what a guest is called, with an entry as they would be called."""
    if entry is None:
        return Names(guest.name, guest.first_name, guest.last_name)
    first, last = entry.first_name, entry.last_name
    return Names(
        entry.name,
        guest.first_name if isinstance(first, Unset) else first,
        guest.last_name if isinstance(last, Unset) else last,
    )
