"""What a run knows besides its plan: other good plans, who is certain, and what the paper's method gives."""

from __future__ import annotations

import json
from dataclasses import replace
from uuid import UUID

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.clock import now
from app.db import models
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.plans import read as plans
from app.plans import versions
from app.plans.figures import Figures
from app.plans.moves import edit as moves
from app.plans.moves.edit import MoveEntry
from app.plans.satisfaction import sureness_of
from app.plans.save import create_plan
from app.problem.packing import pack
from app.rules.edit import RuleEntry, add_rule
from app.solver import Alternative, relative_gap
from app.worker.execute import execute_run
from tests.factories import Planned, make_event, make_guests, make_member, make_plan, make_result, make_snapshot
from tests.factories import make_tables as make_rows
from tests.run_helpers import read_run, stored_event, stored_run

NAMES = ["Aino", "Bo", "Cleo", "Dan", "Eve", "Finn"]
# Two tables of three; Cleo and Finn could change places at little loss.
SCORES = np.kron(np.eye(2), np.full((3, 3), 2.0))
SCORES[[2, 2, 0, 1, 5, 5, 3, 4], [3, 4, 5, 5, 0, 1, 2, 2]] = 1.5
FREQUENCY = np.kron(np.eye(2), np.ones((3, 3))).astype(float)
FREQUENCY[[2, 2, 0, 1, 5, 5, 3, 4], [0, 1, 2, 2, 3, 4, 5, 5]] = 0.5


def make_family(session: Session, owner: Actor, *, proven: bool = False) -> Planned:
    """Make a plan in the order of the names, and beside it one in which Cleo and Finn change places."""
    event = make_event(session, owner)
    guests, tables = make_guests(session, event, NAMES), make_rows(session, event, [3, 3])
    snapshot = make_snapshot(guests, tables, SCORES, "score")
    run = models.Run(event_id=event.id, status="done", method="full", objective="average", restarts=10)
    run.time_limit, run.seed, run.problem = 5.0, 1, pack(snapshot)
    session.add(run)
    session.flush()
    found = replace(make_result(snapshot.problem, proven_optimal=proven), method="full", pair_frequency=FREQUENCY)
    # The two tables under each other's name: only Cleo and Finn have other company.
    tables_there, seats = np.array([1, 1, 0, 0, 0, 1]), np.array([0, 1, 2, 0, 1, 2])
    other = Alternative(tables_there, seats, mse=found.mse, total=found.total)
    found = replace(found, alternatives=(other,))
    plan = create_plan(session, event_id=event.id, run_id=run.id, snapshot=snapshot, result=found)
    return Planned(event, guests, tables, run, plan, snapshot)


def others_of(session: Session, plan: models.Plan) -> list[models.Plan]:
    return list(session.scalars(select(models.Plan).where(models.Plan.alternative_of == plan.id)))


def test_other_good_plan_is_kept_beside_the_main_one(session: Session, owner: Actor) -> None:
    made = make_family(session, owner)
    assert plans.current_plan_id(open_event(session, owner, made.event.id)) == made.plan.id
    assert [plan.id for plan in plans.list_plans(open_event(session, owner, made.event.id))] == [made.plan.id]
    assert len(plans.list_plans(open_event(session, owner, made.event.id), alternatives=True)) == 2
    (other,) = plans.read_plan(open_event(session, owner, made.event.id), made.plan.id).alternatives
    assert (other.guests_moved, other.is_main, other.total) == (2, False, 10.0)
    view = plans.read_plan(open_event(session, owner, made.event.id), other.id)
    assert [[guest.name for guest in table.guests] for table in view.tables] == [
        ["Aino", "Bo", "Finn"],
        ["Dan", "Eve", "Cleo"],
    ]
    assert [(one.id, one.guests_moved, one.is_main) for one in view.alternatives] == [(made.plan.id, 2, True)]


def test_guests_who_went_are_not_counted_as_moved(session: Session, owner: Actor) -> None:
    made = make_family(session, owner)
    made.guests[2].removed_at = now()
    session.flush()
    (other,) = plans.read_plan(open_event(session, owner, made.event.id), made.plan.id).alternatives
    assert other.guests_moved == 1


def test_other_plan_is_proven_only_if_it_is_as_good(session: Session, owner: Actor) -> None:
    made = make_family(session, owner, proven=True)
    assert made.plan.proven_optimal
    assert [plan.proven_optimal for plan in others_of(session, made.plan)] == [False]


def test_chosen_plan_takes_the_place_of_the_main_one(session: Session, owner: Actor) -> None:
    made = make_family(session, owner)
    (other,) = others_of(session, made.plan)
    edited = other.updated_at
    versions.use_plan(open_event(session, owner, made.event.id), other.id)
    session.expire_all()
    assert plans.current_plan_id(open_event(session, owner, made.event.id)) == other.id
    assert (other.alternative_of, made.plan.alternative_of, other.updated_at) == (None, other.id, edited)
    versions.use_plan(open_event(session, owner, made.event.id), other.id)
    assert plans.current_plan_id(open_event(session, owner, made.event.id)) == other.id


def test_certainty_is_the_company_that_good_plans_keep(session: Session, owner: Actor) -> None:
    made = make_family(session, owner)
    view = plans.read_plan(open_event(session, owner, made.event.id), made.plan.id)
    shares = {guest.name: guest.certainty for table in view.tables for guest in table.guests}
    assert shares == {"Aino": 0.75, "Bo": 0.75, "Cleo": 0.5, "Dan": 0.75, "Eve": 0.75, "Finn": 0.5}
    assert [sureness_of(share) for share in (0.9, 0.7, 0.5)] == ["certain", "fairly certain", "a toss-up"]


def test_guest_moved_by_hand_is_no_longer_certain_or_not(session: Session, owner: Actor) -> None:
    made = make_family(session, owner)
    swap = MoveEntry("swap", made.guests[1].id, other=made.guests[3].id)
    moves.make_move(open_event(session, owner, made.event.id), made.plan.id, swap)
    view = plans.read_plan(open_event(session, owner, made.event.id), made.plan.id)
    shares = {guest.name: guest.certainty for table in view.tables for guest in table.guests}
    assert shares == {"Aino": 0.75, "Bo": None, "Cleo": 0.5, "Dan": None, "Eve": 0.75, "Finn": 0.5}


def test_viewer_learns_nothing_about_other_plans_or_certainty(session: Session, owner: Actor) -> None:
    made = make_family(session, owner)
    viewer = make_member(session, made.event.id, "viewer")
    view = plans.read_plan(open_event(session, viewer, made.event.id), made.plan.id)
    assert view.alternatives == ()
    assert {guest.certainty for table in view.tables for guest in table.guests} == {None}


def test_what_is_known_of_a_big_event_stays_small(session: Session, owner: Actor) -> None:
    names = [f"Guest {number}" for number in range(400)]
    made = make_plan(session, owner, sizes=[10] * 40, names=names, matrix=np.ones((400, 400)))
    known = replace(make_result(made.snapshot.problem), pair_frequency=np.full((400, 400), 1 / 3))
    plan = create_plan(session, event_id=made.event.id, run_id=None, snapshot=made.snapshot, result=known)
    assert len(json.dumps(plan.figures)) < 120 * 400
    assert set(Figures.from_stored(plan.figures).certainty.values()) == {(table.id, 0.333) for table in made.tables}


@pytest.mark.parametrize(
    ("objective", "mse", "total", "bound", "room"),
    [
        ("average", 1.0, 50.0, 0.8, 0.2),
        ("total", 1.0, 50.0, 55.0, 0.1),
        ("total", 1.0, -10.0, -9.0, 0.1),
        ("average", 1.0, 50.0, 0.0, None),
        ("total", 1.0, 50.0, 300.0, None),
        ("average", 0.0, 50.0, 0.0, None),
        ("average", 1.0, 50.0, None, None),
        ("average", 0.8, 50.0, 0.8000000001, 0.0),
    ],
)
def test_room_for_better_follows_from_the_bound(
    objective: str, mse: float, total: float, bound: float | None, room: float | None
) -> None:
    assert relative_gap(objective, mse, total, bound) == pytest.approx(room)


def figures_of(sessions: Sessions, run_id: UUID) -> Figures:
    with transaction(sessions, read_only=True) as session:
        return Figures.from_stored(session.get_one(models.Plan, read_run(sessions, run_id).plan_id).figures)


def test_run_tells_what_the_method_of_the_paper_alone_gives(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id, restarts=20)
    execute_run(sessions, run_id)
    figures = figures_of(sessions, run_id)
    assert figures.paper is not None
    assert (figures.paper.restarts, figures.paper.mse >= figures.stored["solved"]["mse"] - 1e-12) == (20, True)
    only_paper = stored_run(sessions, owner, event_id, restarts=20, method="paper")
    execute_run(sessions, only_paper)
    assert figures_of(sessions, only_paper).paper is None


def test_method_of_the_paper_is_not_compared_where_there_are_rules(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    with transaction(sessions) as session:
        guests = session.scalars(select(models.Guest.id).where(models.Guest.event_id == event_id)).all()
        add_rule(open_event(session, owner, event_id), RuleEntry("apart", (guests[0], guests[1])))
    run_id = stored_run(sessions, owner, event_id, restarts=20)
    execute_run(sessions, run_id)
    assert figures_of(sessions, run_id).paper is None


def test_api_lists_other_good_plans_for_editors(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        made = make_family(session, owner)
        other = others_of(session, made.plan)[0].id
    plan = api.get(f"events/{made.event.id}/plans/{made.plan.id}").json()
    assert plan["alternatives"] == [
        {
            "id": str(other),
            "mse": pytest.approx(1 / 9),
            "total": 10.0,
            "guests_moved": 2,
            "moved": None,
            "character": [],
        }
    ]
    assert plan["figures"]["guests"][str(made.guests[0].id)]["certainty"] == 0.75
    assert plan["figures"]["paper"] is None
    listed = api.get(f"events/{made.event.id}/plans").json()["plans"]
    assert [(one["id"], one["alternative_of"]) for one in listed] == [(str(made.plan.id), None)]
    beside = api.get(f"events/{made.event.id}/plans/{other}").json()
    assert (beside["alternative_of"], beside["alternatives"][0]["id"]) == (str(made.plan.id), str(made.plan.id))
