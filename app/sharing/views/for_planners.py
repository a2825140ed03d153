"""What a co-planner with a read-only link sees: the plan, how well everyone sits, and what needs attention."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from app.db.models import Plan
from app.plans.names import default_name, plan_name
from app.plans.read import PlanTable, PlanView, find_plan, view_plan
from app.plans.rounds import rounds_in_words
from app.plans.satisfaction import Level
from app.plans.views.summary import Verdict, judge
from app.plans.views.text import GuestWords, describe_guests


@dataclass(frozen=True)
class PlannedGuest:
    """A guest with how well they sit; the seat is counted from 1."""

    seat: int
    name: str
    level: Level | None
    why: str


@dataclass(frozen=True)
class PlannedTable:
    """A table of the plan, and how many seats it has."""

    name: str
    seats: int
    guests: tuple[PlannedGuest, ...]


@dataclass(frozen=True)
class PlannerPlan:
    """The plan with its scores; `problems` are sentences."""

    name: str
    sentence: str
    tone: str
    mse: float | None
    total: float | None
    tables: tuple[PlannedTable, ...]
    problems: Sequence[str]


def plan_for_planners(session: Session, event_id: UUID, plan_id: UUID | None) -> PlannerPlan | None:
    """Return the plan as editors see it, without anything to change it; None without a plan."""
    if plan_id is None:
        return None
    plan = find_plan(session, event_id, plan_id)
    view = view_plan(session, plan, can_edit=True)
    words = describe_guests(view, {})
    verdict = judge(view, words)
    return PlannerPlan(
        name=_name(plan, len(view.rounds.rounds) if view.rounds else 0),
        sentence=verdict.sentence,
        tone=verdict.tone,
        mse=view.mse,
        total=view.total if view.figures and view.figures.kind == "score" else None,
        tables=tuple(_table(table, words) for table in view.tables if table.guests),
        problems=[*_without_seat(view), *_problems(verdict)],
    )


def _without_seat(view: PlanView) -> Iterator[str]:
    if view.rounds:
        yield from (f"{guest.name} has no seat in {rounds_in_words(guest.rounds)}." for guest in view.rounds.missing)
    else:
        yield from (f"{name} has no seat." for name in view.unseated)


def _name(plan: Plan, rounds: int) -> str:
    """Say which version it is, and which of several rounds."""
    if not rounds:
        return plan_name(plan)
    return f"{plan.name or default_name(plan.number, is_alternative=False)} · round {plan.round} of {rounds}"


def _table(table: PlanTable, words: dict[UUID, GuestWords]) -> PlannedTable:
    unknown = GuestWords()
    guests = (
        PlannedGuest(guest.seat + 1, guest.name, words.get(guest.id, unknown).level, words.get(guest.id, unknown).why)
        for guest in table.guests
    )
    return PlannedTable(table.name, table.seats, tuple(guests))


def _problems(verdict: Verdict) -> Iterator[str]:
    for quarrel in verdict.quarrels:
        one, other = quarrel.one, quarrel.other
        yield f"{one.name} and {other.name} are both at {one.table}, though {quarrel.though}."
    for one in verdict.to_look_at:
        yield f"{one.name} at {one.table}: {one.why}."
