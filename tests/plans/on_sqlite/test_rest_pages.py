"""Planning the rest from the workspace: the button, the new version, and who moved."""

from __future__ import annotations

import re
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.actor import Actor
from app.db import models
from app.db.session import Sessions, transaction
from app.worker.execute import execute_run
from tests.conftest import api_client
from tests.factories import ANY_VERSION
from tests.plans.on_sqlite.plan_pages import text_of
from tests.run_helpers import read_run, stored_event, stored_run


@pytest.fixture
def event_id(sessions: Sessions, owner: Actor) -> UUID:
    return stored_event(sessions, owner, guests=8, sizes=(4, 4, 4))


@pytest.fixture
def plan_id(sessions: Sessions, owner: Actor, event_id: UUID) -> UUID:
    return finished(sessions, stored_run(sessions, owner, event_id, restarts=3))


def finished(sessions: Sessions, run_id: UUID) -> UUID:
    assert execute_run(sessions, run_id) == "done"
    plan_id = read_run(sessions, run_id).plan_id
    assert plan_id is not None
    return plan_id


def seats_of(sessions: Sessions, plan_id: UUID) -> dict[UUID, tuple[UUID, int]]:
    with transaction(sessions, read_only=True) as session:
        rows = session.scalars(select(models.Seat).where(models.Seat.plan_id == plan_id).order_by(models.Seat.seat))
        return {row.guest_id: (row.table_id, row.seat) for row in rows}


def test_rest_is_planned_around_what_is_locked_and_who_moved_is_shown(
    web: TestClient, sessions: Sessions, event_id: UUID, plan_id: UUID
) -> None:
    address = f"/events/{event_id}/plans/{plan_id}"
    before = seats_of(sessions, plan_id)
    locked_table = next(iter(before.values()))[0]
    guest = next(guest for guest, place in before.items() if place[0] != locked_table)
    web.post(f"{address}/moves", data={"kind": "lock_table", "table": str(locked_table)})
    web.post(f"{address}/moves", data={"guest": str(guest), "to": "tray:", "anyway": "1"})
    assert f'action="{address}/rest"' in web.get(address).text
    submission = str(uuid4())
    started = web.post(f"{address}/rest", data={"submission": submission})
    assert (started.status_code, started.headers["location"].rsplit("/", 1)[1]) == (303, submission)
    again = web.post(f"{address}/rest", data={"submission": submission})
    assert again.headers["location"] == started.headers["location"]
    new = finished(sessions, UUID(submission))
    after = seats_of(sessions, new)
    kept = {guest: place for guest, place in before.items() if place[0] == locked_table}
    assert {guest: place for guest, place in after.items() if place[0] == locked_table} == kept
    assert len(after) == 8
    page = web.get(f"/events/{event_id}/plans/{new}").text
    text = text_of(page)
    assert "Since Version 1" in text
    assert re.search(r"had no seat → now at Table \d", text)
    assert re.search(rf'class="seat [^"]*moved"[^>]*data-seat="{guest}"', page)
    assert f'href="/events/{event_id}/plans/{plan_id}/compare?other={new}"' in page
    table_tab = web.get(f"/events/{event_id}/plans/{new}?tab=table").text
    assert not re.search(r'class="seat [^"]*moved"', table_tab)


def test_api_plans_the_rest_by_a_run_from_the_plan(
    client: TestClient, sessions: Sessions, owner: Actor, event_id: UUID, plan_id: UUID
) -> None:
    api = api_client(client, sessions, owner)
    guest, place = next(iter(seats_of(sessions, plan_id).items()))
    moves = f"events/{event_id}/plans/{plan_id}/moves"
    assert api.post(moves, json={"kind": "lock", "guest": str(guest)}, headers=ANY_VERSION).status_code == 200
    run = api.post(f"events/{event_id}/runs", json={"from_plan": str(plan_id), "restarts": 3})
    assert run.status_code == 202
    new = finished(sessions, UUID(run.json()["id"]))
    assert seats_of(sessions, new)[guest] == place
    changes = api.get(f"events/{event_id}/plans/{plan_id}/comparison/{new}").json()
    assert str(guest) not in str(changes["moves"])


def test_rest_of_a_plan_that_cannot_be_made_says_why(
    web: TestClient, sessions: Sessions, event_id: UUID, plan_id: UUID
) -> None:
    with transaction(sessions) as session:
        for table in session.scalars(select(models.Table).where(models.Table.event_id == event_id)):
            table.seats = table.min_seats = 1
    refused = web.post(f"/events/{event_id}/plans/{plan_id}/rest", data={"submission": str(uuid4())})
    assert refused.status_code == 422
    assert "more seats needed" in text_of(refused.text)


def test_stranger_cannot_plan_the_rest(stranger_web: TestClient, event_id: UUID, plan_id: UUID) -> None:
    assert stranger_web.post(f"/events/{event_id}/plans/{plan_id}/rest").status_code == 404
