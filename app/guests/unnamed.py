"""Seats for guests whom nobody has named yet: “Guest of Grace Chen”. They get their names in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from app.db.models import Guest
from app.errors import FieldError, Invalid, collected
from app.events.context import EventContext
from app.files.guest_lists.people import is_seat_name
from app.guests.entries import GuestEntry, write_entries
from app.guests.queries import guests as queries
from app.web.names import clean_name, name_key, taken_already, twice


@dataclass(frozen=True)
class UnnamedGuest:
    """A seat that waits for a name, and the household that it belongs to."""

    id: UUID
    name: str
    party: str


def list_unnamed(ctx: EventContext) -> list[UnnamedGuest]:
    """Return the seats without a name, in the order of the list."""
    parties = queries.party_names(ctx.session, ctx.event_id)
    return [
        UnnamedGuest(guest.id, guest.name, parties.get(guest.party_id, "") if guest.party_id else "")
        for guest in queries.unnamed_guests(ctx.session, ctx.event_id)
        if is_seat_name(guest.name)
    ]


def count_unnamed(ctx: EventContext) -> int:
    return len(list_unnamed(ctx)) if ctx.allows("editor") else 0


def name_guests(ctx: EventContext, names: Mapping[UUID, str]) -> int:
    """Give these guests their names, all of them or none; an empty name stays open. Return how many got one."""
    ctx.edit()
    present = {guest.id: guest for guest in queries.guests_of(ctx.session, ctx.event_id)}
    wanted = {guest: name for guest, name in names.items() if guest in present and name.strip()}
    taken = {guest.name_key: guest.name for guest in present.values() if guest.id not in wanted}
    faults: list[FieldError] = []
    entries: list[tuple[Guest, GuestEntry]] = []
    seen: dict[str, str] = {}
    for guest_id, text in wanted.items():
        where = f"name-{guest_id}"
        name = collected(faults, lambda text=text, where=where: clean_name(text, where), "")  # type: ignore[misc]  # the lambda has defaults
        key = name_key(name)
        if name and key in taken:
            hint = f"Add something to tell them apart, such as “{name} K.”."
            faults.append(FieldError(where, f"{taken_already('guest', name, taken[key])} {hint}"))
        elif name and key in seen:
            faults.append(FieldError(where, twice(name, seen[key], "above")))
        seen.setdefault(key, name)
        entries.append((present[guest_id], GuestEntry(name)))
    if faults:
        raise Invalid(faults)
    write_entries(ctx.session, ctx.event_id, entries)
    return len(entries)
