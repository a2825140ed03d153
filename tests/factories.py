"""Rows for tests, made the short way: straight into the database, with figures from the real measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import ArrayLike
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.accounts.users import actor_of
from app.db import models
from app.events.edit import create_event
from app.plans.save import create_plan
from app.problem.packing import pack
from app.problem.snapshot import Snapshot, names_in
from app.solver import Improvement, Kind, Problem, Result, mean_squared_error, total_score
from app.solver import Table as SolverTable
from app.web.names import name_key

ANY_VERSION = {"If-Match": "*"}
NAMES = (
    "Maija",
    "Olli",
    "Tapio",
    "Sari",
    "Ines",
    "Mateo",
    "Chloé",
    "Hugo",
    "Pekka",
    "Anneli",
    "Juhani",
    "Leena",
    "Kaisa",
    "Noor",
    "Samir",
    "Yasmin",
    "Idris",
    "Farah",
    "Zaid",
    "Wei",
    "Lin",
    "Mei",
)


@dataclass(frozen=True)
class Planned:
    """A plan with what it was made from."""

    event: models.Event
    guests: list[models.Guest]
    tables: list[models.Table]
    run: models.Run
    plan: models.Plan
    snapshot: Snapshot


def make_event(session: Session, actor: Actor, name: str = "Midsummer dinner", kind: str = "score") -> models.Event:
    """Make an event that the actor owns."""
    return create_event(session, actor, name=name, kind=kind)


def make_guests(session: Session, event: models.Event, names: Sequence[str]) -> list[models.Guest]:
    """Add guests in this order."""
    guests = [
        models.Guest(event_id=event.id, name=name, name_key=name_key(name), position=position)
        for position, name in enumerate(names)
    ]
    session.add_all(guests)
    session.flush()
    return guests


def make_tables(
    session: Session, event: models.Event, sizes: Sequence[int], *, shape: str = "round", names: Sequence[str] = ()
) -> list[models.Table]:
    """Add tables with these numbers of seats."""
    named = names or [f"Table {number}" for number in range(1, len(sizes) + 1)]
    tables = [
        models.Table(
            event_id=event.id,
            name=name,
            name_key=name_key(name),
            shape=shape,
            seats=seats,
            min_seats=0,
            position=position,
        )
        for position, (name, seats) in enumerate(zip(named, sizes, strict=True))
    ]
    session.add_all(tables)
    session.flush()
    return tables


def make_plan(
    session: Session,
    actor: Actor,
    *,
    sizes: Sequence[int] = (4, 4, 5, 6, 3),
    names: Sequence[str] = NAMES,
    matrix: ArrayLike | None = None,
    kind: Kind = "score",
    assignment: Sequence[int] | None = None,
    shape: str = "round",
    bound: float | None = None,
    proven_optimal: bool = False,
) -> Planned:
    """Make an event with a run that is done and the plan it made: guests fill the tables in order, if not told."""
    event = make_event(session, actor, kind=kind)
    guests = make_guests(session, event, names)
    tables = make_tables(session, event, sizes, shape=shape)
    snapshot = make_snapshot(guests, tables, matrix, kind)
    run = models.Run(
        event_id=event.id,
        user_id=actor.user_id,
        status="done",
        method="paper",
        objective="average",
        restarts=1000,
        time_limit=5.0,
        seed=1,
        problem=pack(snapshot),
    )
    session.add(run)
    session.flush()
    session.add(models.RunNames(run_id=run.id, names=names_in(snapshot)))
    result = make_result(snapshot.problem, assignment, bound=bound, proven_optimal=proven_optimal)
    plan = create_plan(session, event_id=event.id, run_id=run.id, snapshot=snapshot, result=result)
    session.flush()
    return Planned(event, guests, tables, run, plan, snapshot)


def add_rounds(session: Session, made: Planned, assignments: Sequence[Sequence[int]]) -> list[models.Plan]:
    """Make a plan the first of several rounds; in each of the others guests sit at these tables, or nowhere at −1."""
    made.plan.round = 1
    rounds = [made.plan]
    for number, assignment in enumerate(assignments, start=2):
        plan = models.Plan(
            event_id=made.event.id,
            run_id=made.run.id,
            alternative_of=made.plan.id,
            round=number,
            figures=made.plan.figures,
            number=made.plan.number,
            used_at=made.plan.used_at,
        )
        session.add(plan)
        session.flush()
        for guest, table in enumerate(assignment):
            if table >= 0:
                place = {"table_id": made.tables[table].id, "seat": list(assignment[:guest]).count(table)}
                session.add(models.Seat(plan_id=plan.id, guest_id=made.guests[guest].id, **place))
        rounds.append(plan)
    session.flush()
    return rounds


def make_snapshot(
    guests: Sequence[models.Guest], tables: Sequence[models.Table], matrix: ArrayLike | None, kind: Kind
) -> Snapshot:
    """Return the problem that these guests and tables pose; without a matrix everybody is neutral."""
    values = np.zeros((len(guests), len(guests))) if matrix is None else np.asarray(matrix, dtype=np.float64)
    problem = Problem(
        matrix=values,
        tables=tuple(SolverTable(most=table.seats, name=table.name) for table in tables),
        kind=kind,
        names=tuple(guest.name for guest in guests),
    )
    return Snapshot(problem, tuple(g.id for g in guests), tuple(t.id for t in tables))


def make_result(
    problem: Problem,
    assignment: Sequence[int] | None = None,
    *,
    bound: float | None = None,
    proven_optimal: bool = False,
) -> Result:
    """Return what a solve would give back for this assignment."""
    sizes = [table.most for table in problem.tables]
    tables = np.repeat(np.arange(len(sizes)), sizes)[: problem.guest_count] if assignment is None else assignment
    seated = np.asarray(tables, dtype=np.int64)
    seats = np.array([int((seated[:guest] == table).sum()) for guest, table in enumerate(seated)], dtype=np.int64)
    mse = mean_squared_error(problem.squared_distances, seated, len(sizes))
    angles = np.linspace(0, 5 * np.pi, problem.guest_count)
    return Result(
        assignment=seated,
        seats=seats,
        mse=mse,
        total=total_score(problem.scores, seated),
        method="paper",
        objective="average",
        seed=1,
        restarts=1000,
        iterations=2345,
        seconds=0.31,
        seconds_by_stage={"embed": 0.01, "restarts": 0.3},
        positions=np.column_stack([angles * np.cos(angles), angles * np.sin(angles)]),
        bound=bound,
        proven_optimal=proven_optimal,
        history=(Improvement(0.01, 1, mse * 1.3 + 0.1), Improvement(0.05, 20, mse * 1.1), Improvement(0.2, 400, mse)),
    )


def make_member(session: Session, event_id: UUID, role: str) -> Actor:
    """Return somebody with an account and this role in the event."""
    user = models.User(name=role, email=f"{role}-{event_id.hex}@example.org")
    session.add(user)
    session.flush()
    session.add(models.Member(event_id=event_id, user_id=user.id, role=role))
    session.flush()
    return actor_of(user)
