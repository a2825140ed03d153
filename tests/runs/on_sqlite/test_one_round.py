"""What the form says about several rounds, where there is only one."""

from __future__ import annotations

from html import unescape
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions
from app.worker.execute import execute_run
from tests.run_helpers import read_run, stored_event


@pytest.fixture
def event_id(sessions: Sessions, owner: Actor) -> UUID:
    return stored_event(sessions, owner, guests=12, sizes=(3, 3, 3, 3))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"hosts": "Guest 3"}, "You filled in hosts, but there is only one round. {} clear the hosts."),
        (
            {"met_tables": "Guest 1, Guest 2", "hosts": "Guest 3", "goal": "wanted"},
            "You chose whom people should meet, and you filled in hosts and who sat together before, but there is only "
            "one round. {} clear them.",
        ),
        (
            {"goal": "wanted"},
            "You chose whom people should meet, but there is only one round. "
            "{} choose “As many new people as possible”.",
        ),
        ({"split_households": "on"}, "You chose separate households, but there is only one round. {} untick it."),
        ({f"rounds_of_{UUID(int=1)}": "1"}, "You filled in rounds of tables, but there is only one round."),
        ({"met_at": str(UUID(int=1))}, "You chose who met before, but there is only one round."),
    ],
)
def test_what_is_filled_in_for_rounds_is_refused_where_there_is_one(
    web: TestClient, event_id: UUID, fields: dict[str, str], message: str
) -> None:
    refused = web.post(f"/events/{event_id}/runs", data={"rounds": "1", **fields})
    assert refused.status_code == 422
    page = unescape(refused.text)
    assert message.format("Enter 2 or more rounds, or") in page
    assert 'aria-describedby="f-rounds' in page
    if "hosts" in fields:
        assert "Guest 3</textarea>" in page


def test_one_round_after_several_is_planned_with_the_form_as_it_began(
    web: TestClient, sessions: Sessions, event_id: UUID
) -> None:
    asked = {"rounds": "3", "restarts": "2", "hosts": "Guest 0\nGuest 5\n"}
    first = web.post(f"/events/{event_id}/runs", data=asked).headers["location"]
    assert execute_run(sessions, UUID(first.rpartition("/")[2])) == "done"
    began = {"rounds": "1", "goal": "new", "hosts": "Guest 0\r\nGuest 5\r\n"}
    other = web.post(f"/events/{event_id}/runs", data=began | {"hosts": "Guest 0\r\nGuest 6"})
    assert other.status_code == 422
    started = web.post(f"/events/{event_id}/runs", data=began)
    assert started.status_code == 303, unescape(started.text)
    options = read_run(sessions, UUID(started.headers["location"].rpartition("/")[2])).options
    assert (options.rounds, options.hosts) == (1, ())
