"""The form's chances that guests come, and what the plan's page says of them."""

from __future__ import annotations

from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from app.accounts.actor import Actor
from app.db.models import Guest
from app.db.session import Sessions, transaction
from app.worker.execute import execute_run
from tests.run_helpers import read_run, stored_event


@pytest.mark.parametrize("typed", ["50", "50%", " 50 % "])
def test_chances_are_typed_with_or_without_a_sign_and_the_plan_says_so(
    web: TestClient, api: TestClient, sessions: Sessions, owner: Actor, typed: str
) -> None:
    event_id = stored_event(sessions, owner)
    with transaction(sessions) as session:
        session.execute(update(Guest).where(Guest.event_id == event_id).values(reply="maybe"))
    form = {"maybe_percent": typed, "restarts": "5"}
    started = web.post(f"/events/{event_id}/runs", data=form)
    run_id = UUID(started.headers["location"].rpartition("/")[2])
    assert read_run(sessions, run_id).options.maybe_percent == 50
    assert execute_run(sessions, run_id) == "done"
    page = web.get(f"/events/{event_id}/plans/{read_run(sessions, run_id).plan_id}").text
    assert "It allows for 8 guests who may not come." in page
    link = api.post(f"events/{event_id}/links", json={"audience": "planner"}).json()
    assert "may not come" not in web.get(f"/s/{link['token']}").text


def test_chances_that_cannot_be_read_are_named(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event = f"/events/{stored_event(sessions, owner)}"
    for form in (
        {"maybe_percent": "half", "no_reply_percent": "%"},
        {"maybe_percent": "0,5", "no_reply_percent": "5,"},
    ):
        refused = web.post(f"{event}/runs", data=form)
        assert "The chance that a “maybe” comes must be a whole number." in refused.text
        assert "The chance that guests without a reply come must be a whole number." in refused.text
