"""How a plan was found, in words that fit events without any rating."""

from __future__ import annotations

from uuid import UUID

from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions
from app.worker.execute import execute_run
from tests.pages import words_of
from tests.run_helpers import read_run, stored_run

HOUSEHOLDS = [{"name": f"{name} {letter}", "party": letter} for letter in "ABCDEF" for name in ("Ann", "Bo", "Cleo")]


def test_plan_of_households_alone_is_the_best_without_a_search(
    web: TestClient, api: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event = api.post("events", json={"name": "Party"}).json()["id"]
    api.put(f"events/{event}/guests", json={"guests": HOUSEHOLDS})
    api.put(f"events/{event}/tables", json={"tables": [{"seats": 4}] * 6})
    run = stored_run(sessions, owner, UUID(event))
    assert execute_run(sessions, run) == "done"
    page = f"/events/{event}/plans/{read_run(sessions, run).plan_id}"
    assert "All 18 sit with their own household" in words_of(web.get(page).text)
    found = words_of(web.get(f"{page}/found").text)
    assert "No search was needed: the first plan was already the best possible." in found
