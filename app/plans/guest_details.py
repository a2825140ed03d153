"""What is known of the guests of an event besides who sits where: household, groups, meal, reply, note."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from app.db.models import Party
from app.db.models.guests import CHILDREN
from app.guests.queries.groups import groups_of, memberships
from app.guests.queries.guests import find_guests

_PARTIES = select(Party.id, Party.name).where(Party.event_id == bindparam("event"))


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
    child: bool = False
    diet: str = ""
    household: UUID | None = None
    household_name: str = ""
    groups: tuple[GroupName, ...] = ()


def read_details(session: Session, event_id: UUID) -> dict[UUID, GuestDetails]:
    """Return the present guests of an event in their order."""
    parties = {row[0]: row[1] for row in session.execute(_PARTIES, {"event": event_id})}
    names = {group.id: GroupName(group.id, group.name, group.colour) for group in groups_of(session, event_id)}
    groups: dict[UUID, list[GroupName]] = {}
    if names:
        members = memberships(session, event_id)
        for group_id, guest_id in sorted(members):
            groups.setdefault(guest_id, []).append(names[group_id])
    return {
        row.id: GuestDetails(
            row.id,
            row.name,
            row.note,
            row.reply,
            row.age_group in CHILDREN,
            row.diet,
            row.party_id,
            parties.get(row.party_id, "") if row.party_id else "",
            tuple(groups.get(row.id, ())),
        )
        for row in find_guests(session, event_id)
    }
