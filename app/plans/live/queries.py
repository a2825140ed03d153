"""Reads of the plans that are followed, and of who works on them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.clock import now
from app.db.models import Event, Plan, PlanEditor, User

GONE_AFTER = timedelta(seconds=25)
"""A tab that has said nothing for so long is closed or offline; an open one says something every ten seconds."""


@dataclass(frozen=True)
class Editor:
    """Somebody who works on a plan in one tab, and the guests picked up there."""

    tab: UUID
    user_id: UUID
    name: str
    guests: tuple[str, ...]


@dataclass(frozen=True)
class LivePlan:
    """A plan as those who have it open follow it: both counts of changes, and who works on it."""

    id: UUID
    event_id: UUID
    version: int
    revision: int
    editors: tuple[Editor, ...] = ()
    is_over: bool = False


def live_plans(session: Session, plan_ids: Collection[UUID]) -> dict[UUID, LivePlan]:
    """Return those of these plans that there are, by their ids; a deleted one is no longer followed."""
    editors = _editors_of(session, plan_ids)
    query = select(Plan.id, Plan.event_id, Plan.version, Event.revision).join(Event, Event.id == Plan.event_id)
    rows = session.execute(query.where(Plan.id.in_(plan_ids), Plan.deleted_at.is_(None)))
    return {row.id: LivePlan(*row, editors=tuple(editors.get(row.id, ()))) for row in rows}


def _editors_of(session: Session, plan_ids: Collection[UUID]) -> dict[UUID, list[Editor]]:
    found: dict[UUID, list[Editor]] = {}
    query = (
        select(PlanEditor.plan_id, PlanEditor.tab, PlanEditor.user_id, User.name, PlanEditor.guests)
        .join(User, User.id == PlanEditor.user_id)
        .where(PlanEditor.plan_id.in_(plan_ids), PlanEditor.seen_at > now() - GONE_AFTER)
        .order_by(PlanEditor.user_id, PlanEditor.tab)
    )
    for plan_id, tab, user_id, name, guests in session.execute(query):
        found.setdefault(plan_id, []).append(Editor(tab, user_id, name or "Someone", tuple(guests)))
    return found


def count_tabs(session: Session, plan_id: UUID, user_id: UUID, tab: UUID) -> int:
    """Return in how many other tabs somebody works on the plan."""
    query = select(PlanEditor.tab).where(
        PlanEditor.plan_id == plan_id,
        PlanEditor.user_id == user_id,
        PlanEditor.tab != tab,
        PlanEditor.seen_at > now() - GONE_AFTER,
    )
    return len(session.scalars(query).all())
