"""States of events: small values that differ whenever a page of the event could."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.db.models.events import Part
from app.events import queries
from app.events.context import EventContext
from app.events.queries import runs_and_plans_state


@dataclass(frozen=True)
class EventState:
    """What somebody's pages of an event depend on. Each run counts: pages carry the id that the next one will have."""

    role: str
    revision: int
    version: int
    runs_and_plans: tuple[Any, ...]


def read_state(ctx: EventContext, without: Sequence[Part] = ()) -> EventState:
    """Return the state of an event for somebody who may see it; a page `without` some parts stays as they change."""
    runs_and_plans = () if "plans" in without else runs_and_plans_state(ctx.session, ctx.event_id)
    return EventState(ctx.role, queries.revision_without(ctx.event, without), ctx.event.version, runs_and_plans)
