"""Storing what a run found: its plan, and the other good ones beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from sqlalchemy import insert
from sqlalchemy.orm import Session

from app.clock import now
from app.db import models
from app.plans.figures import Figures, Measures
from app.plans.kept_seats import keep_chairs, keep_held_chairs
from app.plans.metrics import describe, measure
from app.plans.queries import plans as queries
from app.plans.queries.versions import next_number
from app.problem.queries import seats as seat_queries
from app.problem.snapshot import Snapshot
from app.solver import IntArray, Result, count_moved, match_tables, take_chairs

Origin = Mapping[UUID, tuple[UUID, int]]  # the table and the chair of each guest in the plan that is changed


def origin_of(session: Session, plan_id: UUID | None) -> Origin:
    """Return where everybody sits in the plan that is changed; nobody if it is gone."""
    rows = seat_queries.seats_of(session, plan_id) if plan_id else []
    return {row.guest_id: (row.table_id, row.seat) for row in rows}


@dataclass(frozen=True)
class Rounds:
    """Whether the plans of a run are rounds, and whether households may be separated in them."""

    are_several: bool = False
    split_households: bool = False


NO_ROUNDS = Rounds()


@dataclass(frozen=True)
class Drawn:
    """A plan as it is stored if all of its guests and tables are still there: worked out before anything is written."""

    rows: Sequence[dict[str, Any]]
    measures: Measures
    figures: Figures


def draw_plans(
    snapshot: Snapshot,
    result: Result,
    paper: Result | None = None,
    origin: Origin | None = None,
    *,
    is_repair: bool = False,
    rounds: Rounds = NO_ROUNDS,
) -> list[Drawn]:
    """Work out what is stored of a plan and of its alternatives; in a large event that takes seconds."""
    found = []
    for number, one in enumerate(_one_by_one(snapshot, result, is_matched=not (is_repair or rounds.are_several))):
        own = snapshot.round(number) if rounds.are_several else snapshot
        found.append(_drawn(own, one, paper, _seat_rows(own, one, _chairs(own, one, origin))))
    return found


def create_plan(
    session: Session,
    *,
    event_id: UUID,
    run_id: UUID | None,
    snapshot: Snapshot,
    result: Result,
    paper: Result | None = None,
    origin: Origin | None = None,
    is_repair: bool = False,
    drawn: Sequence[Drawn] = (),
    rounds: Rounds = NO_ROUNDS,
    use: bool | None = None,
) -> models.Plan:
    """Store the plan and its alternatives, or all rounds; `paper` is what the paper's method alone gave, if tried.

    With an `origin` whoever stays at their table keeps their chair; after a repair the guests moved away from it are
    counted, too. `drawn` may bring what was worked out before. `use` says whether the plan is in use at once; if it is
    left out, it is unless open links show another one. The first plan of an event always is.
    """
    guests = queries.still_seated(session, event_id, snapshot.guest_ids)
    tables = queries.stored_tables(session, event_id, snapshot.table_ids)
    all_there = len(guests) == len(snapshot.guest_ids) and len(tables) == len(snapshot.table_ids)
    plans: list[models.Plan] = []
    version, made_at = next_number(session, event_id), now()
    is_first = seat_queries.current_plan_id(session, event_id) is None
    is_used = is_first or (seat_queries.use_at_once(session, event_id) if use is None else use)
    used_at = made_at if is_used else None
    is_matched = not (is_repair or rounds.are_several)
    for number, one in enumerate(_one_by_one(snapshot, result, is_matched=is_matched)):
        own = snapshot.round(number) if rounds.are_several else snapshot
        if drawn and all_there:
            made = drawn[number]
        else:
            rows = _seat_rows(own, one, _chairs(own, one, origin))
            # Guests and tables that went meanwhile are left out.
            present = [row for row in rows if row["guest_id"] in guests and row["table_id"] in tables]
            made = _drawn(own, one, paper, present)
        moved = count_moved(snapshot.problem, one.assignment) if is_repair else None
        main = plans[0].id if plans else None
        plan = models.Plan(event_id=event_id, run_id=run_id, alternative_of=main, number=version, moved=moved)
        # A moment of its own for each would let a plan be changed before it was made.
        plan.created_at = plan.updated_at = made_at
        plan.used_at = used_at
        plan.round = number + 1 if rounds.are_several else 0
        plan.split_households = rounds.are_several and rounds.split_households
        left_out = snapshot.unused[number] if own is not snapshot else frozenset()  # locked, so that they stay empty
        plan.locked_tables = sorted(str(key) for key in own.held.tables | left_out)
        plan.blocked_seats = sorted([str(key), seat] for key, seat in own.held.blocked)
        plans.append(_store(session, plan, one, made))
    return plans[0]


def _one_by_one(snapshot: Snapshot, result: Result, *, is_matched: bool) -> Iterator[Result]:
    """Yield the plan and then its alternatives, if wanted at tables as similar as possible; repairs already are."""
    yield result
    for other in result.alternatives:
        tables = other.assignment
        if is_matched:
            tables = match_tables(snapshot.problem, other.assignment, result.assignment)
        yield replace(result, assignment=tables, seats=other.seats, history=())


def _drawn(snapshot: Snapshot, result: Result, paper: Result | None, rows: Sequence[dict[str, Any]]) -> Drawn:
    measures = measure(snapshot, {row["guest_id"]: row["table_id"] for row in rows})
    return Drawn(rows, measures, describe(snapshot, measures, result, paper))


def _store(session: Session, plan: models.Plan, result: Result, drawn: Drawn) -> models.Plan:
    measures, figures = drawn.measures, drawn.figures
    plan.figures = figures.stored
    plan.mse, plan.total = measures.mse, measures.total
    plan.bound = result.bound if measures.everyone else None
    plan.proven_optimal = figures.is_best(measures)
    session.add(plan)
    session.flush()
    if drawn.rows:
        session.execute(insert(models.Seat), [{"plan_id": plan.id, **row} for row in drawn.rows])
    return plan


def _chairs(snapshot: Snapshot, result: Result, origin: Origin | None = None) -> IntArray:
    chairs = take_chairs(snapshot.problem, result.assignment, result.seats)
    if origin is not None:
        chairs = keep_chairs(snapshot, result.assignment, chairs, origin)
    return keep_held_chairs(snapshot, result.assignment, chairs, origin)


def _seat_rows(snapshot: Snapshot, result: Result, chairs: IntArray) -> list[dict[str, Any]]:
    """Return who sits where."""
    locked = snapshot.held.locked or _locked_in(snapshot)
    places = zip(snapshot.guest_ids, result.assignment.tolist(), chairs.tolist(), strict=True)
    return [
        {"guest_id": guest, "table_id": snapshot.table_ids[table], "seat": chair, "locked": guest in locked}
        for guest, table, chair in places
    ]


def _locked_in(snapshot: Snapshot) -> set[UUID]:
    """Return the locked guests of a problem from before tables could be locked."""
    guests = [snapshot.guest_ids[guest] for guest, _ in snapshot.problem.locked]
    return {guest for guest in guests if guest not in snapshot.held.chairs}
