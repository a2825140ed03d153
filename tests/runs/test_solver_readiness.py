"""Runs that wait until the solver is compiled."""

from __future__ import annotations

from uuid import UUID

from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions, transaction
from app.runs.leases import find_waiting, take_lease
from app.runs.solver_readiness import can_begin, can_run_begin, forget_preparing, note_preparing
from app.runs.text import describe_run
from tests.run_helpers import read_run, stored_event, stored_run


def shown(sessions: Sessions, run_id: UUID) -> tuple[str, str, float | None]:
    words = describe_run(read_run(sessions, run_id))
    return words.title, words.text, words.percent


def test_waiting_run_says_how_many_parts_it_still_needs(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    full = stored_run(sessions, owner, event_id)
    paper = stored_run(sessions, owner, event_id, method="paper")
    with transaction(sessions) as session:
        note_preparing(session, {"full": (2, 5), "paper": (0, 1)})
    text = "Only at the first start, a minute or two: {} ready. Your run starts by itself."
    assert shown(sessions, full) == ("Preparing the solver", text.format("2 of 5 parts"), 40.0)
    assert shown(sessions, paper) == ("Preparing the solver", text.format("0 of 1 part"), 0.0)
    with transaction(sessions) as session:
        take_lease(session, paper)
        note_preparing(session, {"full": (3, 5), "paper": (1, 1)})  # a worker solves: the others wait for their turn
    assert shown(sessions, paper) == ("Finding the best plan", "", None)
    assert shown(sessions, full)[2] == 40.0
    with transaction(sessions) as session:
        forget_preparing(session)
    assert shown(sessions, full) == ("Waiting to start", "", None)


def test_run_begins_before_an_earlier_one_whose_parts_are_missing(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    careful = stored_run(sessions, owner, event_id, fairness="strong")
    full = stored_run(sessions, owner, event_id)
    with transaction(sessions, read_only=True) as session:
        assert find_waiting(session, among=can_begin([])) is None
        assert find_waiting(session, among=can_begin(["paper"])) is None
        assert find_waiting(session, among=can_begin(["paper", "full"])) == (full, None)
        assert find_waiting(session, among=can_begin(["paper", "full", "fairness"])) == (careful, None)
        assert [can_run_begin(session, run, ["full"]) for run in (careful, full, event_id)] == [False, True, True]


def test_api_says_that_the_solver_is_prepared(api: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id)
    with transaction(sessions) as session:
        note_preparing(session, {"full": (4, 5)})
    run = api.get(f"events/{event_id}/runs/{run_id}").json()
    progress = {name: run["progress"][name] for name in ("stage", "restarts_done", "restarts", "parts_ready", "parts")}
    assert run["status"] == "queued"
    assert progress == {"stage": "prepare", "restarts_done": 0, "restarts": 0, "parts_ready": 4, "parts": 5}
