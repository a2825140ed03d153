"""Reads of parties."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.orm import Session

from app.db.once import once
from app.guests.queries.guests import seated_names_of


@once
def parties_of(session: Session, event_id: UUID) -> list[tuple[UUID, ...]]:
    """Return the parties of two or more guests who are to be seated, as the guests' ids in their order."""
    members: dict[UUID, list[UUID]] = {}
    for guest in seated_names_of(session, event_id):
        if guest.party_id is not None:
            members.setdefault(guest.party_id, []).append(guest.id)
    return [tuple(guests) for guests in members.values() if len(guests) >= 2]
