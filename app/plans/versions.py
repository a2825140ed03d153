"""The versions of a plan: use one, rename, duplicate, delete and restore them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, insert, literal, select, update
from sqlalchemy.orm import Session

from app.audit.actions import Action, Details
from app.clock import now
from app.db import models
from app.db.models.base import NAME_LENGTH
from app.db.types import new_id
from app.errors import Conflict, NotFound
from app.events.context import EventContext
from app.plans.names import plan_name
from app.plans.queries import versions as queries
from app.plans.queries.rounds import is_of_rounds, main_of, rounds_of
from app.plans.queries.versions import VersionRow
from app.plans.read import require_plan
from app.web.names import clean_name

RESTORABLE = timedelta(days=30)
"""For how long a deleted plan can be restored."""
UNSYNCHRONIZED = {"synchronize_session": False}
# What a copy does not take over from its plan.
OWN_COLUMNS = frozenset(
    (
        *("id", "created_at", "updated_at", "version", "alternative_of", "name", "number", "moved"),
        *("used_at", "is_copy", "created_by", "deleted_at"),
    )
)


def list_versions(ctx: EventContext, *, limit: int, skip: int = 0) -> Sequence[VersionRow]:
    """Return the event's plans with whoever made them, the newest first; no alternatives."""
    return queries.versions_of(ctx.session, ctx.event_id, limit=limit, skip=skip)


def list_family(ctx: EventContext, plan_id: UUID) -> Sequence[models.Plan]:
    """Return the good plans of a run in the order in which it made them: the plan itself and those beside it."""
    return queries.family_of(ctx.session, require_plan(ctx, plan_id))


def list_deleted(ctx: EventContext) -> Sequence[VersionRow]:
    """Return the deleted plans that can still be restored, the one deleted last first."""
    ctx.require("editor")
    return queries.deleted_versions(ctx.session, ctx.event_id, since=now() - RESTORABLE)


def rename_plan(ctx: EventContext, plan_id: UUID, name: str) -> models.Plan:
    """Give the plan a name; an empty one takes it away."""
    ctx.edit()  # before the plan, as moves do: two orders of locks would block each other
    plan = require_plan(ctx, plan_id, "editor")
    plan.name = clean_name(name, what="The plan name") if name.strip() else ""
    ctx.session.flush()
    if plan.round:
        _change(ctx.session, is_of_rounds(main_of(plan)) & (models.Plan.id != plan.id), name=plan.name)
    return plan


def use_plan(ctx: EventContext, plan_id: UUID) -> models.Plan:
    """Let the plan be the one in use; an alternative changes places with the plan beside which it stands.

    Of several rounds all are in use together.
    """
    ctx.edit()
    plan = _main_plan(ctx, plan_id)
    main = plan.alternative_of
    if main is not None:
        _change(ctx.session, (models.Plan.id == main) | (models.Plan.alternative_of == main), alternative_of=plan.id)
        _change(ctx.session, models.Plan.id == plan.id, alternative_of=None)
    _change(ctx.session, models.Plan.id == plan.id, used_at=now())
    ctx.session.refresh(plan)
    ctx.record(Action.PLAN_USED, plan.id, Details(version=plan.number))
    return plan


def duplicate_plan(ctx: EventContext, plan_id: UUID) -> models.Plan:
    """Make a copy of the plan as it is now, without its history; the plan in use stays in use."""
    ctx.edit()
    plan = _main_plan(ctx, plan_id)
    number = queries.next_number(ctx.session, ctx.event_id)
    copy = _copy(ctx, plan, number, f"Copy of {plan_name(plan)}"[:NAME_LENGTH])
    for row in rounds_of(ctx.session, plan.id)[1:]:
        _copy(ctx, require_plan(ctx, row.plan_id), number, copy.name, main=copy.id)
    ctx.record(Action.PLAN_CREATED, copy.id, Details(version=copy.number))
    return copy


def _main_plan(ctx: EventContext, plan_id: UUID) -> models.Plan:
    """Return the plan to an editor; of several rounds the first, which counts for all of them."""
    return require_plan(ctx, main_of(require_plan(ctx, plan_id, "editor")), "editor")


def _copy(ctx: EventContext, plan: models.Plan, number: int, name: str, main: UUID | None = None) -> models.Plan:
    names = (column.name for column in models.Plan.__table__.columns)
    taken = {name: getattr(plan, name) for name in names if name not in OWN_COLUMNS}
    copy = models.Plan(
        **taken,
        id=new_id(),
        name=name,
        number=number,
        alternative_of=main,
        used_at=None,
        is_copy=True,
        created_by=ctx.actor.user_id,
    )
    copy.created_at = copy.updated_at = now()
    ctx.session.add(copy)
    ctx.session.flush()
    columns = [column for column in models.Seat.__table__.columns if column.name != "plan_id"]
    seats = select(literal(copy.id, models.Plan.id.type), *columns).where(models.Seat.plan_id == plan.id)
    ctx.session.execute(insert(models.Seat).from_select(["plan_id", *(one.name for one in columns)], seats))
    return copy


def delete_plan(ctx: EventContext, plan_id: UUID) -> models.Plan:
    """Hide the plan with its links and alternatives; it can be restored for 30 days, then it is removed for good.

    Of several rounds none is deleted alone.
    """
    ctx.edit()
    plan = _main_plan(ctx, plan_id)
    hidden = (models.Plan.id == plan.id) | (models.Plan.alternative_of == plan.id)
    _change(ctx.session, hidden & models.Plan.deleted_at.is_(None), deleted_at=now())
    ctx.session.refresh(plan)
    ctx.record(Action.PLAN_DELETED, plan.id, Details(version=plan.number))
    return plan


def restore_plan(ctx: EventContext, plan_id: UUID) -> models.Plan:
    """Bring a deleted plan back with what was deleted together with it."""
    ctx.edit()
    plan = queries.deleted_plan(ctx.session, ctx.event_id, plan_id, since=now() - RESTORABLE)
    if plan is None:
        raise NotFound("There is no deleted plan to restore here. Plans can be restored for 30 days.")
    main = ctx.session.get(models.Plan, plan.alternative_of) if plan.alternative_of else None
    if main is not None and main.deleted_at is not None:
        raise Conflict(f"Restore {plan_name(main)} first. This plan is an alternative to it.")
    family = (models.Plan.id == plan.id) | (models.Plan.alternative_of == plan.id)
    _change(ctx.session, family & (models.Plan.deleted_at == plan.deleted_at), deleted_at=None)
    ctx.session.refresh(plan)
    ctx.record(Action.PLAN_RESTORED, plan.id, Details(version=plan.number))
    return plan


def _change(session: Session, which: ColumnElement[bool], **values: object) -> None:
    # A plan that is only put elsewhere was not edited, so its moment stays.
    values |= {"updated_at": models.Plan.updated_at, "version": models.Plan.version + 1}
    session.execute(update(models.Plan).where(which).values(values), execution_options=UNSYNCHRONIZED)
