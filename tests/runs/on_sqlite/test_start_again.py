"""A run that was cancelled or failed is started again with what was typed for it."""

from __future__ import annotations

from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions, transaction
from app.runs.leases import end_run, take_lease
from tests.pages import fields_of
from tests.run_helpers import read_run, stored_event, stored_run

TYPED = {
    "rounds": "3",
    "goal": "spread",
    "hosts": "Guest 0\nGuest 3",
    "met_tables": "Guest 1, Guest 2\nGuest 4, Guest 5, Guest 6\n",
    "time_limit": "12.5",
    "stop_early": "no",
    "seed": "7",
}


def fail(sessions: Sessions, run_id: UUID) -> None:
    with transaction(sessions) as session:
        lease = take_lease(session, run_id)
        assert lease is not None
        end_run(session, lease, "failed", error="The moon was in the way.")


def typed_in(page: str) -> dict[str, str]:
    fields = fields_of(page)
    return {name: fields[name][0] for name in TYPED}


@pytest.fixture
def event_id(sessions: Sessions, owner: Actor) -> UUID:
    return stored_event(sessions, owner, guests=12, sizes=(3, 3, 3, 3))


@pytest.mark.parametrize("ending", ["cancelled", "failed"])
def test_form_begins_with_what_was_typed_for_the_run(
    web: TestClient, sessions: Sessions, event_id: UUID, ending: str
) -> None:
    run = web.post(f"/events/{event_id}/runs", data=TYPED).headers["location"]
    run_id = UUID(run.rpartition("/")[2])
    if ending == "failed":
        fail(sessions, run_id)
    else:
        web.post(f"{run}/cancel")
    for address in (f"plan?new=1&again={run_id}", "plan", "plan?new=1"):
        assert typed_in(web.get(f"/events/{event_id}/{address}").text) == TYPED
    again = web.post(f"/events/{event_id}/runs", data=TYPED)
    assert (
        read_run(sessions, UUID(again.headers["location"].rpartition("/")[2])).options
        == read_run(sessions, run_id).options
    )


def test_one_round_is_planned_after_several_were_cancelled(web: TestClient, event_id: UUID) -> None:
    run = web.post(f"/events/{event_id}/runs", data=TYPED).headers["location"]
    web.post(f"{run}/cancel")
    assert web.post(f"/events/{event_id}/runs", data={**TYPED, "rounds": "1"}).status_code == 303


def test_older_run_is_started_again_with_its_own_options(
    web: TestClient, sessions: Sessions, owner: Actor, event_id: UUID
) -> None:
    older, newer = (stored_run(sessions, owner, event_id, time_limit=seconds) for seconds in (30.0, 60.0))
    for run_id in (older, newer):
        web.post(f"/events/{event_id}/runs/{run_id}/cancel")
    page = web.get(f"/events/{event_id}/plan?new=1&again={older}").text
    assert fields_of(page)["time_limit"] == ["30"]


def test_run_of_another_event_is_not_started_again(
    web: TestClient, sessions: Sessions, owner: Actor, event_id: UUID
) -> None:
    other = stored_run(sessions, owner, stored_event(sessions, owner))
    assert web.get(f"/events/{event_id}/plan?new=1&again={other}").status_code == 404
