"""A search that has ended can go on: for the whole time, or for longer, from the plan that it found."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.models import Plan
from app.db.session import Sessions, transaction
from app.runs.options import MOST_RESTARTS, RunOptions
from app.worker.execute import execute_run
from tests.run_helpers import LARGE, rate_at_random, read_run, stored_event, stored_run


def press(web: TestClient, event_id: UUID, run_id: UUID, label: str) -> tuple[str, UUID]:
    """Press the button on the page that says how the plan was found; return what that says, and the new run."""
    page = unescape(web.get(f"/events/{event_id}/plans/{_plan_of(web, event_id, run_id)}/found").text)
    form = next(form for form in re.findall(r"<form.*?</form>", page, re.DOTALL) if label in form)
    fields = dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', form))
    again = web.post(f"/events/{event_id}/runs/{run_id}/repeat", data=fields)
    assert again.status_code == 303
    return page, UUID(again.headers["location"].rpartition("/")[2])


def _plan_of(web: TestClient, event_id: UUID, run_id: UUID) -> str:
    return web.get(f"/events/{event_id}/runs/{run_id}").headers["location"].rpartition("/")[2]


def went_on(sessions: Sessions, run_id: UUID, **changed: object) -> RunOptions:
    """Return what is asked of a run that goes on from the plan of this one."""
    before = read_run(sessions, run_id)
    return replace(before.options, restarts=MOST_RESTARTS, from_plan=before.plan_id, use_plan=True, **changed)  # type: ignore[arg-type]


def mse_of(sessions: Sessions, run_id: UUID) -> float:
    with transaction(sessions, read_only=True) as session:
        plan = session.get_one(Plan, read_run(sessions, run_id).plan_id)
        assert plan.mse is not None
        return plan.mse


def test_run_that_stopped_early_says_so_and_searches_the_whole_time(
    web: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event_id = stored_event(sessions, owner, **LARGE)
    run_id = stored_run(sessions, owner, event_id, time_limit=20.0)
    execute_run(sessions, run_id)
    page, again = press(web, event_id, run_id, "Search the whole time")
    assert re.search(r"No better plan is likely: stopped after \d+\.\d of 20 s\.", page)
    assert read_run(sessions, again).options == went_on(sessions, run_id, stop_early=False)


def test_run_that_used_up_its_attempts_says_so_and_searches_the_whole_time(
    web: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event_id = stored_event(sessions, owner, **LARGE)
    rate_at_random(sessions, owner, event_id)
    run_id = stored_run(sessions, owner, event_id, restarts=8, time_limit=60.0, stop_early=False)
    execute_run(sessions, run_id)
    page, again = press(web, event_id, run_id, "Search the whole time")
    assert re.search(r"All 8 attempts were used after \d+\.\d of 60 s\.", page)
    assert read_run(sessions, again).options == went_on(sessions, run_id)


@pytest.mark.parametrize("rounds", [1, 5])
def test_run_that_its_time_limit_ended_goes_on_from_its_plan(
    web: TestClient, sessions: Sessions, owner: Actor, rounds: int
) -> None:
    event_id = stored_event(sessions, owner, **LARGE)
    rate_at_random(sessions, owner, event_id)
    run_id = stored_run(sessions, owner, event_id, rounds=rounds, time_limit=1.0)
    execute_run(sessions, run_id)
    shown = unescape(web.get(f"/events/{event_id}/plans/{_plan_of(web, event_id, run_id)}").text)
    assert "The time limit ended the search:" in shown
    page, again = press(web, event_id, run_id, "Search longer (1 minute)")
    assert "The time limit of 1 s ended the search." in page
    assert read_run(sessions, again).options == went_on(sessions, run_id, time_limit=60.0)


def test_longer_search_of_several_rounds_opens_as_any_other(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, **LARGE)
    run_id = stored_run(sessions, owner, event_id, rounds=5, time_limit=0.5)
    execute_run(sessions, run_id)
    form = {"seconds": "0.6"}
    again = web.post(f"/events/{event_id}/runs/{run_id}/repeat", data=form).headers["location"].rpartition("/")[2]
    assert execute_run(sessions, UUID(again)) == "done"
    shown = web.get(f"/events/{event_id}/plans/{_plan_of(web, event_id, UUID(again))}")
    assert (shown.status_code, "Everyone meets" in shown.text) == (200, True)


def test_plan_of_a_longer_search_is_no_worse(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, guests=120, sizes=(10,) * 12)
    rate_at_random(sessions, owner, event_id)
    quick, good = (stored_run(sessions, owner, event_id, time_limit=seconds) for seconds in (0.2, 4.0))
    execute_run(sessions, good)
    form = {"seconds": "0.2"}  # from scratch, that is too little
    again = web.post(f"/events/{event_id}/runs/{good}/repeat", data=form).headers["location"].rpartition("/")[2]
    for run_id in (quick, UUID(again)):
        execute_run(sessions, run_id)
    assert mse_of(sessions, UUID(again)) <= mse_of(sessions, good) + 1e-12 < mse_of(sessions, quick)


@pytest.mark.parametrize(("seconds", "status"), [("0", 422), ("-1", 422), ("nan", 422), ("4000", 422), ("soon", 422)])
def test_time_that_cannot_be_searched_is_refused(
    web: TestClient, sessions: Sessions, owner: Actor, seconds: str, status: int
) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id, restarts=5)
    answer = web.post(f"/events/{event_id}/runs/{run_id}/repeat", data={"seconds": seconds})
    assert answer.status_code == status


def test_best_plan_offers_no_longer_search(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = stored_run(sessions, owner, event_id)
    execute_run(sessions, run_id)
    page = web.get(f"/events/{event_id}/plans/{_plan_of(web, event_id, run_id)}/found").text
    assert "The search found the best possible plan." in page
    assert "/repeat" not in page
