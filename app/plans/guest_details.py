"""What is known of the guests of an event besides who sits where: household, groups, meals, needs, reply, note."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy.orm import Session

from app.db.models.guests import CHILDREN
from app.guests.allergies import allergies_in_words
from app.guests.queries.fields import StoredValue, fields_of, values_of
from app.guests.queries.groups import groups_of
from app.guests.queries.guests import GuestRow, find_guests, party_names
from app.guests.shared_values import AGE, GROUP, HOUSEHOLD, REPLY, field_key
from app.ratings.queries.values import memberships_of


@dataclass(frozen=True)
class GroupName:
    """A group of a guest, with its colour."""

    id: UUID
    name: str
    colour: str


@dataclass(frozen=True)
class GuestDetails:
    """A guest as lists describe them; the household is None for whoever comes alone."""

    id: UUID
    name: str
    note: str = ""
    reply: str = "invited"
    age_group: str = "adult"
    diet: str = ""
    household: UUID | None = None
    household_name: str = ""
    groups: tuple[GroupName, ...] = ()
    high_chair: bool = False
    wheelchair: bool = False
    allergies: tuple[str, ...] = ()
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The keys of what they have in each field that guests share (app/guests/shared_values.py)."""

    @property
    def child(self) -> bool:
        """Whether they are a child or a baby."""
        return self.age_group in CHILDREN


def read_details(session: Session, event_id: UUID) -> dict[UUID, GuestDetails]:
    """Return the present guests of an event in their order."""
    parties = party_names(session, event_id)
    groups = _groups(session, event_id)
    keys = {one.id: field_key(one) for one in fields_of(session, event_id)}
    chosen = values_of(session, event_id) if keys else {}
    return {
        row.id: GuestDetails(
            row.id,
            row.name,
            row.note,
            row.reply,
            row.age_group,
            row.diet,
            row.party_id,
            parties.get(row.party_id, "") if row.party_id else "",
            groups.get(row.id, ()),
            row.high_chair,
            row.wheelchair,
            tuple(allergies_in_words(row.allergies, row.other_allergies)),
            _values(row, groups.get(row.id, ()), {keys[key]: one for key, one in chosen.get(row.id, {}).items()}),
        )
        for row in find_guests(session, event_id)
    }


def _groups(session: Session, event_id: UUID) -> dict[UUID, tuple[GroupName, ...]]:
    names = {group.id: GroupName(group.id, group.name, group.colour) for group in groups_of(session, event_id)}
    found: dict[UUID, tuple[GroupName, ...]] = {}
    for group_id, guest_id in memberships_of(session, event_id) if names else ():
        found[guest_id] = (*found.get(guest_id, ()), names[group_id])
    return found


def _values(
    row: GuestRow, groups: tuple[GroupName, ...], chosen: Mapping[str, StoredValue]
) -> dict[str, tuple[str, ...]]:
    """Return the keys of all values that a guest shares with others."""
    options = {key: (str(value.option_id),) for key, value in chosen.items() if value.option_id}
    household = {HOUSEHOLD: (str(row.party_id),)} if row.party_id else {}
    own_groups = {GROUP: tuple(str(group.id) for group in groups)} if groups else {}
    return {**own_groups, **household, AGE: (row.age_group,), REPLY: (row.reply,), **options}
