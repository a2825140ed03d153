"""Two plans compared: everyone who sits at another table, what it gains for them, and the tables that stay the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID

from sqlalchemy.orm import Session

from app.events.context import EventContext
from app.plans.figures import Figures, GuestFigure
from app.plans.metrics import measure
from app.plans.read import PlanTable, PlanView, SeatedGuest, read_plan, snapshot_of
from app.plans.satisfaction import level_of

Gain = Literal["better", "same", "worse"]
LEAST_GAIN = 0.05  # of what values are measured against: a smaller change of a guest's mean makes none in words


@dataclass(frozen=True)
class GuestMove:
    """A guest who sits at another table, or in only one of the plans; `gain` is for those who may see ratings."""

    guest_id: UUID
    name: str
    before: PlanTable | None
    after: PlanTable | None
    gain: Gain | None = None


@dataclass(frozen=True)
class Comparison:
    """Two plans, measured by the same ratings, with everyone who moves and the tables with the same guests in both."""

    before: PlanView
    after: PlanView
    moves: tuple[GuestMove, ...]
    same_tables: tuple[PlanTable, ...]
    measured_again: UUID | None = None
    """The plan that its own page describes otherwise: by the ratings of its own run."""

    def count(self, gain: Gain) -> int:
        """Return how many guests who move sit better, the same or worse."""
        return sum(1 for move in self.moves if move.gain == gain)


def compare_plans(ctx: EventContext, before_id: UUID, after_id: UUID) -> Comparison:
    """Compare where everyone sits in two plans of an event."""
    own = read_plan(ctx, before_id), read_plan(ctx, after_id)
    before, after = _by_the_same_ratings(ctx.session, *own)
    places_before, places_after = _places(before), _places(after)
    everyone = places_before | places_after
    moves = [
        _move(before, after, guest.id, guest.name, places_before, places_after)
        for guest, _ in everyone.values()
        if _table_id(places_before, guest.id) != _table_id(places_after, guest.id)
    ]
    guests_before = {table.id: _guest_ids(table) for table in before.tables}
    same = [table for table in after.tables if table.guests and guests_before.get(table.id) == _guest_ids(table)]
    other = [view.plan.id for view, was in zip((before, after), own, strict=True) if _levels(view) != _levels(was)]
    return Comparison(before, after, tuple(moves), tuple(same), next(iter(other), None))


def _levels(view: PlanView) -> list[int | None]:
    if view.figures is None:
        return []
    guests = (guest for table in view.tables for guest in table.guests if guest.figure)
    return [level_of(guest.figure, view.figures) for guest in guests if guest.figure]


Places = dict[UUID, tuple[SeatedGuest, PlanTable]]


def _places(view: PlanView) -> Places:
    return {guest.id: (guest, table) for table in view.tables for guest in table.guests}


def _table_id(places: Places, guest_id: UUID) -> UUID | None:
    return places[guest_id][1].id if guest_id in places else None


def _guest_ids(table: PlanTable) -> set[UUID]:
    return {guest.id for guest in table.guests}


def _move(
    before: PlanView, after: PlanView, guest_id: UUID, name: str, places_before: Places, places_after: Places
) -> GuestMove:
    was, now = places_before.get(guest_id), places_after.get(guest_id)
    gain = None
    if was and now and was[0].figure and now[0].figure and before.figures and after.figures:
        gain = gain_of(was[0].figure, now[0].figure, after.figures)
    return GuestMove(guest_id, name, was[1] if was else None, now[1] if now else None, gain)


def gain_of(was: GuestFigure, now: GuestFigure, figures: Figures) -> Gain:
    """Return whether a guest sits better or worse: by their level first, then by the mean of their pairs."""
    levels = [level_of(figure, figures) for figure in (was, now)]
    ranks = [0.5 if level is None else float(level) for level in levels]
    difference = ranks[1] - ranks[0]
    if not difference:
        difference = now.mean - was.mean if figures.kind == "score" else was.mean - now.mean
        difference = 0.0 if abs(difference) < LEAST_GAIN * figures.unit else difference
    return "better" if difference > 0 else "worse" if difference < 0 else "same"


def _by_the_same_ratings(session: Session, before: PlanView, after: PlanView) -> tuple[PlanView, PlanView]:
    """Measure both plans by what the newer run solved: what was known of the guests may have changed between them."""
    if before.plan.run_id == after.plan.run_id or not (before.figures and after.figures):
        return before, after
    if (before.plan.run_id or UUID(int=0)) > (after.plan.run_id or UUID(int=0)):
        return before, _measured_like(session, after, before)
    return _measured_like(session, before, after), after


def _measured_like(session: Session, view: PlanView, newer: PlanView) -> PlanView:
    snapshot = snapshot_of(session, newer.plan)
    if snapshot is None or newer.figures is None:
        return view
    measures = measure(snapshot, {guest.id: table.id for table in view.tables for guest in table.guests})
    figures = newer.figures.measured_again(measures)
    tables = tuple(
        replace(table, guests=tuple(guest._replace(figure=figures.guests.get(guest.id)) for guest in table.guests))
        for table in view.tables
    )
    # Its value can be compared only where both plans seat the same guests.
    values = (measures.mse, measures.total) if measures.everyone else (None, None)
    return replace(view, figures=figures, tables=tables, mse=values[0], total=values[1])
