"""What was printed, and which cards have changed since: a card is compared by a short digest of its text."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.db.models import Print
from app.errors import NotFound
from app.events.context import EventContext
from app.sharing.printing import queries
from app.sharing.printing.documents import build_cards
from app.sharing.printing.options import OF_GUESTS, OF_TABLES, PrintOptions
from app.sharing.printing.seating import PrintedPlan, read_seating, rounds_to_print

KEPT_PRINTS = 10
"""How many prints of one kind a plan keeps."""
DIGITS = 8


@dataclass(frozen=True)
class EarlierPrint:
    """A print with the cards that have changed since, or are new."""

    id: UUID
    printed_at: datetime
    changed: tuple[UUID, ...]


def read_printed(ctx: EventContext, plan_id: UUID, options: PrintOptions) -> tuple[UUID, PrintedPlan]:
    """Return the plan to print with its id: for cards of guests, who have one for all rounds, the first round."""
    if options.what not in OF_GUESTS:
        return plan_id, read_seating(ctx, plan_id)
    first = next((one.plan_id for one in rounds_to_print(ctx, plan_id)), plan_id)
    return first, read_seating(ctx, first, all_rounds=True)


def record_print(ctx: EventContext, plan_id: UUID, options: PrintOptions) -> None:
    """Remember what all cards say now; lists and charts are printed again each time."""
    ctx.hold()
    printed_id, plan = read_printed(ctx, plan_id, options)
    digests = _digests(plan, options)
    if not digests:
        return
    made = Print(event_id=ctx.event_id, plan_id=printed_id, what=options.what, cards=digests)
    ctx.session.add(made)
    ctx.session.flush()
    for old in queries.older_prints(ctx.session, printed_id, options.what, KEPT_PRINTS):
        ctx.session.delete(old)
    ctx.session.flush()


def find_last_print(ctx: EventContext, plan_id: UUID, plan: PrintedPlan, options: PrintOptions) -> EarlierPrint | None:
    """Return the last print of these cards, if they were printed before."""
    if options.what not in OF_GUESTS + OF_TABLES:
        return None
    found = queries.last_print(ctx.session, plan_id, options.what)
    return _compared(found, plan, options) if found else None


def find_print(
    ctx: EventContext, plan_id: UUID, plan: PrintedPlan, options: PrintOptions, print_id: UUID
) -> EarlierPrint:
    """Return one print of these cards."""
    found = queries.print_of(ctx.session, plan_id, options.what, print_id)
    if found is None:
        raise NotFound("This print is no longer stored. Print all cards instead.")
    return _compared(found, plan, options)


def _compared(found: Print, plan: PrintedPlan, options: PrintOptions) -> EarlierPrint:
    digests = _digests(plan, options)
    changed = tuple(UUID(key) for key, digest in digests.items() if found.cards.get(key) != digest)
    return EarlierPrint(found.id, found.created_at, changed)


def _digests(plan: PrintedPlan, options: PrintOptions) -> dict[str, str]:
    return {str(key): _digest(card) for key, card in build_cards(plan, options).items()}


def _digest(card: dict[str, Any]) -> str:
    # Short, because it only says whether the card is still the same.
    return hashlib.sha256(json.dumps(card, sort_keys=True).encode()).hexdigest()[:DIGITS]
