"""Changing a plan as little as possible, and what else may be asked of a run: from the request to the page."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.actor import Actor
from app.db import models
from app.db.session import Sessions, transaction
from app.errors import Invalid
from app.events.context import open_event
from app.plans import read as plans
from app.plans.kept_seats import keep_chairs
from app.plans.views.late_changes import spread
from app.problem.packing import pack, unpack
from app.problem.snapshot import Snapshot
from app.solver import Problem, Rule, Table
from app.worker.execute import execute_run
from tests.factories import make_guests
from tests.plans.on_sqlite.plan_pages import text_of
from tests.run_helpers import read_run, stored_event, stored_run
from tests.security.sqlite_only import database  # noqa: F401

QUICK: dict[str, Any] = {"restarts": 2, "time_limit": 1.0}


@pytest.fixture
def event_id(sessions: Sessions, owner: Actor) -> UUID:
    """An event of eight at tables of four and five, with a plan."""
    return stored_event(sessions, owner, sizes=(4, 5))


@pytest.fixture
def first_plan(sessions: Sessions, owner: Actor, event_id: UUID) -> UUID:
    run_id = stored_run(sessions, owner, event_id, **QUICK)
    assert execute_run(sessions, run_id) == "done"
    return plan_of(sessions, run_id)


def plan_of(sessions: Sessions, run_id: UUID) -> UUID:
    plan_id = read_run(sessions, run_id).plan_id
    assert plan_id is not None
    return plan_id


def seats_of(sessions: Sessions, plan_id: UUID) -> dict[UUID, tuple[UUID, int]]:
    with transaction(sessions, read_only=True) as session:
        rows = session.scalars(select(models.Seat).where(models.Seat.plan_id == plan_id))
        return {row.guest_id: (row.table_id, row.seat) for row in rows}


def add_guest(sessions: Sessions, event_id: UUID) -> None:
    with transaction(sessions) as session:
        make_guests(session, session.get_one(models.Event, event_id), ["Late Lauri"])


def part_friends(sessions: Sessions, plan_id: UUID) -> None:
    """Seat the first of each pair here, the second there."""
    with transaction(sessions) as session:
        for seat in session.scalars(select(models.Seat).where(models.Seat.plan_id == plan_id)):
            session.delete(seat)
        session.flush()
        tables = session.scalars(select(models.Table).order_by(models.Table.position)).all()
        guests = session.scalars(select(models.Guest).order_by(models.Guest.position)).all()
        for number, guest in enumerate(guests):
            session.add(
                models.Seat(plan_id=plan_id, guest_id=guest.id, table_id=tables[number % 2].id, seat=number // 2)
            )


def test_repair_seats_a_newcomer_and_leaves_everybody_else_in_their_chair(
    sessions: Sessions, owner: Actor, event_id: UUID, first_plan: UUID
) -> None:
    add_guest(sessions, event_id)
    run_id = stored_run(sessions, owner, event_id, repair=True, **QUICK)
    assert execute_run(sessions, run_id) == "done"
    assert read_run(sessions, run_id).options.from_plan == first_plan
    before, after = seats_of(sessions, first_plan), seats_of(sessions, plan_of(sessions, run_id))
    assert {guest: after[guest] for guest in before} == before
    assert len(after) == len(before) + 1
    assert len(set(after.values())) == len(after)


def test_plans_of_a_repair_move_more_and_are_better_one_after_the_other(
    sessions: Sessions, owner: Actor, event_id: UUID, first_plan: UUID
) -> None:
    part_friends(sessions, first_plan)
    run_id = stored_run(sessions, owner, event_id, repair=True, objective="total", **QUICK)
    assert execute_run(sessions, run_id) == "done"
    with transaction(sessions, read_only=True) as session:
        family = session.scalars(select(models.Plan).where(models.Plan.run_id == run_id)).all()
        curve = sorted(
            (plan.moved, plan.total, plan.alternative_of is None)
            for plan in family
            if plan.moved is not None and plan.total is not None
        )
    assert (curve[0][0], curve[0][2]) == (0, True)
    assert len(curve) == len(family) > 1
    assert all(one[1] < other[1] for one, other in pairwise(curve))
    before = seats_of(sessions, first_plan)
    for plan in family:
        after = seats_of(sessions, plan.id)
        assert plan.moved == sum(after[guest][0] != before[guest][0] for guest in before)


def test_api_takes_fairness_a_plan_to_start_from_and_a_cost_of_moves(
    api: TestClient, sessions: Sessions, event_id: UUID, first_plan: UUID
) -> None:
    asked = {"fairness": "strong", "from_plan": str(first_plan), "move_cost": 1000.0, **QUICK}
    run = api.post(f"events/{event_id}/runs", json=asked).json()
    assert asked.items() <= run.items()
    with transaction(sessions, read_only=True) as session:
        problem = unpack(session.get_one(models.Run, UUID(run["id"])).problem).problem
    assert (problem.fairness, problem.move_cost) == (8.0, 1000.0)
    execute_run(sessions, UUID(run["id"]))
    plan = api.get(f"events/{event_id}/plans/{plan_of(sessions, UUID(run['id']))}").json()
    assert plan["moved"] == 0
    assert seats_of(sessions, UUID(plan["id"])) == seats_of(sessions, first_plan)


def test_api_repairs_the_newest_plan(api: TestClient, sessions: Sessions, event_id: UUID, first_plan: UUID) -> None:
    add_guest(sessions, event_id)
    run = api.post(f"events/{event_id}/runs", json={"repair": True, **QUICK}).json()
    assert (run["repair"], run["from_plan"]) == (True, str(first_plan))
    execute_run(sessions, UUID(run["id"]))
    plan = api.get(f"events/{event_id}/plans/{plan_of(sessions, UUID(run['id']))}").json()
    assert plan["moved"] == 0
    assert plan["unseated"] == []
    assert all(one["moved"] > 0 for one in plan["alternatives"])


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"repair": True}, "from_plan"),
        ({"move_cost": 1.0}, "from_plan"),
        ({"from_plan": str(uuid4())}, "from_plan"),
        ({"move_cost": -1.0}, "move_cost"),
        ({"fairness": "strong", "method": "paper"}, "method"),
        ({"repair": True, "shards": 2}, "shards"),
        ({"repair": True, "move_cost": 1.0}, "move_cost"),
    ],
)
def test_api_refuses_what_cannot_be_asked(api: TestClient, event_id: UUID, asked: dict[str, Any], field: str) -> None:
    answer = api.post(f"events/{event_id}/runs", json=asked)
    assert answer.status_code == 422
    assert field in str(answer.json()["errors"])


def test_fairness_for_distances_is_refused(sessions: Sessions, owner: Actor, event_id: UUID) -> None:
    with transaction(sessions) as session:
        session.get_one(models.Event, event_id).kind = "distance"
    with pytest.raises(Invalid, match="Fairness needs scores"):
        stored_run(sessions, owner, event_id, fairness="some")


def test_repeat_of_a_repair_is_a_repair(api: TestClient, event_id: UUID, first_plan: UUID) -> None:
    run = api.post(f"events/{event_id}/runs", json={"repair": True, **QUICK}).json()
    again = api.post(f"events/{event_id}/runs/{run['id']}/repeat").json()
    assert (again["repair"], again["from_plan"]) == (True, str(first_plan))


def test_stale_plan_offers_to_change_as_little_as_possible_and_the_curve_to_pick_from(
    web: TestClient, sessions: Sessions, event_id: UUID, first_plan: UUID
) -> None:
    add_guest(sessions, event_id)
    address = f"/events/{event_id}/plans/{first_plan}"
    page = web.get(address).text
    [notice] = re.findall(r'<div class="banner.*?</div>', page, flags=re.S)
    assert f'href="{address}/repair"' in notice
    assert "Fix with the fewest moves" in text_of(notice)
    started = web.post(f"{address}/repair", data={"submission": str(uuid4())})
    assert started.status_code == 303
    run_id = UUID(started.headers["location"].rsplit("/", 1)[1])
    execute_run(sessions, run_id)
    shown = web.get(f"/events/{event_id}/plans/{plan_of(sessions, run_id)}").text
    assert "Since Version 1" in text_of(shown)
    assert re.search("Late Lauri had no seat → now at Table [12]", text_of(shown))
    assert f'href="/events/{event_id}/plans/{plan_of(sessions, run_id)}/repair"' in shown
    assert "Choose how many guests move" in shown


def test_repair_of_a_plan_that_still_fits_says_that_nobody_has_to_move(
    web: TestClient, sessions: Sessions, event_id: UUID, first_plan: UUID
) -> None:
    started = web.post(f"/events/{event_id}/plans/{first_plan}/repair", data={"submission": str(uuid4())})
    run_id = UUID(started.headers["location"].rsplit("/", 1)[1])
    execute_run(sessions, run_id)
    address = f"/events/{event_id}/plans/{plan_of(sessions, run_id)}"
    shown = text_of(web.get(address).text)
    assert "Choose how many guests move" in shown
    assert "Everyone sits at the same table in both plans." in shown
    assert "Nobody moves" in text_of(web.get(f"{address}/repair").text)


def family_of(sessions: Sessions, run_id: UUID) -> list[UUID]:
    with transaction(sessions, read_only=True) as session:
        return list(session.scalars(select(models.Plan.id).where(models.Plan.run_id == run_id)))


def test_page_lists_the_curve_and_another_point_can_be_used(
    web: TestClient, sessions: Sessions, owner: Actor, event_id: UUID, first_plan: UUID
) -> None:
    run_id = stored_run(sessions, owner, event_id, repair=True, **QUICK)
    execute_run(sessions, run_id)
    main = plan_of(sessions, run_id)
    with transaction(sessions) as session:
        plan = session.get_one(models.Plan, main)
        better = models.Plan(event_id=event_id, run_id=run_id, alternative_of=main, figures=plan.figures, moved=3)
        better.mse, better.total = (plan.mse or 0.0) / 2, plan.total
        session.add(better)
        session.flush()
        other = better.id
    page = web.get(f"/events/{event_id}/plans/{main}/repair").text
    assert {f"point={key}" in page for key in (main, other)} == {True}
    assert web.post(f"/events/{event_id}/plans/{other}/choose").status_code == 303
    with transaction(sessions, read_only=True) as session:
        assert plans.current_plan_id(open_event(session, owner, event_id)) == other


def test_page_of_late_changes_draws_the_curve_and_lists_everyone_who_moves(
    web: TestClient, api: TestClient, sessions: Sessions, owner: Actor, event_id: UUID, first_plan: UUID
) -> None:
    part_friends(sessions, first_plan)
    run_id = stored_run(sessions, owner, event_id, repair=True, objective="total", use_plan=True, **QUICK)
    execute_run(sessions, run_id)
    address = web.get(f"/events/{event_id}/runs/{run_id}").headers["location"]
    assert address == f"/events/{event_id}/plans/{plan_of(sessions, run_id)}/repair"
    before = seats_of(sessions, first_plan)
    curve = api.get(address.removeprefix("/")).json()
    assert curve["before"] == str(first_plan)
    assert [point["moved"] for point in curve["points"]] == sorted(point["moved"] for point in curve["points"])
    assert {point["id"] for point in curve["points"]} == {str(key) for key in family_of(sessions, run_id)}
    assert [point["id"] for point in curve["points"] if point["in_use"]] == [str(plan_of(sessions, run_id))]
    for point in curve["points"]:
        page = web.get(address, params={"point": point["id"]}).text
        after = seats_of(sessions, UUID(point["id"]))
        movers = {str(guest) for guest in after if after[guest][0] != before[guest][0]}
        assert set(re.findall(r'data-guest="([^"]+)"', page)) == movers
        assert len(movers) == point["moved"]
        assert "sit with someone they like" in text_of(page)
        assert page.count("data-point=") == (len(curve["points"]) if len(curve["points"]) > 1 else 0)
    repaired = api.get(f"events/{event_id}/plans/{first_plan}/repair").json()
    assert repaired == {"before": None, "points": [], "repaired_by": str(plan_of(sessions, run_id))}
    assert "See the last repair" in text_of(web.get(f"/events/{event_id}/plans/{first_plan}/repair").text)


def test_points_of_the_curve_are_in_proportion_but_never_too_close() -> None:
    assert spread([0, 5, 10]) == [40.0, 310.0, 580.0]
    close = spread([0, 1, 2, 59, 60])
    assert close[:3] == [40.0, 84.0, 128.0]
    assert close[3:] == [536.0, 580.0]
    many = spread(list(range(40)))
    assert many[0] >= 40.0 - 1e-6
    assert all(one < other for one, other in pairwise(many))


def test_start_page_asks_for_fairness_and_offers_the_newest_plan(
    web: TestClient, sessions: Sessions, event_id: UUID, first_plan: UUID
) -> None:
    page = web.get(f"/events/{event_id}/plan", params={"new": "1"}).text
    assert "Make sure everyone knows someone" in page
    assert f'action="/events/{event_id}/plans/{first_plan}/repair"' in page
    started = web.post(f"/events/{event_id}/runs", data={"fairness": "some"})
    run = read_run(sessions, UUID(started.headers["location"].rsplit("/", 1)[1]))
    assert run.options.fairness == "some"
    refused = web.post(f"/events/{event_id}/runs", data={"fairness": "much"})
    assert refused.status_code == 422
    assert "Fairness must be “none”, “some” or “strong”." in refused.text


def test_guesses_count_as_liking_only_from_half_a_level_on() -> None:
    scores = np.array([[0.0, 0.2, 0.7], [0.2, 0.0, 0.1], [0.7, 0.1, 0.0]])
    problem = Problem(scores, (Table(3),), names=("Aino", "Bo", "Cleo"), fairness=1.0)
    snapshot = make_snapshot_of(problem)
    guessed = np.ones((3, 3), dtype=bool)
    guessed[1, 2] = guessed[2, 1] = False
    likes = unpack(pack(replace(snapshot, guessed=guessed))).problem.likes
    assert likes is not None
    assert likes.tolist() == [[False, False, True], [False, False, True], [True, True, False]]


def test_refined_answers_count_as_liking_as_they_were_given() -> None:
    refined = np.array([[0.0, 0.3, 0.7], [0.3, 0.0, -0.2], [0.7, -0.2, 0.0]])
    entered = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    snapshot = make_snapshot_of(Problem(refined, (Table(3),), names=("Aino", "Bo", "Cleo"), fairness=1.0))
    likes = unpack(pack(replace(snapshot, entered=entered))).problem.likes
    assert likes is not None
    assert likes.tolist() == [[False, False, True], [False, False, False], [True, False, False]]


def make_snapshot_of(problem: Problem) -> Snapshot:
    guests = tuple(uuid4() for _ in range(problem.guest_count))
    return Snapshot(problem, guests, tuple(uuid4() for _ in problem.tables))


def test_whoever_arrives_beside_another_gets_a_new_order_at_that_table_alone() -> None:
    tables = (Table(4), Table(4))
    problem = Problem(np.zeros((6, 6)), tables, rules=(Rule("side_by_side", (0, 5)),))
    snapshot = make_snapshot_of(problem)
    g, t = snapshot.guest_ids, snapshot.table_ids
    before = {g[0]: (t[0], 3), g[1]: (t[0], 1), g[2]: (t[0], 0), g[3]: (t[1], 2), g[4]: (t[1], 0)}
    assignment, chairs = np.array([0, 0, 0, 1, 1, 0]), np.array([0, 2, 3, 0, 1, 1])
    assert keep_chairs(snapshot, assignment, chairs, before).tolist() == [0, 2, 3, 2, 0, 1]
    free = replace(snapshot, problem=replace(problem, rules=()))
    assert keep_chairs(free, assignment, chairs, before).tolist() == [3, 1, 0, 2, 0, 2]
