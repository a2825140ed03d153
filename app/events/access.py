"""Who is asking, and what they may do with an event."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db import models
from app.db.event_parts import Part
from app.errors import Forbidden, NotFound
from app.events import queries

Role = Literal["viewer", "editor", "owner"]
RANK = {"viewer": 0, "editor": 1, "owner": 2}


def require_event(session: Session, actor: Actor, event_id: UUID, role: Role = "viewer") -> models.Event:
    """Return the event if the actor has at least `role` there; another's event does not exist for them."""
    return _checked(queries.event_with_role(session, event_id, actor.user_id), role)


def edit_event(session: Session, actor: Actor, event_id: UUID, *, only: Part | None = None) -> models.Event:
    """Return the event to an editor, held until the end of the transaction: its writers come one after the other.

    With `only`, nothing but that part of the event is going to change.
    """
    event = hold_event(session, actor, event_id)
    queries.count_revision(session, event_id, only)  # what is returned still has the revision from before this change
    return event


def hold_event(session: Session, actor: Actor, event_id: UUID) -> models.Event:
    """Return the event to an editor, held in the same way, for work that changes nothing that plans depend on."""
    # Whoever may only look holds it too, until the refusal ends their transaction.
    return _checked(queries.hold_with_role(session, event_id, actor.user_id), "editor")


def _checked(found: tuple[models.Event, str] | None, role: Role) -> models.Event:
    if found is None:
        raise NotFound("There is no such event, or it is not yours to see.")
    event, own_role = found
    if RANK[own_role] < RANK[role]:
        raise Forbidden(f"That needs the role {role}; yours is {own_role}.")
    return event


def may(session: Session, actor: Actor, event_id: UUID, role: Role) -> bool:
    """Tell whether the actor has at least `role` in the event."""
    found = queries.event_with_role(session, event_id, actor.user_id)
    return found is not None and RANK[found[1]] >= RANK[role]
