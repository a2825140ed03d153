"""Guests to a file. It holds notes and diets, so it is for editors."""

from __future__ import annotations

from app.events.context import EventContext
from app.files.guest_lists.write import GuestLine
from app.guests.edit import list_guests


def export_guests(ctx: EventContext) -> list[GuestLine]:
    """Return all guests with everything that an import can take."""
    ctx.require("editor")
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
        for guest in list_guests(ctx)
    ]
