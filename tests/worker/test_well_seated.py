"""Who sits well in the best plan so far is counted as in the sentence about the plan that is made of it."""

from __future__ import annotations

import re
from html import unescape

from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.models import Plan, Seat
from app.db.session import Sessions, transaction
from app.plans.read import snapshot_of
from app.worker.execute import execute_run
from app.worker.well_seated import count_well_seated
from tests.run_helpers import rate_at_random, read_run, stored_event, stored_run


def test_count_is_that_of_the_plan(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, guests=24, sizes=(2,) * 12)
    rate_at_random(sessions, owner, event_id)
    run_id = stored_run(sessions, owner, event_id, restarts=1, method="paper")
    execute_run(sessions, run_id)
    run = read_run(sessions, run_id)
    page = unescape(re.sub("<[^>]+>", "", web.get(f"/events/{event_id}/plans/{run.plan_id}").text))
    with transaction(sessions, read_only=True) as session:
        plan = session.get_one(Plan, run.plan_id)
        snapshot = snapshot_of(session, plan)
        assert snapshot is not None
        tables = {seat.guest_id: seat.table_id for seat in session.query(Seat).where(Seat.plan_id == plan.id)}
    count = count_well_seated(snapshot, run.options)
    assert count is not None
    found = count([snapshot.table_ids.index(tables[guest]) for guest in snapshot.guest_ids])
    said = f"{found} of 24 sit with someone they like" if found < 24 else "All 24 sit with someone they like"
    assert said in page
