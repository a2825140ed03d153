"""Guests to a file. It holds notes and diets, so it is for editors."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.events.access import require_event
from app.files.guest_lists.write import GuestLine
from app.guests.edit import list_guests


def export_guests(session: Session, actor: Actor, event_id: UUID) -> list[GuestLine]:
    """Return all guests with everything that an import can take."""
    require_event(session, actor, event_id, "editor")
    return [
        GuestLine(
            name=guest.name,
            party=guest.party or "",
            groups=guest.groups,
            reply=guest.reply,
            child=guest.child,
            diet=guest.diet or "",
            note=guest.note or "",
        )
        for guest in list_guests(session, actor, event_id)
    ]
