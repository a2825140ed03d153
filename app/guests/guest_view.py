"""A guest with everything that pages, the API and files show about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from app.db.models import Guest
from app.db.models.guests import CHILDREN
from app.events.context import EventContext
from app.guests.known_fields import KnownFields, named
from app.guests.queries import fields as field_queries
from app.guests.queries import guests as queries
from app.guests.queries.fields import FieldRow, StoredValue
from app.guests.queries.guests import GuestRow


class GuestView(NamedTuple):
    """A guest with household, groups, side, meals and own fields by name.

    Note, diet, allergies, e-mail, phone and fields of texts are for editors; they are None or left out for others.
    """

    id: UUID
    name: str
    title: str
    first_name: str
    last_name: str
    email: str | None
    phone: str | None
    note: str | None
    party: str | None
    groups: tuple[str, ...]
    side: str | None
    reply: str
    age_group: str
    child: bool
    diet: str | None
    allergies: tuple[str, ...] | None
    other_allergies: str | None
    meals: Mapping[str, str]
    high_chair: bool
    wheelchair: bool
    public_name: str
    fields: Mapping[str, str]
    version: int


def describe(ctx: EventContext, guests: Sequence[Guest] | Sequence[GuestRow]) -> list[GuestView]:
    """Return guests as the actor may see them."""
    if not guests:
        return []
    one = frozenset([guests[0].id]) if len(guests) == 1 else None
    parties = queries.party_names(ctx.session, ctx.event_id)
    groups = queries.group_names(ctx.session, ctx.event_id, one)
    known = KnownFields.of(ctx.session, ctx.event_id)
    values = field_queries.values_of(ctx.session, ctx.event_id, one) if known.fields else {}
    is_editor = ctx.allows("editor")
    own = [field for field in known.own if is_editor or field.kind != "text"]
    return [
        GuestView(
            id=guest.id,
            name=guest.name,
            title=guest.title,
            first_name=guest.first_name,
            last_name=guest.last_name,
            email=guest.email if is_editor else None,
            phone=guest.phone if is_editor else None,
            note=guest.note if is_editor else None,
            party=parties[guest.party_id] if guest.party_id else None,
            groups=tuple(groups.get(guest.id, ())),
            side=_side(known.side, values.get(guest.id, {})),
            reply=guest.reply,
            age_group=guest.age_group,
            child=guest.age_group in CHILDREN,
            diet=guest.diet if is_editor else None,
            allergies=guest.allergies if is_editor else None,
            other_allergies=guest.other_allergies if is_editor else None,
            meals=dict(named(known.courses, values.get(guest.id, {}))),
            high_chair=guest.high_chair,
            wheelchair=guest.wheelchair,
            public_name=guest.public_name,
            fields=dict(named(own, values.get(guest.id, {}))),
            version=guest.version,
        )
        for guest in guests
    ]


def _side(field: FieldRow | None, values: Mapping[UUID, StoredValue]) -> str | None:
    return next((value for _, value in named([field] if field else [], values)), None)
