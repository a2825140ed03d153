"""How likely each guest of a run comes, by their reply."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.orm import Session

from app.db.models import Event
from app.guests.queries.guests import seated_guests_of
from app.runs.options import RunOptions


def chances_of(session: Session, event: Event, guest_ids: Sequence[UUID], options: RunOptions) -> tuple[float, ...]:
    """Return the chance of each guest; nothing if all of them come for certain."""
    by_reply = {"maybe": options.maybe_percent / 100, "invited": options.no_reply_percent / 100}
    replies = {guest.id: guest.reply for guest in seated_guests_of(session, event)}
    chances = tuple(by_reply.get(replies[guest], 1.0) for guest in guest_ids)
    return chances if min(chances, default=1.0) < 1.0 else ()
