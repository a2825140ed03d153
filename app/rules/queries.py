"""Reads of runs that check the rules of an event."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.db.models import Event, Run, Seat
from app.events.queries import stored_revision
from app.problem.queries.seats import current_plan_id


@dataclass(frozen=True)
class RuleCheck:
    """How a check is doing, what it was asked about, and what it found."""

    status: str
    asked_at: dict[str, Any] | None
    found: dict[str, Any] | None


def state_of_rules(session: Session, event_id: UUID) -> dict[str, Any]:
    """Return what differs whenever rules, guests, tables or locks may have changed; ratings and moves do not count."""
    revision = session.scalar(select(stored_revision(("ratings", "plans"))).where(Event.id == event_id))
    plan_id = current_plan_id(session, event_id)
    locked = select(Seat.guest_id, Seat.table_id).where(Seat.plan_id == plan_id, Seat.locked)
    places = sorted(f"{guest} {table}" for guest, table in session.execute(locked)) if plan_id else []
    return {"revision": revision, "locked": sha256("\n".join(places).encode()).hexdigest()[:16]}


def current_check(session: Session, event_id: UUID) -> RuleCheck | None:
    """Return the check of the rules as they are now, if one was asked for and not cancelled."""
    newest = newest_check(session, event_id)
    if newest is None or newest.status == "cancelled" or newest.asked_at != state_of_rules(session, event_id):
        return None
    return newest


def newest_check(session: Session, event_id: UUID) -> RuleCheck | None:
    """Return the check that was asked for last."""
    query = select(Run.status, Run.marks, Run.progress).where(Run.event_id == event_id, Run.purpose == "check")
    row = session.execute(query.order_by(Run.created_at.desc(), Run.id.desc()).limit(1)).first()
    return RuleCheck(row[0], row[1], row[2]) if row else None
