"""Reads of parties."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from app.db.models import Guest
from app.db.once import once
from app.db.queries.guests import is_seated

_MEMBERS = (
    select(Guest.party_id, Guest.id)
    .where(Guest.event_id == bindparam("event"), is_seated(), Guest.party_id.is_not(None))
    .order_by(Guest.position, Guest.id)
)


@once
def parties_of(session: Session, event_id: UUID) -> list[tuple[UUID, ...]]:
    """Return the parties of two or more guests who are to be seated, as the guests' ids in their order."""
    members: dict[UUID | None, list[UUID]] = {}
    for party_id, guest_id in session.execute(_MEMBERS, {"event": event_id}):
        members.setdefault(party_id, []).append(guest_id)
    return [tuple(guests) for guests in members.values() if len(guests) >= 2]
