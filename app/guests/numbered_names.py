"""Guests whom only a number tells apart, as early versions named them: “James Smith (2)”."""

from __future__ import annotations

from app.db.models import Guest
from app.events.context import EventContext
from app.guests.bulk import Done, write_change
from app.guests.entries import GuestEntry
from app.guests.guest_view import describe
from app.guests.namesakes import Newcomer, tell_apart
from app.guests.public_names import NUMBERED
from app.guests.queries.guests import guests_of
from app.web.names import name_key


def count_numbered(ctx: EventContext) -> int:
    """Return how many guests have a number behind a name that somebody else has too."""
    return len(_numbered(ctx)) if ctx.allows("editor") else 0


def name_numbered(ctx: EventContext) -> Done:
    """Rename these guests by household, group or a letter; guests still read the plain name."""
    ctx.edit()
    numbered = _numbered(ctx)
    views = describe(ctx, numbered)
    people = [Newcomer(_plain(view.name), view.party, view.groups) for view in views]
    chosen = {guest.id for guest in numbered}
    taken = {guest.name_key for guest in guests_of(ctx.session, ctx.event_id) if guest.id not in chosen}
    names = tell_apart(people, taken)
    entries = [
        (guest, GuestEntry(name, public_name=guest.public_name or _plain(guest.name)))
        for guest, name in zip(numbered, names, strict=True)
    ]
    return write_change(ctx, entries, Done("changed", len(entries)))


def _numbered(ctx: EventContext) -> list[Guest]:
    guests = guests_of(ctx.session, ctx.event_id)
    if not any(guest.name.endswith(")") for guest in guests):
        return []
    plain = {guest.name_key for guest in guests}
    numbered = [guest for guest in guests if _plain(guest.name) != guest.name]
    return [guest for guest in numbered if name_key(_plain(guest.name)) in plain]


def _plain(name: str) -> str:
    return NUMBERED.sub("", name) or name
