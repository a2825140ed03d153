"""Reads of removed guests and of what is stored about one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, delete, exists, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.db.models import (
    Arrival,
    AskedPair,
    Group,
    GroupGuest,
    Guest,
    GuestImport,
    Party,
    Plan,
    Rating,
    RatingMatrix,
    Rule,
    RuleGuest,
    Seat,
    Table,
    Wish,
    WishLink,
)
from app.db.models.rules import GUEST_KINDS

STEP = 500  # ids that one statement names


class Kept(NamedTuple):
    """How much refers to a guest."""

    ratings: int
    rules: int
    wishes: int
    seats: int


def guest_ever(session: Session, event_id: UUID, guest_id: UUID) -> Guest | None:
    """Return a guest of the event, removed or not."""
    return session.scalar(select(Guest).where(Guest.event_id == event_id, Guest.id == guest_id))


def guests_ever(session: Session, event_id: UUID, guest_ids: Collection[UUID]) -> Sequence[Guest]:
    """Return those of these guests who are stored, removed or not."""
    wanted = set(guest_ids)
    if len(wanted) > STEP:
        return [one for one in session.scalars(select(Guest).where(Guest.event_id == event_id)) if one.id in wanted]
    return session.scalars(select(Guest).where(Guest.event_id == event_id, Guest.id.in_(wanted))).all()


def removed_guests(session: Session, event_id: UUID, limit: int) -> Sequence[Guest]:
    """Return the removed guests, the last one first."""
    query = select(Guest).where(Guest.event_id == event_id, Guest.removed_at.is_not(None))
    return session.scalars(query.order_by(Guest.removed_at.desc(), Guest.position).limit(limit)).all()


def count_steps(session: Session, event_id: UUID) -> dict[datetime, int]:
    """Return how many guests each step removed who are still stored, by its moment."""
    query = select(Guest.removed_at, func.count()).where(Guest.event_id == event_id, Guest.removed_at.is_not(None))
    return {moment: number for moment, number in session.execute(query.group_by(Guest.removed_at)) if moment}


def count_removed(session: Session, event_id: UUID) -> int:
    query = select(func.count(Guest.id)).where(Guest.event_id == event_id, Guest.removed_at.is_not(None))
    return session.scalar(query) or 0


def events_with_removed(session: Session, before: datetime) -> Sequence[UUID]:
    """Return the events in which guests were removed before this moment."""
    return session.scalars(select(Guest.event_id).where(Guest.removed_at < before).distinct()).all()


def removed_before(session: Session, event_id: UUID, before: datetime) -> frozenset[UUID]:
    """Return the guests of an event who were removed before this moment."""
    return frozenset(session.scalars(select(Guest.id).where(Guest.event_id == event_id, Guest.removed_at < before)))


def count_kept(session: Session, guest_ids: Sequence[UUID]) -> dict[UUID, Kept]:
    """Count what comes back with each removed guest, and goes with an erased one."""
    ratings = _count_by(session, guest_ids, Rating.guest_a, Rating.guest_b)
    rules = _count_by(session, guest_ids, RuleGuest.guest_id)
    wishes = _count_by(session, guest_ids, Wish.guest_id, Wish.other_id)
    seats = _count_versions(session, guest_ids)
    return {one: Kept(ratings[one], rules[one], wishes[one], seats[one]) for one in guest_ids}


def _count_versions(session: Session, guest_ids: Sequence[UUID]) -> Counter[UUID]:
    """Count the versions of the plan in which each guest has a seat: what a person would count, not alternatives."""
    found: Counter[UUID] = Counter()
    query = select(Seat.guest_id, func.count()).join(Plan, Plan.id == Seat.plan_id).where(Plan.alternative_of.is_(None))
    for start in range(0, len(guest_ids), STEP):
        named = Seat.guest_id.in_(guest_ids[start : start + STEP])
        found.update(dict(session.execute(query.where(named).group_by(Seat.guest_id)).tuples().all()))
    return found


def _count_by(session: Session, guest_ids: Sequence[UUID], *columns: InstrumentedAttribute[UUID]) -> Counter[UUID]:
    """Count the rows that name each guest in one of these columns."""
    found: Counter[UUID] = Counter()
    for column in columns:
        for start in range(0, len(guest_ids), STEP):
            named = column.in_(guest_ids[start : start + STEP])
            rows = session.execute(select(column, func.count()).where(named).group_by(column))
            for guest_id, number in rows:
                found[guest_id] += number
    return found


class MatrixState(NamedTuple):
    """A value that changes when a matrix is uploaded or somebody is erased from it."""

    created_at: datetime
    guest_ids: list[str]


def matrix_state(session: Session, event_id: UUID) -> MatrixState | None:
    """Return the state of the uploaded matrix, if there is one."""
    query = select(RatingMatrix.created_at, RatingMatrix.guest_ids).where(RatingMatrix.event_id == event_id)
    found = session.execute(query).one_or_none()
    return MatrixState(*found) if found else None


def groups_with(session: Session, guests: Sequence[Guest]) -> set[UUID]:
    """Return the groups that these guests are in."""
    ids = [guest.id for guest in guests]
    found: set[UUID] = set()
    for start in range(0, len(ids), STEP):
        query = select(GroupGuest.group_id).where(GroupGuest.guest_id.in_(ids[start : start + STEP]))
        found.update(session.scalars(query))
    return found


def delete_empty(session: Session, event_id: UUID, parties: Iterable[UUID], groups: Iterable[UUID]) -> None:
    """Delete those of these households and groups that nobody is in any more, and rules that name too few guests."""
    nobody_there = ~exists().where(Guest.party_id == Party.id)
    session.execute(delete(Party).where(Party.event_id == event_id, Party.id.in_(list(parties)), nobody_there))
    no_member = ~exists().where(GroupGuest.group_id == Group.id)
    session.execute(delete(Group).where(Group.event_id == event_id, Group.id.in_(list(groups)), no_member))
    named = select(func.count()).where(RuleGuest.rule_id == Rule.id).scalar_subquery()
    too_few = or_(named == 0, (Rule.kind != "pinned") & (named < 2))
    session.execute(delete(Rule).where(Rule.event_id == event_id, Rule.kind.in_(GUEST_KINDS), too_few))


def groups_of(session: Session, guest_id: UUID) -> list[str]:
    query = select(Group.name).join(GroupGuest, GroupGuest.group_id == Group.id)
    return list(session.scalars(query.where(GroupGuest.guest_id == guest_id).order_by(Group.name)))


def party_of(session: Session, guest: Guest) -> str:
    return session.scalar(select(Party.name).where(Party.id == guest.party_id)) or ""


class SeatTaken(NamedTuple):
    """A seat of a guest in one of the plans."""

    plan_id: UUID
    alternative_of: UUID | None
    number: int
    name: str
    table: str
    seat: int
    locked: bool
    round: int


def seats_of_guest(session: Session, guest_id: UUID) -> list[SeatTaken]:
    """Return where a guest sits in all plans, deleted ones too; alternatives stand beside their plan."""
    query = (
        select(Plan.id, Plan.alternative_of, Plan.number, Plan.name, Table.name, Seat.seat, Seat.locked, Plan.round)
        .join(Seat, Seat.plan_id == Plan.id)
        .join(Table, Table.id == Seat.table_id)
        .where(_sits(guest_id))
        .order_by(Plan.number, Plan.alternative_of.is_not(None), Plan.round, Plan.id)
    )
    return [SeatTaken(*row) for row in session.execute(query)]


def rules_about(session: Session, guest_id: UUID) -> list[tuple[str, int]]:
    """Return the kinds of the rules that name a guest, and how many others each of them names."""
    others = select(func.count()).where(RuleGuest.rule_id == Rule.id, RuleGuest.guest_id != guest_id).scalar_subquery()
    query = select(Rule.kind, others).where(
        exists().where(RuleGuest.rule_id == Rule.id, RuleGuest.guest_id == guest_id)
    )
    return [(kind, number) for kind, number in session.execute(query.order_by(Rule.id))]


class WishMade(NamedTuple):
    """A wish of a guest."""

    name: str
    created_at: datetime
    accepted_at: datetime | None
    declined_at: datetime | None


def wishes_by(session: Session, guest_id: UUID) -> list[WishMade]:
    """Return whom a guest would like to sit with."""
    query = select(Guest.name, Wish.created_at, Wish.accepted_at, Wish.declined_at).join(
        Guest, Guest.id == Wish.other_id
    )
    return [WishMade(*row) for row in session.execute(query.where(Wish.guest_id == guest_id).order_by(Wish.created_at))]


def links_of(session: Session, guest: Guest) -> Sequence[WishLink]:
    """Return the links for wishes of a guest and of their household."""
    whose = WishLink.guest_id == guest.id
    if guest.party_id:
        whose |= WishLink.party_id == guest.party_id
    return session.scalars(select(WishLink).where(whose).order_by(WishLink.id)).all()


def arrival_of(session: Session, guest_id: UUID) -> Arrival | None:
    return session.get(Arrival, guest_id)


def count_asked(session: Session, guest_id: UUID) -> int:
    """Count the pairs with this guest that the planner was asked about and did not rate."""
    return _count(session, AskedPair, or_(AskedPair.guest_a == guest_id, AskedPair.guest_b == guest_id))


def imports_with_undo(session: Session, event_id: UUID) -> list[tuple[datetime, bytes]]:
    """Return when guests were imported, and what undoes it."""
    query = select(GuestImport.created_at, GuestImport.undo).where(GuestImport.event_id == event_id)
    return [(at, undo) for at, undo in session.execute(query.order_by(GuestImport.id)) if undo]


def _sits(guest_id: UUID) -> ColumnElement[bool]:
    return Seat.guest_id == guest_id


def _count(session: Session, what: type, which: ColumnElement[bool]) -> int:
    return session.scalar(select(func.count()).select_from(what).where(which)) or 0
