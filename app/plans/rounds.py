"""Plans of several rounds: which there are, who meets whom in them, and where each guest sits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from app.db.models import Event, Plan
from app.guests.queries.parties import parties_of
from app.plans.always_together import AlwaysTogether
from app.plans.host_marks import HostMarks, mark_hosts
from app.plans.hosts import describe_hosts, hosts_of
from app.plans.queries import rounds as queries
from app.plans.queries.rounds import RoundRow, RoundSeat, main_of
from app.plans.seating import read_surroundings
from app.plans.staleness import ENOUGH_BYTES
from app.problem.cached_findings import find_once
from app.problem.packing import unpack_outline
from app.runs.queries import run_by_id, start_of_problem
from app.sentences import list_in_words
from app.solver import MeetingReport, report_meetings
from app.tables.queries import tables_of

OFTEN = 3
"""From so many meetings of one pair on, the other goal is worth a word."""


@dataclass(frozen=True)
class MissingGuest:
    """A guest without a seat in some rounds, which are given by their numbers."""

    id: UUID
    name: str
    rounds: tuple[int, ...]


@dataclass(frozen=True)
class PlanRounds:
    """The rounds of a plan, and who meets whom in them as they are now."""

    rounds: tuple[RoundRow, ...]
    meetings: MeetingReport
    hosts_note: str = ""
    """That hosts share tables, or that a table has lost its host, if so."""
    missing: tuple[MissingGuest, ...] = ()
    """Those to be seated who have no seat in some of the rounds."""
    hosts: HostMarks = field(default_factory=HostMarks)
    meet_too_often: bool = False
    """Whether some pair meets in most rounds, and would not by the goal to spread repeats."""


def read_rounds(session: Session, plan: Plan) -> PlanRounds | None:
    """Return the rounds of a plan, from any of them; None if it has none."""
    if not plan.round:
        return None
    rounds = queries.rounds_of(session, main_of(plan))
    seats = queries.seats_in_rounds(session, main_of(plan))
    households = parties_of(session, plan.event_id)
    report = _report(len(rounds), seats, households, _met_before(session, plan))
    too_often = _meets_often(report) and _is_for_new_people(session, plan) and _is_avoidable(session, plan, seats)
    missing = tuple(_missing(session, plan, rounds, seats))
    hosts = mark_hosts(session, plan, seats)
    sharing = describe_hosts(seats, hosts_of(session, plan), len(tables_of(session, plan.event_id)))
    note = " ".join(filter(None, [sharing, hosts.absent]))
    return PlanRounds(tuple(rounds), report, note, missing, hosts, too_often)


def _meets_often(report: MeetingReport) -> bool:
    """Return whether some pair meets at least three times, and in more than half of the rounds."""
    most = report.repeats[-1][0] if report.repeats else 0
    return most >= OFTEN and 2 * most > report.rounds


def _is_for_new_people(session: Session, plan: Plan) -> bool:
    run = run_by_id(session, plan.run_id) if plan.run_id else None
    return run is not None and run.options.goal == "new"


def _is_avoidable(session: Session, plan: Plan, seats: Sequence[RoundSeat]) -> bool:
    """Return whether that is so without those whom a household, a rule or a table of hosts keeps together."""
    hosts, at = hosts_of(session, plan), dict[UUID, list[UUID]]()
    for seat in seats:
        if seat.guest_id in hosts and seat.number == 1:
            at.setdefault(seat.table_id, []).append(seat.guest_id)
    joined = AlwaysTogether(read_surroundings(session, plan.event_id)).groups
    return _meets_often(_report(len({seat.number for seat in seats}), seats, [*joined, *at.values()], ()))


def _missing(
    session: Session, plan: Plan, rounds: Sequence[RoundRow], seats: Sequence[RoundSeat]
) -> Iterator[MissingGuest]:
    seated: dict[UUID, set[int]] = {}
    for seat in seats:
        seated.setdefault(seat.guest_id, set()).add(seat.number)
    for guest, name in read_surroundings(session, plan.event_id).names.items():
        without = tuple(one.number for one in rounds if one.number not in seated.get(guest, ()))
        if without:
            yield MissingGuest(guest, name, without)


def rounds_in_words(numbers: Sequence[int]) -> str:
    """Say which rounds: “round 2”, “rounds 2–6”, “rounds 1, 3 and 5–8”."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [part for run in runs for part in (map(str, run) if len(run) < 3 else [f"{run[0]}–{run[-1]}"])]
    return f"{'round' if len(numbers) == 1 else 'rounds'} {list_in_words(parts)}"


def _met_before(session: Session, plan: Plan) -> tuple[tuple[UUID, UUID], ...]:
    """Return the pairs that had met before the rounds were planned, as long as their run is stored."""

    def find() -> tuple[tuple[UUID, UUID], ...]:
        start = start_of_problem(session, plan.run_id, ENOUGH_BYTES)
        outline = unpack_outline(start) if start else None
        return outline.met if outline else ()

    event = session.get_one(Event, plan.event_id)
    return find_once(session, event, ("met", plan.run_id), find, without=("plans",))


def _report(
    rounds_count: int,
    seats: Sequence[RoundSeat],
    households: Sequence[Sequence[UUID]],
    met: Sequence[tuple[UUID, UUID]],
) -> MeetingReport:
    guests = {key: place for place, key in enumerate(dict.fromkeys(seat.guest_id for seat in seats))}
    tables = {key: place for place, key in enumerate(dict.fromkeys(seat.table_id for seat in seats))}
    rounds = {number: row for row, number in enumerate(sorted({seat.number for seat in seats}))}
    at = np.full((rounds_count, len(guests)), -1, np.int64)
    for seat in seats:
        at[rounds[seat.number], guests[seat.guest_id]] = tables[seat.table_id]
    homes = [[guests[member] for member in home if member in guests] for home in households]
    before = [(guests[first], guests[second]) for first, second in met if {first, second} <= guests.keys()]
    return report_meetings(at, homes, before)


def routes_of(session: Session, plan: Plan) -> dict[UUID, tuple[tuple[int, str], ...]]:
    """Return the table of each guest in each round, by its name; nothing for a plan without rounds."""
    if not plan.round:
        return {}
    names = {table.id: table.name for table in tables_of(session, plan.event_id, with_removed=True)}
    routes: dict[UUID, list[tuple[int, str]]] = {}
    for seat in queries.seats_in_rounds(session, main_of(plan)):
        routes.setdefault(seat.guest_id, []).append((seat.number, " ".join(names[seat.table_id].split())))
    return {guest: tuple(route) for guest, route in routes.items()}


def count_rounds(session: Session, plan: Plan) -> int:
    """Return how many rounds a plan has."""
    return len(queries.rounds_of(session, main_of(plan)))


def route_text(route: Sequence[tuple[int, str]], rounds: int = 0) -> str:
    """Say where somebody sits in each round: “Round 1: Oak · Round 2: Birch”."""
    return " · ".join(route_lines(route, rounds))


def route_lines(route: Sequence[tuple[int, str]], rounds: int = 0) -> tuple[str, ...]:
    """Say where somebody sits, a text for each round: “Round 1: Oak”; whoever stays in all of them has one."""
    tables = {table for _, table in route}
    if len(tables) == 1 and len(route) == rounds > 1:
        return (f"{next(iter(tables))} in all rounds",)
    return tuple(f"Round {number}: {table}" for number, table in route)


def describe_route(session: Session, plan: Plan, guest_id: UUID) -> str:
    """Say where one guest sits in each round; nothing for a plan without rounds."""
    return route_text(routes_of(session, plan).get(guest_id, ()), count_rounds(session, plan))
