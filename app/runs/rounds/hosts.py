"""Hosts of several rounds, by the names that somebody typed."""

from __future__ import annotations

from uuid import UUID

from app.events.context import EventContext
from app.runs.rounds.typed_names import TypedNames


def find_hosts(ctx: EventContext, typed: str) -> tuple[UUID, ...]:
    """Return the guests named in the lines, or say which names are unknown or shared."""
    names = [line.strip() for line in typed.splitlines() if line.strip()]
    if not names:
        return ()
    known = TypedNames(ctx, "hosts")
    known.refuse_unknown(names, "Check the spelling.")
    return known.find(names)
