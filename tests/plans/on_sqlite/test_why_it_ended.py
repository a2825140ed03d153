"""The page of a plan says why its search ended early, as long as the plan is worth what was found."""

from __future__ import annotations

import re
from html import unescape

from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions
from app.worker.execute import execute_run
from tests.run_helpers import rate_at_random, read_run, stored_event, stored_run

EARLY = re.compile(r"No better plan is likely\.")
AT_LENGTH = re.compile(r"No better plan is likely: stopped after \d+\.\d of 60 s\.")


def test_page_says_that_no_better_plan_is_likely_until_guests_are_moved(
    web: TestClient, api: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event_id = stored_event(sessions, owner, guests=36, sizes=(9,) * 4)
    rate_at_random(sessions, owner, event_id)
    run_id = stored_run(sessions, owner, event_id, time_limit=60.0)
    assert execute_run(sessions, run_id) == "done"
    plan_id = read_run(sessions, run_id).plan_id
    address = f"/events/{event_id}/plans/{plan_id}"
    assert EARLY.search(unescape(web.get(address).text))
    assert AT_LENGTH.search(unescape(web.get(f"{address}/found").text))
    tables = api.get(f"events/{event_id}/plans/{plan_id}").json()["tables"]
    one, other = (table["guests"][0]["id"] for table in tables[:2])
    swap = {"kind": "swap", "guest": one, "other": other}
    moved = api.post(f"events/{event_id}/plans/{plan_id}/moves", json=swap, headers={"If-Match": "*"})
    assert moved.status_code < 300, moved.text
    assert not EARLY.search(unescape(web.get(address).text))
