"""/shared/{token}: what a link shows to anyone who has it, as its audience may see it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any

from fastapi import Request
from pydantic import Field

from app.sharing import links, shared_seating
from app.sharing.link_uses import LinkUses
from app.sharing.shared_rounds import AskedRound, RoundLinks, choose_round
from app.sharing.shared_seating import SharedTable
from app.sharing.views.for_planners import PlannerPlan, plan_for_planners
from app.web.deps import Db
from app.web.json_api.schemas import Answer
from app.web.one_hop import Router

router = Router(prefix="/api/v1/shared", tags=["shared"])
SATISFACTION: dict[int | None, str] = {2: "close", 1: "gets along", 0: "needs attention", None: "unknown"}
ROUND = "Which of several rounds this is, counted from 1; 0 without rounds"
ROUNDS = "The numbers of all rounds; none without rounds"


class SharedEventOut(Answer):
    """The event, as shown to guests."""

    name: str
    date: dt.date | None


class SharedGuestOut(Answer):
    """A guest at a table."""

    name: str


class SharedTableOut(Answer):
    """A table and who sits there."""

    name: str
    guests: list[SharedGuestOut]


class SharedRoundOut(Answer):
    """A round, counted from 1."""

    number: int
    tables: list[SharedTableOut]


class SharedOut(Answer):
    """Names and tables, and nothing else: what a link for guests shows."""

    event: SharedEventOut
    tables: list[SharedTableOut]
    rounds: list[SharedRoundOut] = Field(description="All rounds, if there are several; `tables` are of the first")


class VenueSeatOut(Answer):
    """A seat, counted from 1."""

    seat: int
    name: str
    child: bool
    high_chair: bool
    wheelchair: bool
    diet: str = Field(description="Diet and allergies")
    meals: dict[str, str] = Field(description="The dish of each course")


class VenueTableOut(Answer):
    """A table as the venue sees it."""

    name: str
    children: int
    high_chairs: int
    wheelchairs: int
    seats: list[VenueSeatOut]


class TotalOut(Answer):
    """How many guests need something."""

    name: str
    guests: int


class VenueOut(Answer):
    """Tables, seats and diets: what a link for the venue and the caterer shows."""

    event: SharedEventOut
    guests: int
    children: int
    high_chairs: int
    wheelchairs: int
    dishes: list[TotalOut] = Field(description="How many guests chose each dish, named with its course")
    meals: list[TotalOut]
    allergies: list[TotalOut]
    tables: list[VenueTableOut]
    round: int = Field(description=ROUND)
    rounds: list[int] = Field(description=ROUNDS)


class PlannedGuestOut(Answer):
    """A guest with how well they sit."""

    seat: int
    name: str
    satisfaction: str = Field(description="close, gets along, needs attention or unknown")
    reason: str


class PlannedTableOut(Answer):
    """A table of the plan."""

    name: str
    seats: int
    guests: list[PlannedGuestOut]


class PlannerOut(Answer):
    """The plan with its scores: what a read-only link for a co-planner shows."""

    event: SharedEventOut
    plan: str | None = Field(description="The name of the plan; null if there is none yet")
    summary: str
    mse: float | None
    total: float | None
    problems: list[str]
    tables: list[PlannedTableOut]
    round: int = Field(description=ROUND)
    rounds: list[int] = Field(description=ROUNDS)


@router.get("/{token}")
def open_link(request: Request, session: Db, token: str, asked: AskedRound = "") -> SharedOut | VenueOut | PlannerOut:
    """Retrieve what a link shows to its audience. No API key needed.

    Of several rounds, `round` chooses one for the venue and for co-planners; guests see all of them.
    """
    state = links.open_link(session, token)
    uses: LinkUses = request.app.state.link_uses
    uses.count(state.link_id)
    event = SharedEventOut.model_validate(shared_seating.shared_event(session, state.event_id))
    if state.audience != "guests":
        plan_id, chosen = choose_round(session, state.plan_id, asked)
        if state.audience == "venue":
            return _venue(event, shared_seating.seating_for_venue(session, plan_id), chosen)
        return _planner(event, plan_for_planners(session, state.event_id, plan_id), chosen)
    tables = shared_seating.seating_for_guests(session, state.plan_id)
    rounds = shared_seating.rounds_for_guests(session, state.plan_id)
    shown = [SharedRoundOut(number=one.number, tables=_tables(one.tables)) for one in rounds]
    return SharedOut(event=event, tables=_tables(tables), rounds=shown)


def _tables(tables: Iterable[SharedTable]) -> list[SharedTableOut]:
    return [SharedTableOut(name=t.name, guests=[SharedGuestOut(name=name) for name in t.guests]) for t in tables]


def _venue(event: SharedEventOut, venue: shared_seating.VenuePlan, chosen: RoundLinks) -> VenueOut:
    return VenueOut(
        event=event,
        guests=venue.guest_count,
        children=venue.children,
        high_chairs=venue.high_chairs,
        wheelchairs=venue.wheelchairs,
        dishes=[TotalOut(name=name, guests=number) for name, number in venue.dishes],
        meals=[TotalOut(name=name, guests=number) for name, number in venue.meals],
        allergies=[TotalOut(name=name, guests=number) for name, number in venue.allergies],
        tables=[VenueTableOut.model_validate(table) for table in venue.tables],
        round=chosen.shown,
        rounds=list(chosen.numbers),
    )


def _planner(event: SharedEventOut, planned: PlannerPlan | None, chosen: RoundLinks) -> PlannerOut:
    rounds: dict[str, Any] = {"round": chosen.shown, "rounds": list(chosen.numbers)}
    if planned is None:
        return PlannerOut(event=event, plan=None, summary="", mse=None, total=None, problems=[], tables=[], **rounds)
    tables = [
        PlannedTableOut(
            name=table.name,
            seats=table.seats,
            guests=[
                PlannedGuestOut(seat=one.seat, name=one.name, satisfaction=SATISFACTION[one.level], reason=one.why)
                for one in table.guests
            ],
        )
        for table in planned.tables
    ]
    return PlannerOut(
        event=event,
        plan=planned.name,
        summary=planned.sentence,
        mse=planned.mse,
        total=planned.total,
        problems=list(planned.problems),
        tables=tables,
        **rounds,
    )
