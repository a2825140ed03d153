"""Reads of plans and seats."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import BindParameter, Select, bindparam, case, func, select
from sqlalchemy.orm import Session, aliased, defer

from app.db.conditions import is_seated
from app.db.models import Guest, Plan, Run, Seat, Table
from app.db.once import once


class FamilyRow(NamedTuple):
    """A plan among the good plans of a run, and how many of those to be seated sit elsewhere than in another one."""

    id: UUID
    alternative_of: UUID | None
    name: str
    mse: float | None
    total: float | None
    moved: int | None
    elsewhere: int


class MoverRow(NamedTuple):
    """A guest who sits at another table in a plan than in the one before, out of how many."""

    plan_id: UUID
    name: str
    before: str
    after: str
    movers: int


# The queries of a plan's page are made once: to make one takes as long as to run it.
_EVENT: BindParameter[UUID] = bindparam("event")
_PLAN: BindParameter[UUID] = bindparam("plan")
_RUN: BindParameter[UUID] = bindparam("run")
_OTHERS: BindParameter[Collection[UUID]] = bindparam("others", expanding=True)
_PLANS_OF = (
    select(Plan)
    .where(Plan.event_id == _EVENT, Plan.deleted_at.is_(None))
    .options(defer(Plan.figures, raiseload=True))
    .order_by(Plan.id.desc())
    .limit(bindparam("limit"))
)
_MAIN_PLANS = _PLANS_OF.where(Plan.alternative_of.is_(None))
_PROBLEM = select(Run.problem).where(Run.id == _RUN)


def _family() -> Select[Any]:
    here, there = aliased(Seat), aliased(Seat)
    elsewhere = (
        select(func.count())
        .select_from(there)
        .join(here, here.guest_id == there.guest_id)
        .join(Guest, Guest.id == here.guest_id)
        .where(here.plan_id == _PLAN, there.plan_id == Plan.id, here.table_id != there.table_id, is_seated())
        .scalar_subquery()
    )
    main: BindParameter[UUID] = bindparam("main")
    others = case((Plan.id == _PLAN, 0), else_=elsewhere)  # a plan is not compared with itself, guest by guest
    return (
        select(Plan.id, Plan.alternative_of, Plan.name, Plan.mse, Plan.total, Plan.moved, others)
        .where((Plan.id == main) | (Plan.alternative_of == main), Plan.deleted_at.is_(None))
        .order_by(Plan.id)
    )


def _movers() -> Select[UUID, str, str, str, int]:
    here, there, before, after = aliased(Seat), aliased(Seat), aliased(Table), aliased(Table)
    rank = func.row_number().over(partition_by=there.plan_id, order_by=(Guest.position, Guest.id))
    found = (
        select(
            there.plan_id,
            Guest.name.label("name"),
            before.name.label("before"),
            after.name.label("after"),
            func.count().over(partition_by=there.plan_id).label("movers"),
            rank.label("rank"),
        )
        .join(here, here.guest_id == there.guest_id)
        .join(Guest, Guest.id == here.guest_id)
        .join(before, before.id == here.table_id)
        .join(after, after.id == there.table_id)
        .where(here.plan_id == _PLAN, there.plan_id.in_(_OTHERS), here.table_id != there.table_id, is_seated())
        .subquery()
    )
    wanted = select(found.c.plan_id, found.c.name, found.c.before, found.c.after, found.c.movers)
    return wanted.where(found.c.rank <= bindparam("most")).order_by(found.c.plan_id, found.c.rank)


_FAMILY, _MOVERS = _family(), _movers()


def plans_of(
    session: Session, event_id: UUID, *, limit: int, after: UUID | None = None, alternatives: bool = False
) -> Sequence[Plan]:
    """Return the event's plans without their figures, the newest first, from behind `after`."""
    query = _PLANS_OF if alternatives else _MAIN_PLANS
    if after is not None:
        query = query.where(Plan.id < after)
    return session.scalars(query, {"event": event_id, "limit": limit}).all()


def family_of(session: Session, plan: Plan) -> list[FamilyRow]:
    """Return a plan and the good plans beside it, in the order in which they were made, compared with this one."""
    rows = session.execute(_FAMILY, {"plan": plan.id, "main": plan.alternative_of or plan.id})
    return [FamilyRow(*row) for row in rows]


def movers_of(session: Session, plan_id: UUID, others: Collection[UUID], *, most: int) -> list[MoverRow]:
    """Return the first few of those to be seated who sit at another table in each of the other plans."""
    rows = session.execute(_MOVERS, {"plan": plan_id, "others": list(others), "most": most})
    return [MoverRow(*row) for row in rows]


def still_seated(session: Session, event_id: UUID, guest_ids: Collection[UUID]) -> set[UUID]:
    """Return which of the guests are still to be seated."""
    query = select(Guest.id).where(Guest.event_id == event_id, is_seated())
    return set(session.scalars(query)).intersection(guest_ids)


def stored_guests(session: Session, event_id: UUID, guest_ids: Collection[UUID]) -> set[UUID]:
    """Return which of the guests still have a row, removed ones included."""
    return set(session.scalars(select(Guest.id).where(Guest.event_id == event_id, Guest.id.in_(guest_ids))))


def stored_tables(session: Session, event_id: UUID, table_ids: Collection[UUID]) -> set[UUID]:
    """Return which of the tables still have a row, removed ones included."""
    return set(session.scalars(select(Table.id).where(Table.event_id == event_id))).intersection(table_ids)


@once
def packed_problem(session: Session, run_id: UUID | None) -> bytes | None:
    """Return what the run solved, packed."""
    return session.scalar(_PROBLEM, {"run": run_id}) if run_id else None
