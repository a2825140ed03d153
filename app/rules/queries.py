"""Reads of runs that check the rules of an event."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.db.models import Event, Run
from app.events.queries import stored_revision
from app.problem.queries.seats import newest_plan_id


@dataclass(frozen=True)
class RuleCheck:
    """How a check is doing, what it was asked about, and what it found."""

    status: str
    asked_at: dict[str, Any] | None
    found: dict[str, Any] | None


def state_of_rules(session: Session, event_id: UUID) -> dict[str, Any]:
    """Return what differs whenever rules, guests, tables or locks may have changed; ratings do not count."""
    revision = session.scalar(select(stored_revision(("ratings",))).where(Event.id == event_id))
    return {"revision": revision, "plan": str(newest_plan_id(session, event_id))}


def newest_check(session: Session, event_id: UUID) -> RuleCheck | None:
    """Return the check that was asked for last."""
    query = select(Run.status, Run.marks, Run.progress).where(Run.event_id == event_id, Run.purpose == "check")
    row = session.execute(query.order_by(Run.created_at.desc(), Run.id.desc()).limit(1)).first()
    return RuleCheck(row[0], row[1], row[2]) if row else None
