"""Who works on a plan: each open tab says so every few seconds, and at once when it picks a guest up or lets go."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import bindparam, delete

from app.clock import now
from app.db.models import PlanEditor
from app.db.upsert import upsert
from app.errors import Conflict, FieldError, Invalid
from app.events.context import EventContext
from app.plans.live import queries
from app.plans.live.queries import LivePlan
from app.plans.read import require_plan

_FORGET = (
    delete(PlanEditor)
    .where(PlanEditor.plan_id == bindparam("plan"), PlanEditor.seen_at < bindparam("before"))
    .execution_options(synchronize_session=False)
)
MOST_TABS = 20
MOST_GUESTS = 50


def follow_plan(ctx: EventContext, plan_id: UUID) -> LivePlan:
    """Return the plan as it is followed, to somebody who may see it."""
    require_plan(ctx, plan_id)
    return queries.live_plans(ctx.session, [plan_id])[plan_id]


def announce(ctx: EventContext, plan_id: UUID, tab: UUID, guests: Sequence[UUID] = ()) -> None:
    """Say that somebody works on the plan in this tab, with these guests picked up."""
    require_plan(ctx, plan_id, "editor")
    if len(guests) > MOST_GUESTS:
        raise Invalid(FieldError("guests", f"At most {MOST_GUESTS} guests can be picked up at once."))
    if queries.count_tabs(ctx.session, plan_id, ctx.actor.user_id, tab) >= MOST_TABS:
        raise Conflict(f"You have this plan open in {MOST_TABS} tabs. Close one of them.")
    _forget_closed(ctx, plan_id)
    row = {
        "plan_id": plan_id,
        "tab": tab,
        "user_id": ctx.actor.user_id,
        "guests": [str(guest) for guest in guests],
        "seen_at": now(),
    }
    upsert(ctx.session, PlanEditor, [row], ["guests", "seen_at"])


def leave(ctx: EventContext, plan_id: UUID, tab: UUID) -> None:
    """Say that the tab is closed; another's tab stays."""
    require_plan(ctx, plan_id, "editor")
    query = delete(PlanEditor).where(
        PlanEditor.plan_id == plan_id, PlanEditor.tab == tab, PlanEditor.user_id == ctx.actor.user_id
    )
    ctx.session.execute(query)


def _forget_closed(ctx: EventContext, plan_id: UUID) -> None:
    ctx.session.execute(_FORGET, {"plan": plan_id, "before": now() - 2 * queries.GONE_AFTER})
