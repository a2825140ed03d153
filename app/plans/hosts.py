"""Hosts of several rounds: who they are, and which table each of them keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from sqlalchemy.orm import Session

from app.db.models import Event, Plan
from app.plans.queries.rounds import RoundSeat, broken_in_rounds, main_of, tables_in_other_rounds
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


def host_key(host: UUID) -> str:
    """Return the key of the promise that a host keeps their table."""
    return f"host:{host}"


def tables_of_hosts(session: Session, plan: Plan, here: Mapping[UUID, UUID]) -> dict[UUID, UUID]:
    """Return the table that each host keeps in a round, by the tables where they sit in it: that of all other rounds.

    Without hosts who have several there. If this round differs, a move says which one is the exception: a host who was
    moved in another round keeps nothing here.
    """
    hosts = hosts_of(session, plan) if plan.round else frozenset()
    others = tables_in_other_rounds(session, plan, hosts) if hosts else {}
    kept = {host: next(iter(tables)) for host, tables in others.items() if len(tables) == 1}
    if all(here.get(host) == table for host, table in kept.items()):
        return kept
    broken = broken_in_rounds(session, main_of(plan))
    moved_here = broken.pop(plan.round, set())
    moved_elsewhere: set[str] = set().union(*broken.values())

    def is_kept(host: UUID, table: UUID) -> bool:
        if host not in here:
            return host_key(host) not in moved_elsewhere
        return here[host] == table or host_key(host) in moved_here

    return {host: table for host, table in kept.items() if is_kept(host, table)}


def describe_hosts(seats: Sequence[RoundSeat], hosts: frozenset[UUID], tables: int) -> str:
    """Say that hosts share tables, and why if there are too few; nothing if each has a table of their own.

    `tables` is how many the event has.
    """
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
    few, verb = f"only {count(always, 'table')}", "is" if always == 1 else "are"
    return f"{text}: there {verb} {few}." if always == tables else f"{text}: {few} {verb} used in every round."
