"""Who is a host of several rounds and of which table, and which table lost its host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.db.models import Plan, Seat
from app.guests.queries.guests import names_ever
from app.plans.hosts import hosts_of
from app.plans.queries.rounds import RoundSeat, is_of_rounds, main_of
from app.plans.seating import read_surroundings
from app.tables.queries import tables_of


@dataclass(frozen=True)
class HostMarks:
    """What is said of each host, and of the tables whose hosts do not attend."""

    of: Mapping[UUID, str] = field(default_factory=dict)
    absent: str = ""


def mark_hosts(session: Session, plan: Plan, seats: Sequence[RoundSeat]) -> HostMarks:
    """Say of which table each host is, and which table has no host now."""
    hosts = hosts_of(session, plan)
    if not hosts:
        return HostMarks()
    names = {table.id: table.name for table in tables_of(session, plan.event_id, with_removed=True)}
    attending = read_surroundings(session, plan.event_id).names
    found = {host: set[UUID]() for host in hosts if host in attending}
    for seat in seats:
        if seat.guest_id in found:
            found[seat.guest_id].add(seat.table_id)
    marks = {
        host: f"host of {names[next(iter(tables))]} in all rounds" if len(tables) == 1 else "host"
        for host, tables in found.items()
    }
    hosted = set[UUID]().union(*found.values())
    return HostMarks(marks, _absent(session, plan, hosts - found.keys(), hosted, names))


def _absent(session: Session, plan: Plan, hosts: frozenset[UUID], hosted: set[UUID], names: Mapping[UUID, str]) -> str:
    """Name the tables whose hosts are not attending, with the seats that are kept for them."""
    if not hosts:
        return ""
    query = select(Seat.guest_id, Seat.table_id).join(Plan, Plan.id == Seat.plan_id)
    query = query.where(is_of_rounds(main_of(plan)), Plan.deleted_at.is_(None), Seat.guest_id.in_(hosts))
    people = names_ever(session, plan.event_id)
    lost = {table: host for host, table in session.execute(query) if table not in hosted}
    return " ".join(
        f"{name} has no host now: {people.get(lost[table], 'the host')} is not attending."
        for table, name in names.items()
        if table in lost
    )
