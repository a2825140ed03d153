"""Reads of the plans that are followed, and of who works on them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import BindParameter, bindparam, func, select
from sqlalchemy.orm import Session

from app.clock import now
from app.db.models import Event, Plan, PlanEditor, User

GONE_AFTER = timedelta(seconds=25)
"""A tab that has said nothing for so long is closed or offline; an open one says something every ten seconds."""


# Built once: all that is followed is read three times a second, and building a statement takes longer than running it.
_IN_PLANS: BindParameter[Collection[UUID]] = bindparam("plans", expanding=True)
_PLANS = (
    select(Plan.id, Plan.event_id, Plan.version, Event.revision)
    .join(Event, Event.id == Plan.event_id)
    .where(Plan.id.in_(_IN_PLANS), Plan.deleted_at.is_(None))
)
_IS_OPEN = PlanEditor.seen_at > bindparam("since")
_EDITORS = (
    select(PlanEditor.plan_id, PlanEditor.tab, PlanEditor.user_id, User.name, PlanEditor.guests)
    .join(User, User.id == PlanEditor.user_id)
    .where(PlanEditor.plan_id.in_(_IN_PLANS), _IS_OPEN)
    .order_by(PlanEditor.user_id, PlanEditor.tab)
)
_COUNT_TABS = select(func.count()).where(
    PlanEditor.plan_id == bindparam("plan"),
    PlanEditor.user_id == bindparam("user"),
    PlanEditor.tab != bindparam("tab"),
    _IS_OPEN,
)


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
    rows = session.execute(_PLANS, {"plans": plan_ids})
    return {row.id: LivePlan(*row, editors=tuple(editors.get(row.id, ()))) for row in rows}


def _editors_of(session: Session, plan_ids: Collection[UUID]) -> dict[UUID, list[Editor]]:
    found: dict[UUID, list[Editor]] = {}
    for plan_id, tab, user_id, name, guests in session.execute(_EDITORS, {"plans": plan_ids, "since": _since()}):
        found.setdefault(plan_id, []).append(Editor(tab, user_id, name or "Someone", tuple(guests)))
    return found


def count_tabs(session: Session, plan_id: UUID, user_id: UUID, tab: UUID) -> int:
    """Return in how many other tabs somebody works on the plan."""
    asked = {"plan": plan_id, "user": user_id, "tab": tab, "since": _since()}
    return session.scalar(_COUNT_TABS, asked) or 0


def _since() -> datetime:
    return now() - GONE_AFTER
