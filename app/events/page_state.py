"""States of events: small values that differ whenever a page of the event could."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db.event_parts import Part
from app.errors import NotFound
from app.events import queries
from app.events.queries import runs_and_plans_state


@dataclass(frozen=True)
class EventState:
    """What somebody's pages of an event depend on. Each run counts: pages carry the id that the next one will have."""

    role: str
    revision: int
    version: int
    runs_and_plans: tuple[Any, ...]


def read_state(session: Session, actor: Actor, event_id: UUID, without: Sequence[Part] = ()) -> EventState:
    """Return the state of an event for somebody who may see it; a page `without` some parts stays as they change."""
    found = queries.event_with_role(session, event_id, actor.user_id)
    if found is None:
        raise NotFound("There is no such event, or it is not yours to see.")
    event, role = found
    runs_and_plans = () if "plans" in without else runs_and_plans_state(session, event_id)
    return EventState(role, queries.revision_without(event, without), event.version, runs_and_plans)
