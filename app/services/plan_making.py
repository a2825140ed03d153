"""Storing what a run found: its plan, and the other good ones beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

from sqlalchemy import insert
from sqlalchemy.orm import Session

from app.clock import now
from app.db import models
from app.db.queries import plans as queries
from app.services.chairs_kept import keep_chairs
from app.services.figures import describe, is_best, measure
from app.services.snapshots import Snapshot
from app.solver.alike import match_tables
from app.solver.chairs import take_chairs
from app.solver.moved import count_moved
from app.solver.result import Result

Origin = Mapping[UUID, tuple[UUID, int]]  # the table and the chair of each guest in the plan that is changed


def origin_of(session: Session, plan_id: UUID | None) -> Origin:
    """Return where everybody sits in the plan that is changed; nobody if it is gone."""
    rows = queries.seats_of(session, plan_id) if plan_id else []
    return {row.guest_id: (row.table_id, row.seat) for row in rows}


def create_plan(
    session: Session,
    *,
    event_id: UUID,
    run_id: UUID | None,
    snapshot: Snapshot,
    result: Result,
    paper: Result | None = None,
    origin: Origin | None = None,
) -> models.Plan:
    """Store the plan and its alternatives; `paper` is what the paper's method alone gave, if that was tried.

    With an `origin` the guests moved away from it are counted, and whoever stays keeps their chair.
    """
    store = partial(_store, session, event_id, run_id, snapshot, paper=paper, origin=origin)
    plan = store(result, alternative_of=None)
    for other in result.alternatives:
        tables = other.assignment
        if origin is None:
            tables = match_tables(snapshot.problem, other.assignment, result.assignment)
        seated = replace(result, assignment=tables, seats=other.seats, history=())
        store(seated, alternative_of=plan.id)
    return plan


def _store(
    session: Session,
    event_id: UUID,
    run_id: UUID | None,
    snapshot: Snapshot,
    result: Result,
    *,
    paper: Result | None,
    origin: Origin | None,
    alternative_of: UUID | None,
) -> models.Plan:
    rows = _seat_rows(session, event_id, snapshot, result, origin)
    measures = measure(snapshot, {row["guest_id"]: row["table_id"] for row in rows})
    figures = describe(snapshot, measures, result, paper)
    plan = models.Plan(event_id=event_id, run_id=run_id, alternative_of=alternative_of, figures=figures)
    plan.created_at = plan.updated_at = now()  # each of its own would let a plan be changed before it was made
    plan.mse, plan.total = measures.mse, measures.total
    plan.moved = count_moved(snapshot.problem, result.assignment) if origin is not None else None
    plan.bound = result.bound if measures.everyone else None
    plan.proven_optimal = measures.everyone and is_best(figures, measures.mse, measures.total)
    session.add(plan)
    session.flush()
    if rows:
        session.execute(insert(models.Seat), [{"plan_id": plan.id, **row} for row in rows])
    return plan


def _seat_rows(
    session: Session, event_id: UUID, snapshot: Snapshot, result: Result, origin: Origin | None
) -> list[dict[str, Any]]:
    """Return who sits where; guests and tables that went meanwhile are left out."""
    guests = queries.still_seated(session, event_id, snapshot.guest_ids)
    tables = queries.stored_tables(session, event_id, snapshot.table_ids)
    chairs = take_chairs(snapshot.problem, result.assignment, result.seats)
    if origin is not None:
        chairs = keep_chairs(snapshot, result.assignment, chairs, origin)
    locked = {guest for guest, _ in snapshot.problem.locked}
    places = zip(snapshot.guest_ids, result.assignment, chairs, strict=True)
    return [
        {
            "guest_id": guest,
            "table_id": snapshot.table_ids[int(table)],
            "seat": int(chair),
            "locked": number in locked,
        }
        for number, (guest, table, chair) in enumerate(places)
        if guest in guests and snapshot.table_ids[int(table)] in tables
    ]
