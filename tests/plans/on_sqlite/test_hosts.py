"""What the page of a plan of several rounds says of hosts."""

from __future__ import annotations

from html import unescape
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions
from app.worker.execute import execute_run
from tests.run_helpers import read_run, stored_event


@pytest.mark.parametrize(
    ("hosts", "last_round", "sentence"),
    [
        (5, "1", "5 hosts share 3 tables: only 3 tables are used in every round."),
        (5, "", "5 hosts share 4 tables: only 4 tables are used in every round."),
        (3, "1", ""),
    ],
)
def test_page_says_that_hosts_share_tables(
    web: TestClient, api: TestClient, sessions: Sessions, owner: Actor, hosts: int, last_round: str, sentence: str
) -> None:
    event_id = stored_event(sessions, owner, guests=12, sizes=(4, 4, 4, 4))
    last = api.get(f"events/{event_id}/tables").json()["tables"][-1]["id"]
    names = "\n".join(f"Guest {number}" for number in range(hosts))
    form = {"rounds": "2", "restarts": "2", "hosts": names, f"rounds_of_{last}": last_round}
    started = web.post(f"/events/{event_id}/runs", data=form)
    assert started.status_code == 303, unescape(started.text)
    run_id = UUID(started.headers["location"].rpartition("/")[2])
    assert execute_run(sessions, run_id) == "done"
    page = unescape(web.get(f"/events/{event_id}/plans/{read_run(sessions, run_id).plan_id}").text)
    assert (sentence in page, "hosts share" in page) == (True, bool(sentence))
