"""Plans as a person reads them. Runs make them in `save`, `moves` changes them, `versions` names and deletes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.orm import Session

from app.db import models
from app.db.models import Role
from app.errors import NotFound
from app.events.context import EventContext
from app.plans.figures import Figures, GuestFigure, TableFigure
from app.plans.metrics import measure
from app.plans.queries import plans as queries
from app.plans.rounds import PlanRounds, read_rounds
from app.plans.seating import Reservation, SeatingTable, read_surroundings
from app.problem.queries import seats as seat_queries
from app.problem.snapshot import Snapshot
from app.problem.snapshot_cache import read_snapshot


class UnseatedGuest(NamedTuple):
    """A guest in the unseated tray."""

    id: UUID
    name: str


class SeatedGuest(NamedTuple):
    """A guest at a table; the seat is counted from 0. Figures are for editors.

    `certainty` is how much of this company other good plans keep, from 0 to 1, none where nothing is known.
    """

    id: UUID
    name: str
    seat: int
    locked: bool
    figure: GuestFigure | None = None
    certainty: float | None = None


@dataclass(frozen=True)
class PlanTable:
    """A table of a plan with the guests there, in the order of their seats."""

    id: UUID
    name: str
    shape: str
    seats: int
    x: float | None
    y: float | None
    is_removed: bool
    guests: tuple[SeatedGuest, ...]
    figure: TableFigure | None = None
    locked: bool = False
    blocked: tuple[int, ...] = ()
    rotation: float = 0.0
    end_seats: bool = False
    reserved_for: UUID | None = None
    reserved_name: str = ""
    """The name of the group that it is reserved for; for editors."""

    @property
    def free_seats(self) -> tuple[int, ...]:
        """The seats where somebody could sit, counted from 0."""
        taken = {*self.blocked, *(guest.seat for guest in self.guests)}
        return tuple(seat for seat in range(self.seats) if seat not in taken)


@dataclass(frozen=True)
class OtherGoodPlan:
    """Another good plan of the same run, and how many guests sit at another table there.

    Those that stand beside the one in use are numbered from 1.
    """

    id: UUID
    number: int
    name: str
    mse: float | None
    total: float | None
    guests_moved: int
    is_main: bool
    moved: int | None = None


@dataclass(frozen=True)
class PlanView:
    """A plan as somebody may see it; whoever may not see ratings gets no figures."""

    plan: models.Plan
    tables: tuple[PlanTable, ...]
    unseated: tuple[str, ...]
    can_edit: bool
    mse: float | None = None
    total: float | None = None
    bound: float | None = None
    proven_optimal: bool = False
    figures: Figures | None = None
    restarts_asked: int | None = None
    seconds_asked: float | None = None
    was_ended: bool = False
    alternatives: tuple[OtherGoodPlan, ...] = ()
    tray: tuple[UnseatedGuest, ...] = ()
    rounds: PlanRounds | None = None
    newcomers: tuple[UUID, ...] = ()
    """Seated guests whom the run did not know; they count as neutral in the figures."""

    @property
    def guest_count(self) -> int:
        """How many guests sit somewhere."""
        return sum(len(table.guests) for table in self.tables)


def require_plan(ctx: EventContext, plan_id: UUID, role: Role = "viewer") -> models.Plan:
    """Return the plan if the actor has at least `role` in its event."""
    ctx.require(role)
    return find_plan(ctx.session, ctx.event_id, plan_id)


def find_plan(session: Session, event_id: UUID, plan_id: UUID) -> models.Plan:
    """Return a plan of an event to somebody whose role there was checked."""
    plan = seat_queries.plan_of(session, event_id, plan_id)
    if plan is None:
        raise NotFound("Plan not found in this event.")
    return plan


def hold_plan(session: Session, event_id: UUID, plan_id: UUID) -> models.Plan:
    """Return a plan as it is stored now, in an event that is held, so that nobody changes it meanwhile."""
    plan = session.get(models.Plan, plan_id, populate_existing=True)
    if plan is None or plan.event_id != event_id or plan.deleted_at is not None:
        raise NotFound("Plan not found in this event.")
    return plan


def list_plans(
    ctx: EventContext, *, limit: int = 100, after: UUID | None = None, alternatives: bool = False
) -> Sequence[models.Plan]:
    """Return the event's plans without their figures, the newest first; other good plans only if asked for."""
    return queries.plans_of(ctx.session, ctx.event_id, limit=limit, after=after, alternatives=alternatives)


def count_links(ctx: EventContext, plan_id: UUID) -> int:
    """Return how many open links show every change of this plan."""
    links = seat_queries.count_open_links(ctx.session, ctx.event_id)
    return links.get(plan_id, 0) + (links.get(None, 0) if plan_id == current_plan_id(ctx) else 0)


def current_plan_id(ctx: EventContext) -> UUID | None:
    """Return the id of the plan in use, if there is one."""
    return seat_queries.current_plan_id(ctx.session, ctx.event_id)


def read_plan(ctx: EventContext, plan_id: UUID) -> PlanView:
    """Return the plan with its tables and guests, and with figures for editors."""
    plan = require_plan(ctx, plan_id)
    can_edit = ctx.allows("editor")
    return view_plan(ctx.session, plan, can_edit=can_edit)


def view_plan(session: Session, plan: models.Plan, *, can_edit: bool) -> PlanView:
    """Put the plan together for somebody whose right to see it was checked."""
    seats, around = seat_queries.seats_of(session, plan.id), read_surroundings(session, plan.event_id)
    seated, in_use = {row.guest_id for row in seats}, {row.table_id for row in seats}
    tray = tuple(UnseatedGuest(key, name) for key, name in around.names.items() if key not in seated)
    unseated = tuple(guest.name for guest in tray)
    tables = [table for table in around.tables.values() if table.is_open or table.id in in_use]
    rounds = read_rounds(session, plan)
    if not can_edit:
        shown = _with_guests(plan, tables, seats, None, {})
        return PlanView(plan, shown, unseated, can_edit=False, tray=tray, rounds=rounds)
    figures, mse, total, is_whole = _figures_now(session, plan, seats)
    maker = seat_queries.maker_of(session, plan.run_id)
    return PlanView(
        plan,
        _with_guests(plan, tables, seats, figures, around.reservations),
        unseated,
        can_edit=True,
        mse=mse,
        total=total,
        bound=plan.bound if is_whole else None,
        proven_optimal=plan.proven_optimal and is_whole,
        figures=figures,
        restarts_asked=maker.restarts if maker else None,
        seconds_asked=maker.time_limit if maker else None,
        was_ended=bool(maker and maker.finish_requested and figures and figures.stopped_early),
        alternatives=() if plan.round else tuple(_alternatives(session, plan)),
        rounds=rounds,
        tray=tray,
        newcomers=_newcomers(figures, seats),
    )


def _alternatives(session: Session, plan: models.Plan) -> Iterator[OtherGoodPlan]:
    family = sorted(queries.family_of(session, plan), key=lambda one: one.alternative_of is not None)
    for number, one in enumerate(family):
        if one.id != plan.id:
            is_main = one.alternative_of is None
            yield OtherGoodPlan(one.id, number, one.name, one.mse, one.total, one.elsewhere, is_main, one.moved)


def snapshot_of(session: Session, plan: models.Plan) -> Snapshot | None:
    """Return what the plan's run solved, if the run is still stored."""
    packed = queries.packed_problem(session, plan.run_id)
    return read_snapshot(packed) if packed else None


def _figures_now(
    session: Session, plan: models.Plan, seats: Sequence[seat_queries.SeatRow]
) -> tuple[Figures, float | None, float | None, bool]:
    # Removing a guest does not touch the plans: those who are left are measured again when somebody looks.
    figures = Figures.from_stored(plan.figures)
    is_same = figures.guests.keys() == {row.guest_id for row in seats}
    if is_same and "liked_outside" in plan.figures["guests"]:  # plans of earlier versions lack that column
        return figures, plan.mse, plan.total, True
    snapshot = snapshot_of(session, plan)
    if snapshot is None:
        return figures, plan.mse, plan.total, is_same
    measures = measure(snapshot, {row.guest_id: row.table_id for row in seats})
    is_whole = measures.everyone and len(seats) == len(snapshot.guest_ids)
    return figures.measured_again(measures), measures.mse, measures.total, is_whole


def _newcomers(figures: Figures, seats: Sequence[seat_queries.SeatRow]) -> tuple[UUID, ...]:
    known = set(figures.guest_ids)
    return tuple(row.guest_id for row in seats if row.guest_id not in known)


def _with_guests(
    plan: models.Plan,
    tables: Iterable[SeatingTable],
    seats: Sequence[seat_queries.SeatRow],
    figures: Figures | None,
    reservations: Mapping[UUID, Reservation],
) -> tuple[PlanTable, ...]:
    guests = {table_id: _seated(rows, figures) for table_id, rows in groupby(seats, key=attrgetter("table_id"))}
    return tuple(
        PlanTable(
            table.id,
            table.name,
            table.shape,
            table.seats,
            table.x,
            table.y,
            not table.is_open,
            guests.get(table.id, ()),
            figures.tables.get(table.id) if figures else None,
            table.is_open and str(table.id) in plan.locked_tables,
            tuple(seat for key, seat in plan.blocked_seats if key == str(table.id)),
            table.rotation,
            table.end_seats,
            table.reserved_for if figures else None,
            reservations[table.id].group if table.id in reservations else "",
        )
        for table in tables
    )


def _seated(seats: Iterable[seat_queries.SeatRow], figures: Figures | None) -> tuple[SeatedGuest, ...]:
    """Return the guests at one table."""
    if figures is None:
        return tuple(SeatedGuest(row.guest_id, row.name, row.seat, row.locked) for row in seats)
    found, has_certainty = figures.guests, bool(figures.certainty)
    return tuple(
        SeatedGuest(
            row.guest_id,
            row.name,
            row.seat,
            row.locked,
            found.get(row.guest_id),
            _certainty(figures, row) if has_certainty else None,
        )
        for row in seats
    )


def _certainty(figures: Figures, row: seat_queries.SeatRow) -> float | None:
    # Whoever was moved by hand since has company that the run never weighed.
    table, share = figures.certainty.get(row.guest_id, (None, None))
    return share if table == row.table_id else None
