"""Hosts of several rounds: who they are, and which table each of them keeps."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.orm import Session

from app.db.models import Event, Plan
from app.plans.queries.rounds import RoundSeat, tables_in_other_rounds
from app.problem.cached_findings import find_once
from app.runs.queries import run_by_id
from app.sentences import count


def hosts_of(session: Session, plan: Plan) -> frozenset[UUID]:
    """Return the hosts that the run of the rounds was asked for."""

    def find() -> frozenset[UUID]:
        run = run_by_id(session, plan.run_id) if plan.run_id else None
        return frozenset(run.options.hosts) if run else frozenset()

    event = session.get_one(Event, plan.event_id)
    return find_once(session, event, ("hosts", plan.run_id), find, without=("plans",))


def tables_of_hosts(session: Session, plan: Plan) -> dict[UUID, UUID]:
    """Return the table that each host has in all other rounds; without those who have several, or no other round."""
    hosts = hosts_of(session, plan) if plan.round else frozenset()
    others = tables_in_other_rounds(session, plan, hosts) if hosts else {}
    return {host: next(iter(tables)) for host, tables in others.items() if len(tables) == 1}


def describe_hosts(seats: Sequence[RoundSeat], hosts: frozenset[UUID]) -> str:
    """Say that hosts share tables, and why if there are too few; nothing if each has a table of their own."""
    first = min((seat.number for seat in seats), default=1)
    at = {seat.guest_id: seat.table_id for seat in seats if seat.number == first and seat.guest_id in hosts}
    shared = len(set(at.values()))
    if shared == len(at):
        return ""
    used: dict[int, set[UUID]] = {}
    for seat in seats:
        used.setdefault(seat.number, set()).add(seat.table_id)
    always = len(set.intersection(*used.values()))
    text = f"{count(len(at), 'host')} share {count(shared, 'table')}"
    if len(at) <= always:
        return f"{text}."
    return f"{text}: only {count(always, 'table')} {'is' if always == 1 else 'are'} used in every round."
