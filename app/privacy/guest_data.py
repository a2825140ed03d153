"""Everything about one guest, for the guest: their own data in full, and of what others are part of only how much."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.db.models import Guest
from app.errors import NotFound
from app.events.context import EventContext
from app.guests.entries import AGE_WORDS, REPLY_WORDS
from app.guests.known_fields import named, value_in_words
from app.guests.queries.fields import StoredValue, fields_of, values_of
from app.plans.names import default_name
from app.privacy import queries
from app.sentences import count

EARLIER = {
    "name": "Name",
    "title": "Title",
    "first_name": "First name",
    "last_name": "Last name",
    "email": "E-mail",
    "phone": "Phone",
    "note": "Note",
    "party": "Household",
    "reply": "Reply",
    "age_group": "Age group",
    "child": "Child",
    "diet": "Diet",
    "allergies": "Allergies",
    "other_allergies": "Other allergies",
    "high_chair": "High chair",
    "wheelchair": "Wheelchair",
    "public_name": "Name on shared pages",
}


@dataclass(frozen=True)
class Section:
    """A heading with what is stored under it, as pairs of a label and a value."""

    title: str
    rows: tuple[tuple[str, str], ...]
    note: str = ""


@dataclass(frozen=True)
class GuestData:
    """What is stored about a guest, in sections that people and programs can read."""

    event_name: str
    guest_name: str
    sections: tuple[Section, ...]

    @property
    def plain(self) -> dict[str, Any]:
        """The same for a file."""
        return {
            "event": self.event_name,
            "guest": self.guest_name,
            "sections": [
                {"title": one.title, "note": one.note, "data": [{"label": a, "value": b} for a, b in one.rows]}
                for one in self.sections
            ],
        }


def read_guest_data(ctx: EventContext, guest_id: UUID) -> GuestData:
    """Gather what is stored about a guest, removed or not."""
    ctx.require("editor")
    guest = queries.guest_ever(ctx.session, ctx.event_id, guest_id)
    if guest is None:
        raise NotFound("Guest not found in this event.")
    sections = (_about(ctx, guest), _wishes(ctx, guest), _seats(ctx, guest), _others(ctx, guest), _earlier(ctx, guest))
    return GuestData(ctx.event.name, guest.name, sections)


def _about(ctx: EventContext, guest: Guest) -> Section:
    arrival = queries.arrival_of(ctx.session, guest.id)
    fields = fields_of(ctx.session, ctx.event_id)
    rows = [
        ("Name", guest.name),
        ("Title", guest.title),
        ("First name", guest.first_name),
        ("Last name", guest.last_name),
        ("Name on shared pages", guest.public_name),
        ("E-mail", guest.email),
        ("Phone", guest.phone),
        ("Household", queries.party_of(ctx.session, guest)),
        ("Groups", ", ".join(queries.groups_of(ctx.session, guest.id))),
        ("Reply", REPLY_WORDS[guest.reply]),
        ("Age group", AGE_WORDS[guest.age_group]),
        ("High chair", "yes" if guest.high_chair else "no"),
        ("Wheelchair", "yes" if guest.wheelchair else "no"),
        ("Diet", guest.diet),
        ("Allergies", ", ".join(guest.allergies)),
        ("Other allergies", guest.other_allergies),
        *named(fields, values_of(ctx.session, ctx.event_id, [guest.id]).get(guest.id, {})),
        ("Note", guest.note),
        ("Added", _moment(guest.created_at)),
        ("Removed", _moment(guest.removed_at)),
        ("Checked in", _moment(arrival.arrived_at if arrival else None)),
    ]
    return Section("About you", tuple((label, value) for label, value in rows if value))


def _wishes(ctx: EventContext, guest: Guest) -> Section:
    made = [
        (wish.name, f"{_moment(wish.created_at)}, {_decision(wish)}")
        for wish in queries.wishes_by(ctx.session, guest.id)
    ]
    links = [
        ("Link for wishes", f"created {_moment(link.created_at)}, {_end(link.revoked_at, link.expires_at)}")
        for link in queries.links_of(ctx.session, guest)
    ]
    return Section("Whom you would like to sit with", (*made, *links))


def _decision(wish: queries.WishMade) -> str:
    if wish.accepted_at:
        return "accepted"
    return "declined" if wish.declined_at else "not decided"


def _end(revoked_at: datetime | None, expires_at: datetime | None) -> str:
    return f"closed {_moment(revoked_at)}" if revoked_at else f"ends {_moment(expires_at) or 'never'}"


def _seats(ctx: EventContext, guest: Guest) -> Section:
    found = queries.seats_of_guest(ctx.session, guest.id)
    rows = [(_plan_name(seat), f"{seat.table}, seat {seat.seat + 1}") for seat in found]
    return Section("Your seats", tuple(rows))


def _plan_name(seat: queries.SeatTaken) -> str:
    is_alternative = seat.alternative_of is not None and not seat.round
    name = seat.name or default_name(seat.number, is_alternative=is_alternative)
    return f"{name}, round {seat.round}" if seat.round else name


def _others(ctx: EventContext, guest: Guest) -> Section:
    kept = queries.count_kept(ctx.session, [guest.id])[guest.id]
    own = len(queries.wishes_by(ctx.session, guest.id))
    rows = [
        ("Ratings of how you and another guest get along", kept.ratings),
        ("Pairs with you that the planner left unrated", queries.count_asked(ctx.session, guest.id)),
        ("Wishes of others to sit with you", kept.wishes - own),
    ]
    rules = [
        (f"Rule “{kind.replace('_', ' ')}”", f"with {count(number, 'other guest')}")
        for kind, number in queries.rules_about(ctx.session, guest.id)
    ]
    note = (
        "These are as much about other people as about you. So they are counted here, and not listed. "
        "A matrix of ratings that was uploaded, and the problems of past runs, have a row for you without your name."
    )
    return Section("About you and others", (*((label, f"{number:,}") for label, number in rows), *rules), note)


def _earlier(ctx: EventContext, guest: Guest) -> Section:
    rows: list[tuple[str, str]] = []
    for made_at, packed in queries.imports_with_undo(ctx.session, ctx.event_id):
        was = json.loads(zlib.decompress(packed)).get("changed", {}).get(str(guest.id))
        if was:
            before = f"before the change of {_moment(made_at)}"
            rows += [(f"{label} {before}", text) for label, text in _earlier_values(ctx, was[1]) if text]
    return Section("Earlier values, kept so that an import or another change can be undone", tuple(rows))


def _earlier_values(ctx: EventContext, was: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what a guest had before an import, each with its label."""
    for name, value in was.items():
        if name == "values":
            known = {str(field.id): field for field in fields_of(ctx.session, ctx.event_id)}
            for key, (option, text) in value.items():
                if key in known:
                    stored = StoredValue(UUID(option) if option else None, text)
                    yield known[key].name, value_in_words(known[key], stored)
        elif value:
            yield EARLIER.get(name, name), ", ".join(value) if isinstance(value, list) else str(value)


def _moment(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC" if at else ""
