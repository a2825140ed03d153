"""A plan as it is printed: names, tables and seats, and diets only for editors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import groupby
from uuid import UUID

from app.events.context import EventContext
from app.guests.public_names import SeatedPerson, public_names
from app.guests.queries.guests import names_ever_of
from app.plans.queries.rounds import RoundRow, main_of, rounds_of
from app.plans.read import require_plan
from app.plans.rounds import routes_of
from app.sharing.floor.read import FloorPlan
from app.sharing.logo.logos import PrintedLogo, print_logo
from app.sharing.printing import queries
from app.sharing.printing.diet_marks import kitchen_text
from app.sharing.printing.queries import SeatedRow


@dataclass(frozen=True)
class PrintedGuest:
    """A guest at a seat, counted from 1, as guests know them. The diet is empty for whoever may not see it."""

    id: UUID
    name: str
    table_id: UUID
    table: str
    seat: int
    child: bool
    household: str
    diet: str = ""
    high_chair: bool = False
    wheelchair: bool = False
    last_name: str = ""
    meals: Mapping[str, str] = field(default_factory=dict)
    route: tuple[tuple[int, str], ...] = ()
    """Of several rounds each with the table there."""
    listed: str = ""
    """The name on the planner's list, never printed; empty for whoever may not edit."""


@dataclass(frozen=True)
class PrintedPlan:
    """What can be printed of a plan, in the order of tables and seats."""

    event_name: str
    event_date: date | None
    guests: tuple[PrintedGuest, ...]
    shows_diets: bool
    logo: PrintedLogo | None = None
    floor: FloorPlan | None = None
    """Read only where it is printed."""
    round: int = 0
    """Which of several rounds it is; 0 is a plan without rounds."""
    dish_marks: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """The letters that stand for dishes, by course and dish."""

    @property
    def when(self) -> str:
        """Say which round it is, if there are several, and the day, if it is known."""
        day = f"{self.event_date.day} {self.event_date:%B %Y}" if self.event_date else ""
        return " · ".join(filter(None, [f"Round {self.round}" if self.round else "", day]))

    @property
    def tables(self) -> list[tuple[PrintedGuest, ...]]:
        """The guests of each table that has any."""
        return [tuple(guests) for _, guests in groupby(self.guests, key=lambda guest: guest.table_id)]


def read_seating(ctx: EventContext, plan_id: UUID, *, all_rounds: bool = False) -> PrintedPlan:
    """Return a plan for printing; with `all_rounds` also the guests who sit in other rounds only, behind the others."""
    plan = require_plan(ctx, plan_id)
    can_edit = ctx.allows("editor")
    rounds = rounds_of(ctx.session, main_of(plan)) if all_rounds else []
    rows: list[SeatedRow] = []
    names: dict[UUID, str] = {}
    meals: dict[UUID, dict[str, str]] = {}
    for one in dict.fromkeys((plan.id, *(other.plan_id for other in rounds))):
        found = queries.seated_of(ctx.session, one)
        rows += [row for row in found if row.guest_id not in names]
        names = _names_in(ctx, found) | names
        meals |= queries.meals_of(ctx.session, one) if can_edit else {}
    routes = routes_of(ctx.session, plan)
    guests = tuple(
        PrintedGuest(
            row.guest_id,
            names[row.guest_id],
            row.table_id,
            " ".join(row.table.split()),
            row.seat + 1,
            row.child,
            row.household or "",
            kitchen_text(row.diet, row.allergies, row.other_allergies) if can_edit else "",
            row.high_chair,
            row.wheelchair,
            row.last_name,
            meals.get(row.guest_id, {}),
            routes.get(row.guest_id, ()),
            row.name if can_edit else "",
        )
        for row in rows
    )
    marks = queries.dish_marks_of(ctx.session, ctx.event_id) if meals else {}
    logo = print_logo(ctx)
    return PrintedPlan(ctx.event.name, ctx.event.date, guests, can_edit, logo, round=plan.round, dish_marks=marks)


def rounds_to_print(ctx: EventContext, plan_id: UUID) -> list[RoundRow]:
    """Return the rounds that a plan is one of; none of a plan without rounds."""
    plan = require_plan(ctx, plan_id)
    return rounds_of(ctx.session, main_of(plan)) if plan.round else []


def _names_in(ctx: EventContext, rows: Sequence[SeatedRow]) -> dict[UUID, str]:
    people = (SeatedPerson(row.guest_id, row.name, row.public_name, row.party_id, row.table_id) for row in rows)
    return public_names(people, names_ever_of(ctx.session, ctx.event_id))
