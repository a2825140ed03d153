"""Removed guests: who they are, what comes back with each, and on which day they are erased."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from uuid import UUID

from app.errors import NotFound
from app.events.context import EventContext
from app.privacy import queries
from app.privacy.erase import RESTORABLE
from app.privacy.queries import Kept

MOST_LISTED = 500


@dataclass(frozen=True)
class RemovedGuest:
    """A removed guest, when they were removed and will be erased; `kept` is what refers to them."""

    id: UUID
    name: str
    removed_at: datetime
    erased_on: date
    kept: Kept

    @property
    def removed_on(self) -> date:
        return self.removed_at.date()


@dataclass(frozen=True)
class RemovedStep:
    """Guests who were removed in one step, and can be restored in one; of very many only some are listed."""

    guests: Sequence[RemovedGuest]
    count: int

    @property
    def first(self) -> RemovedGuest:
        return self.guests[0]


@dataclass(frozen=True)
class GuestToErase:
    """A guest as the page shows them that asks before it erases."""

    id: UUID
    name: str
    is_removed: bool
    party: str
    kept: Kept


def list_removed(ctx: EventContext) -> list[RemovedGuest]:
    """Return the removed guests, the last one first."""
    ctx.require("editor")
    found = queries.removed_guests(ctx.session, ctx.event_id, MOST_LISTED)
    kept = queries.count_kept(ctx.session, [guest.id for guest in found])
    return [
        RemovedGuest(
            guest.id,
            guest.name,
            guest.removed_at,
            (guest.removed_at + RESTORABLE).date(),
            kept[guest.id],
        )
        for guest in found
        if guest.removed_at
    ]


def list_steps(ctx: EventContext) -> list[RemovedStep]:
    """Return the removed guests by the step that removed them, the last one first."""
    steps = groupby(list_removed(ctx), key=lambda guest: guest.removed_at)
    counts = queries.count_steps(ctx.session, ctx.event_id)
    return [RemovedStep(list(guests), counts[moment]) for moment, guests in steps]


def show_before_erasing(ctx: EventContext, guest_id: UUID) -> GuestToErase:
    """Return a guest, removed or not, with what would be erased."""
    ctx.require("owner")
    guest = queries.guest_ever(ctx.session, ctx.event_id, guest_id)
    if guest is None:
        raise NotFound("Guest not found in this event.")
    party = queries.party_of(ctx.session, guest)
    kept = queries.count_kept(ctx.session, [guest.id])[guest.id]
    return GuestToErase(guest.id, guest.name, guest.removed_at is not None, party, kept)
