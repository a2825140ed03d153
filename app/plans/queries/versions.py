"""Reads of the versions of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session, aliased, defer

from app.db.models import Group, GroupGuest, Plan, Run, User


class VersionRow(NamedTuple):
    """A plan without its figures, the name of whoever made it or started its run, and how many plans are beside it.

    These are its alternatives, or of several rounds the others.
    """

    plan: Plan
    author: str | None
    beside: int

    @property
    def alternatives(self) -> int:
        """How many alternatives the plan has."""
        return 0 if self.plan.round else self.beside

    @property
    def rounds(self) -> int:
        """How many rounds the plan has; 0 is a plan without rounds."""
        return self.beside + 1 if self.plan.round else 0


def versions_of(session: Session, event_id: UUID, *, limit: int, skip: int = 0) -> list[VersionRow]:
    """Return the event's plans without alternatives, the newest first."""
    query = _versions(event_id).where(Plan.deleted_at.is_(None), Plan.alternative_of.is_(None))
    return _rows(session, query.order_by(Plan.id.desc()).offset(skip).limit(limit))


def count_versions(session: Session, event_id: UUID) -> int:
    """Return how many plans the event has, without alternatives."""
    which = Plan.event_id == event_id, Plan.deleted_at.is_(None), Plan.alternative_of.is_(None)
    return session.scalar(select(func.count()).select_from(Plan).where(*which)) or 0


def deleted_versions(session: Session, event_id: UUID, *, since: datetime) -> list[VersionRow]:
    """Return what was deleted since then, the last first; alternatives only if they were deleted by themselves."""
    main = aliased(Plan)
    with_main = select(main.id).where(main.id == Plan.alternative_of, main.deleted_at.is_not(None)).exists()
    query = _versions(event_id).where(Plan.deleted_at >= since, ~with_main)
    return _rows(session, query.order_by(Plan.deleted_at.desc(), Plan.id.desc()))


def deleted_plan(session: Session, event_id: UUID, plan_id: UUID, *, since: datetime) -> Plan | None:
    """Return a plan that was deleted since then."""
    which = Plan.id == plan_id, Plan.event_id == event_id, Plan.deleted_at >= since
    return session.scalar(select(Plan).where(*which).execution_options(populate_existing=True))


def family_of(session: Session, plan: Plan) -> Sequence[Plan]:
    """Return a plan and the good plans beside it without their figures, in the order in which they were made."""
    main = plan.alternative_of or plan.id
    query = select(Plan).where((Plan.id == main) | (Plan.alternative_of == main), Plan.deleted_at.is_(None))
    return session.scalars(query.options(defer(Plan.figures)).order_by(Plan.id)).all()


def next_number(session: Session, event_id: UUID) -> int:
    """Return the number of the next version; one that was deleted keeps its own.

    Until the transaction ends nobody else gets one for this event: two runs may end at once. Workers hold their run by
    then, so they cannot lock the event, which others lock before runs.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(f"plans of {event_id}", 0))))
    return (session.scalar(select(func.max(Plan.number)).where(Plan.event_id == event_id)) or 0) + 1


def _versions(event_id: UUID) -> Select[Any]:
    starter, beside = aliased(User), aliased(Plan)
    count = select(func.count()).where(beside.alternative_of == Plan.id, beside.deleted_at.is_(None)).scalar_subquery()
    return (
        select(Plan, func.coalesce(User.name, starter.name), count)
        .outerjoin(User, User.id == Plan.created_by)
        .outerjoin(Run, Run.id == Plan.run_id)
        .outerjoin(starter, starter.id == Run.user_id)
        .where(Plan.event_id == event_id)
        .options(defer(Plan.figures))
    )


def _rows(session: Session, query: Select[Any]) -> list[VersionRow]:
    return [VersionRow(*row) for row in session.execute(query)]


def groups_of_guests(session: Session, event_id: UUID) -> dict[UUID, list[UUID]]:
    """Return the groups of each guest who is in one."""
    query = select(GroupGuest.guest_id, GroupGuest.group_id).join(Group, Group.id == GroupGuest.group_id)
    groups: dict[UUID, list[UUID]] = {}
    for guest_id, group_id in session.execute(query.where(Group.event_id == event_id)):
        groups.setdefault(guest_id, []).append(group_id)
    return groups


def repair_of(session: Session, plan_id: UUID) -> UUID | None:
    """Return the plan of the last run that changed this plan as little as possible."""
    query = (
        select(Plan.id)
        .join(Run, Run.id == Plan.run_id)
        .where(Run.from_plan == plan_id, Run.repair.is_(True), Plan.deleted_at.is_(None))
        .where(Plan.alternative_of.is_(None), Plan.is_copy.is_(False))
    )
    return session.scalar(query.order_by(Run.created_at.desc()).limit(1))
