"""Locks and rules on the way into a run: what is kept, what contradicts, and what is said about it."""

from __future__ import annotations

from html import unescape
from uuid import UUID

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
from app.plans.moves import edit as moves
from app.plans.moves.edit import MoveEntry
from app.plans.moves.promises import broken_rules
from app.problem.snapshot import take_snapshot
from app.rules import conflicts
from app.rules.edit import RuleEntry, add_rule
from app.runs.start import look_ahead
from app.worker.execute import execute_run
from tests.factories import Planned, make_event, make_guests, make_plan, make_tables
from tests.run_helpers import read_run, stored_event, stored_run


def lock(session: Session, owner: Actor, made: Planned, *guests: int) -> None:
    for guest in guests:
        moves.make_move(
            open_event(session, owner, made.event.id), made.plan.id, MoveEntry("lock", made.guests[guest].id)
        )


def test_locked_guests_and_the_newest_plan_go_into_the_problem(session: Session, owner: Actor) -> None:
    made = make_plan(session, owner, sizes=(2, 2), names=["Aino", "Bo", "Cleo", "Dan"])
    lock(session, owner, made, 0, 3)
    problem = take_snapshot(session, made.event, objective="average").problem
    assert (problem.locked, problem.previous) == (((0, 0), (3, 1)), (0, 0, 1, 1))
    assert look_ahead(open_event(session, owner, made.event.id)).locked == 2


def test_locks_of_guests_and_tables_that_went_are_forgotten(session: Session, owner: Actor) -> None:
    made = make_plan(session, owner, sizes=(2, 2), names=["Aino", "Bo", "Cleo", "Dan"])
    lock(session, owner, made, 0, 1, 3)
    make_guests(session, made.event, ["Late"])
    make_tables(session, made.event, [4], names=["New"])
    made.guests[1].removed_at = made.tables[1].removed_at = now()
    session.flush()
    snapshot = take_snapshot(session, made.event, objective="average")
    here = [snapshot.problem.names.index(name) for name in ("Aino", "Cleo", "Dan", "Late")]
    assert snapshot.problem.locked == ((here[0], snapshot.table_ids.index(made.tables[0].id)),)
    assert snapshot.problem.previous is not None
    assert [snapshot.problem.previous[guest] for guest in here[1:]] == [-1, -1, -1]
    assert look_ahead(open_event(session, owner, made.event.id)).locked == 1


def test_event_without_a_plan_has_no_previous_one(session: Session, owner: Actor) -> None:
    event = make_event(session, owner)
    make_guests(session, event, ["Aino", "Bo"])
    make_tables(session, event, [2])
    problem = take_snapshot(session, event, objective="average").problem
    assert (problem.locked, problem.previous) == ((), None)


def guest_ids(session: Session, event_id: UUID) -> list[UUID]:
    query = select(models.Guest.id).where(models.Guest.event_id == event_id).order_by(models.Guest.position)
    return list(session.scalars(query))


def test_new_run_keeps_locked_guests_where_they_are(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    first = stored_run(sessions, owner, event_id, restarts=5)
    execute_run(sessions, first)
    with transaction(sessions) as session:
        plan_id = plans.current_plan_id(open_event(session, owner, event_id))
        assert plan_id is not None
        one, friend = guest_ids(session, event_id)[:2]
        view = plans.read_plan(open_event(session, owner, event_id), plan_id)
        stranger = next(g.id for t in view.tables if one not in {g.id for g in t.guests} for g in t.guests)
        moves.make_move(open_event(session, owner, event_id), plan_id, MoveEntry("swap", one, other=stranger))
        moves.make_move(open_event(session, owner, event_id), plan_id, MoveEntry("lock", one))
        moves.make_move(open_event(session, owner, event_id), plan_id, MoveEntry("lock", stranger))
        asked = {s.guest_id: s.table_id for s in session.scalars(select(models.Seat)) if s.plan_id == plan_id}
    page = web.get(f"/events/{event_id}/plan", params={"new": "1"}).text
    assert "2 locked guests keep their tables." in page
    second = stored_run(sessions, owner, event_id, restarts=5)
    execute_run(sessions, second)
    with transaction(sessions, read_only=True) as session:
        seats = session.scalars(select(models.Seat).where(models.Seat.plan_id == read_run(sessions, second).plan_id))
        now_at = {seat.guest_id: (seat.table_id, seat.locked) for seat in seats}
    assert (now_at[one], now_at[stranger]) == ((asked[one], True), (asked[stranger], True))
    assert now_at[friend] == (asked[one], False)


def forbid(sessions: Sessions, owner: Actor) -> UUID:
    """Make an event in which two must sit together and apart."""
    with transaction(sessions) as session:
        event = make_event(session, owner)
        guests = make_guests(session, event, ["Aino", "Bo", "Cleo", "Dan"])
        make_tables(session, event, [2, 2])
        pair = (guests[0].id, guests[1].id)
        add_rule(open_event(session, owner, event.id), RuleEntry("together", pair))
        add_rule(open_event(session, owner, event.id), RuleEntry("apart", pair))
        return event.id


WORDS = "No plan can satisfy all of these: Aino and Bo sit together and Aino and Bo sit apart."


def test_page_explains_rules_that_contradict_each_other(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = forbid(sessions, owner)
    refused = web.post(f"/events/{event_id}/runs", data={"restarts": "5"})
    page = unescape(refused.text)
    assert refused.status_code == 422
    assert "These rules conflict" in page
    assert WORDS in page
    assert "The smallest change: don't require that Aino and Bo sit" in page
    assert f'href="/events/{event_id}/rules"' in page
    assert 'value="5"' in page
    with transaction(sessions, read_only=True) as session:
        assert session.scalars(select(models.Run.id)).all() == []


def test_api_explains_rules_that_contradict_each_other(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = forbid(sessions, owner)
    refused = api.post(f"events/{event_id}/runs")
    assert (refused.status_code, refused.headers["content-type"]) == (422, "application/problem+json")
    assert refused.json()["detail"].startswith(WORDS)
    assert [error["pointer"] for error in refused.json()["errors"]] == ["#/rules"]
    assert api.get(f"events/{event_id}/runs").json()["runs"] == []


def test_rules_that_are_too_many_for_the_server_are_checked_by_the_run(
    monkeypatch: pytest.MonkeyPatch, api: TestClient, web: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event_id = forbid(sessions, owner)
    monkeypatch.setattr(conflicts, "MOST_PLACES", 1)
    said = {"rules": "Checking your rules…", "plan": "They are checked when you create a plan"}
    for page, words in said.items():
        text = web.get(f"/events/{event_id}/{page}").text
        assert words in text
        assert "These rules conflict" not in text
    started = api.post(f"events/{event_id}/runs", json={"restarts": 5})
    assert started.status_code == 202
    run_id = UUID(started.json()["id"])
    assert execute_run(sessions, run_id) == "failed"
    assert (read_run(sessions, run_id).error or "").startswith(WORDS)


def test_lock_against_a_rule_is_explained_with_names(
    api: TestClient, web: TestClient, sessions: Sessions, owner: Actor
) -> None:
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(2, 2), names=["Aino", "Bo", "Cleo", "Dan"])
        lock(session, owner, made, 0)
        add_rule(
            open_event(session, owner, made.event.id), RuleEntry("pinned", (made.guests[0].id,), (made.tables[1].id,))
        )
    detail = api.post(f"events/{made.event.id}/runs").json()["detail"]
    assert "Aino stays at Table 1" in detail
    assert "Aino sits at Table 2" in detail
    assert "Aino stays at Table 1" in web.post(f"/events/{made.event.id}/runs").text


def test_more_locked_guests_than_seats_are_explained(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(2, 3), names=["Aino", "Bo", "Cleo", "Dan"])
        lock(session, owner, made, 0, 1)
        session.get_one(models.Table, made.tables[0].id).seats = 1
    detail = api.post(f"events/{made.event.id}/runs").json()["detail"]
    assert "Aino stays at Table 1 and Bo stays at Table 1" in detail


def test_method_of_the_paper_is_refused_where_it_would_break_rules(
    api: TestClient, sessions: Sessions, owner: Actor
) -> None:
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(2, 2), names=["Aino", "Bo", "Cleo", "Dan"])
        lock(session, owner, made, 0)
    refused = api.post(f"events/{made.event.id}/runs", json={"method": "paper"}).json()
    detail = "The paper method doesn't support locked guests. Use the full method."
    assert refused["errors"] == [{"pointer": "#/method", "detail": detail}]


@pytest.mark.parametrize("shape", ["round", "square", "long", "head", "oval"])
def test_two_who_must_sit_side_by_side_do(sessions: Sessions, owner: Actor, shape: str) -> None:
    with transaction(sessions) as session:
        event = make_event(session, owner)
        guests = make_guests(session, event, [f"Guest {number}" for number in range(9)])
        for table in make_tables(session, event, [6, 6], shape=shape):
            table.min_seats = 3
        pair = (guests[1].id, guests[7].id)
        add_rule(open_event(session, owner, event.id), RuleEntry("side_by_side", pair))
        event_id = event.id
    run_id = stored_run(sessions, owner, event_id, restarts=5)
    execute_run(sessions, run_id)
    with transaction(sessions, read_only=True) as session:
        plan = session.get_one(models.Plan, read_run(sessions, run_id).plan_id)
        seats = {seat.guest_id: seat for seat in session.scalars(select(models.Seat)) if seat.plan_id == plan.id}
        one, other = (seats[guest] for guest in pair)
        assert broken_rules(session, plan) == []
        assert one.table_id == other.table_id
        apart = abs(one.seat - other.seat)
        assert apart in ((1,) if shape in ("long", "head") else (1, 5))
        assert shape != "long" or (one.seat < 3) == (other.seat < 3)
