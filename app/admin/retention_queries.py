"""Which runs and plans are old and unused. What somebody shared, edited, named, copied, chose or uses is not."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, exists, func, or_, select
from sqlalchemy.orm import Session, aliased

from app.db.models import Event, GuestImport, Link, Move, Plan, Run
from app.db.models.runs import LIVE, OVER
from app.events.erasure_day import is_due


def is_old_run(before: datetime) -> ColumnElement[bool]:
    """Return whether a run ended before this moment and no plan of it is left."""
    has_plan = exists().where(Plan.run_id == Run.id)
    of_any = Run.purpose.in_(("plan", "questions", "check"))  # lets the database use its index
    return and_(of_any, Run.status.in_(OVER), Run.finished_at < before, ~has_plan)


def is_unused_plan(before: datetime) -> ColumnElement[bool]:
    """Return whether a plan and those beside it were left as a run made them, and it is neither newest nor in use."""
    newer, used, member = aliased(Plan), aliased(Plan), aliased(Plan)
    is_older = exists().where(_is_another_version(newer), newer.id > Plan.id)
    later = or_(used.used_at > Plan.used_at, and_(used.used_at == Plan.used_at, used.id > Plan.id))
    is_replaced = exists().where(_is_another_version(used), later)
    in_use = exists().where(or_(member.id == Plan.id, member.alternative_of == Plan.id), _is_in_use(member, before))
    made_by_run = and_(Plan.alternative_of.is_(None), Plan.run_id.is_not(None), Plan.is_copy.is_(False))
    return and_(made_by_run, Plan.deleted_at.is_(None), is_older, is_replaced, ~in_use)


def _is_another_version(plan: Any) -> ColumnElement[bool]:
    return and_(plan.event_id == Plan.event_id, plan.alternative_of.is_(None), plan.deleted_at.is_(None))


def _is_in_use(plan: Any, before: datetime) -> ColumnElement[bool]:
    return or_(
        plan.updated_at >= before,
        plan.name != "",
        plan.id < Plan.id,  # a run stores its main plan first, so somebody chose another one
        exists().where(Move.plan_id == plan.id),
        exists().where(Link.plan_id == plan.id),
        exists().where(Run.from_plan == plan.id, Run.status.in_(LIVE)),
    )


def old_runs(session: Session, before: datetime, limit: int) -> Sequence[UUID]:
    """Return the ids of old runs, those that ended first before others."""
    query = select(Run.id).where(is_old_run(before)).order_by(Run.finished_at).limit(limit)
    return session.scalars(query).all()


def unused_plans(session: Session, before: datetime, limit: int) -> Sequence[UUID]:
    """Return the ids of unused plans, the oldest first."""
    return session.scalars(select(Plan.id).where(is_unused_plan(before)).order_by(Plan.id).limit(limit)).all()


def is_deleted_plan(before: datetime) -> ColumnElement[bool]:
    """Return whether somebody deleted a plan before this moment, so that it cannot be restored any more."""
    return Plan.deleted_at < before


def deleted_plans(session: Session, before: datetime, limit: int) -> Sequence[UUID]:
    """Return the ids of plans that were deleted so long ago, alternatives before the plan beside which they stand."""
    query = select(Plan.id).where(is_deleted_plan(before)).order_by(Plan.alternative_of.is_(None), Plan.deleted_at)
    return session.scalars(query.limit(limit)).all()


def count_deleted_plans(session: Session, before: datetime) -> int:
    """Return how many plans were deleted so long ago."""
    return session.scalar(select(func.count()).select_from(Plan).where(is_deleted_plan(before))) or 0


def old_imports(session: Session, before: datetime, limit: int) -> Sequence[UUID]:
    """Return the ids of imports that are too old to be confirmed or undone."""
    return session.scalars(select(GuestImport.id).where(GuestImport.created_at < before).limit(limit)).all()


def events_past_their_day(session: Session, _now: datetime, limit: int) -> Sequence[UUID]:
    """Return the ids of events that are to be erased by now."""
    query = select(Event.id, Event.date, Event.erase_after_days)
    dated = session.execute(query.where(Event.date.is_not(None), Event.erase_after_days.is_not(None)))
    return [event_id for event_id, on, days in dated if is_due(on, days)][:limit]


def measure_old_runs(session: Session, before: datetime) -> tuple[int, int]:
    """Return how many old runs there are and how many bytes their problems take."""
    return _measured(session, _count().where(is_old_run(before)))


def measure_runs_of_unused(session: Session, before: datetime, plans_before: datetime) -> tuple[int, int]:
    """Return the same for runs that only have unused plans, and so would be left without any."""
    of_unused = select(Plan.run_id).where(is_unused_plan(plans_before))
    return _measured(session, _count().where(Run.status.in_(OVER), Run.finished_at < before, Run.id.in_(of_unused)))


def count_unused_plans(session: Session, before: datetime) -> int:
    """Return how many unused plans there are, with the good plans beside them."""
    mains = select(Plan.id).where(is_unused_plan(before)).scalar_subquery()
    query = select(func.count()).select_from(Plan).where(or_(Plan.id.in_(mains), Plan.alternative_of.in_(mains)))
    return int(session.scalar(query) or 0)


def _count() -> Select[int, int]:
    return select(func.count(), func.coalesce(func.sum(func.length(Run.problem)), 0)).select_from(Run)


def _measured(session: Session, query: Select[int, int]) -> tuple[int, int]:
    count, size = session.execute(query).one()
    return int(count), int(size)
