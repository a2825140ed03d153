"""The reply of many guests at once, which can be taken back at once."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from app.db.models import Guest, GuestImport
from app.db.types import new_id
from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.guests.entries import GuestEntry, clean_reply, write_entries
from app.guests.import_undo import remember, touched_before
from app.guests.queries.guests import chosen_guests


@dataclass(frozen=True)
class Replied:
    """For how many guests the reply was another one, and what takes that back; None where nothing was changed."""

    count: int
    undo: UUID | None


def set_replies(ctx: EventContext, guest_ids: Collection[UUID], reply: str) -> Replied:
    """Set the reply of several guests at once."""
    ctx.edit()
    clean_reply(reply, "set_reply")
    chosen = chosen_guests(ctx.session, ctx.event_id, guest_ids)
    if not chosen:
        raise Invalid(FieldError("set_reply", "Select the guests whose reply you want to update."))
    changed = [guest for guest in chosen if guest.reply != reply]
    return Replied(len(changed), _change(ctx, changed, reply) if changed else None)


def _change(ctx: EventContext, guests: list[Guest], reply: str) -> UUID:
    entries = [(guest, GuestEntry(guest.name, reply=reply)) for guest in guests]
    before = touched_before(ctx, entries)
    write_entries(ctx.session, ctx.event_id, entries)
    kept = GuestImport(
        id=new_id(), event_id=ctx.event_id, user_id=ctx.actor.user_id, status="done", content=b"", columns={}
    )
    kept.undo = remember(ctx.session, ctx.event_id, entries, before)
    ctx.session.add(kept)
    ctx.session.flush()
    return kept.id
