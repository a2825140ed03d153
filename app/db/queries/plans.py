"""Reads of plans, seats and moves."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, LargeBinary, exists, func, select
from sqlalchemy.orm import Session, aliased, defer

from app.db.models import Guest, Move, Plan, Run, Seat, Table
from app.db.once import once
from app.db.queries.guests import is_seated


class SeatRow(NamedTuple):
    """The place in a plan of a guest who is still to be seated."""

    guest_id: UUID
    name: str
    table_id: UUID
    seat: int
    locked: bool


class MoverRow(NamedTuple):
    """A guest who sits at another table in a plan than in the one before, out of how many."""

    plan_id: UUID
    name: str
    before: str
    after: str
    movers: int


@once
def plan_of(session: Session, event_id: UUID, plan_id: UUID) -> Plan | None:
    """Return one plan of the event."""
    return session.scalar(select(Plan).where(Plan.id == plan_id, Plan.event_id == event_id))


def plans_of(
    session: Session, event_id: UUID, *, limit: int, after: UUID | None = None, alternatives: bool = False
) -> Sequence[Plan]:
    """Return the event's plans without their figures, the newest first, from behind `after`."""
    query = select(Plan).where(Plan.event_id == event_id).options(defer(Plan.figures, raiseload=True))
    if not alternatives:
        query = query.where(Plan.alternative_of.is_(None))
    if after is not None:
        query = query.where(Plan.id < after)
    return session.scalars(query.order_by(Plan.id.desc()).limit(limit)).all()


@once
def newest_plan_id(session: Session, event_id: UUID) -> UUID | None:
    """Return the id of the event's newest plan, which is never one that stands beside another."""
    query = select(Plan.id).where(Plan.event_id == event_id, Plan.alternative_of.is_(None))
    return session.scalar(query.order_by(Plan.id.desc()).limit(1))


def family_of(session: Session, plan: Plan) -> Sequence[Plan]:
    """Return a plan and the good plans beside it, in the order in which they were made, without their figures."""
    main = plan.alternative_of or plan.id
    query = select(Plan).where((Plan.id == main) | (Plan.alternative_of == main))
    return session.scalars(query.options(defer(Plan.figures)).order_by(Plan.id)).all()


def moved_guests(session: Session, plan_id: UUID, others: Collection[UUID]) -> dict[UUID, int]:
    """Return how many of those to be seated sit at another table in each of the other plans."""
    here, there = aliased(Seat), aliased(Seat)
    query = (
        select(there.plan_id, func.count())
        .join(here, here.guest_id == there.guest_id)
        .join(Guest, Guest.id == here.guest_id)
        .where(here.plan_id == plan_id, there.plan_id.in_(others), here.table_id != there.table_id)
        .where(is_seated())
        .group_by(there.plan_id)
    )
    return {row[0]: row[1] for row in session.execute(query)}


def movers_of(session: Session, plan_id: UUID, others: Collection[UUID], *, most: int) -> list[MoverRow]:
    """Return the first few of those to be seated who sit at another table in each of the other plans."""
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
        .where(here.plan_id == plan_id, there.plan_id.in_(others), here.table_id != there.table_id, is_seated())
        .subquery()
    )
    wanted = select(found.c.plan_id, found.c.name, found.c.before, found.c.after, found.c.movers)
    rows = session.execute(wanted.where(found.c.rank <= most).order_by(found.c.plan_id, found.c.rank))
    return [MoverRow(*row) for row in rows]


def plan_before(session: Session, run_id: UUID | None) -> UUID | None:
    """Return the plan from which the run started, if it started from one that is still there."""
    query = select(Plan.id).join(Run, Run.from_plan == Plan.id).where(Run.id == run_id)
    return session.scalar(query) if run_id else None


@once
def seats_of(session: Session, plan_id: UUID) -> list[SeatRow]:
    """Return who sits where, without those who are not coming or were removed, in the order of the seats."""
    query = (
        select(Seat.guest_id, Guest.name, Seat.table_id, Seat.seat, Seat.locked)
        .join(Guest, Guest.id == Seat.guest_id)
        .where(Seat.plan_id == plan_id, is_seated())
        .order_by(Seat.table_id, Seat.seat, Guest.position, Guest.id)
    )
    return [SeatRow(*row) for row in session.execute(query)]


@once
def tables_of(session: Session, event_id: UUID, plan_id: UUID) -> Sequence[Table]:
    """Return the tables of a plan: the event's, and removed ones where somebody still sits."""
    in_use = exists().where(Seat.plan_id == plan_id, Seat.table_id == Table.id, Guest.id == Seat.guest_id, is_seated())
    query = select(Table).where(Table.event_id == event_id, Table.removed_at.is_(None) | in_use)
    return session.scalars(query.order_by(Table.position, Table.id)).all()


def still_seated(session: Session, event_id: UUID, guest_ids: Collection[UUID]) -> set[UUID]:
    """Return which of the guests are still to be seated."""
    query = select(Guest.id).where(Guest.event_id == event_id, is_seated())
    return set(session.scalars(query)).intersection(guest_ids)


def stored_tables(session: Session, event_id: UUID, table_ids: Collection[UUID]) -> set[UUID]:
    """Return which of the tables still have a row, removed ones included."""
    return set(session.scalars(select(Table.id).where(Table.event_id == event_id))).intersection(table_ids)


def unseated_names(session: Session, event_id: UUID, plan_id: UUID) -> Sequence[str]:
    """Return the names of those who are to be seated and have no seat in the plan."""
    seated = exists().where(Seat.plan_id == plan_id, Seat.guest_id == Guest.id)
    query = select(Guest.name).where(Guest.event_id == event_id, is_seated(), ~seated)
    return session.scalars(query.order_by(Guest.position, Guest.id)).all()


def packed_problem(session: Session, run_id: UUID | None) -> bytes | None:
    """Return what the run solved, packed."""
    return session.scalar(select(Run.problem).where(Run.id == run_id)) if run_id else None


def start_of_problem(session: Session, run_id: UUID | None, size: int) -> bytes | None:
    """Return the first bytes of what the run solved, packed: all of it may be a hundred megabytes."""
    start = func.substr(Run.problem, 1, size, type_=LargeBinary)
    found = session.scalar(select(start).where(Run.id == run_id)) if run_id else None
    return bytes(found) if found else None


def restarts_asked(session: Session, run_id: UUID | None) -> int | None:
    """Return how many restarts the run was to make at most."""
    return session.scalar(select(Run.restarts).where(Run.id == run_id)) if run_id else None


def last_move(session: Session, plan_id: UUID) -> Move | None:
    """Return the move that an undo takes back."""
    return _first_move(session, plan_id, Move.undone.is_(False), Move.number.desc())


def next_move(session: Session, plan_id: UUID) -> Move | None:
    """Return the move that a redo does again."""
    return _first_move(session, plan_id, Move.undone.is_(True), Move.number.asc())


def _first_move(session: Session, plan_id: UUID, state: ColumnElement[bool], order: ColumnElement[int]) -> Move | None:
    return session.scalar(select(Move).where(Move.plan_id == plan_id, state).order_by(order).limit(1))
