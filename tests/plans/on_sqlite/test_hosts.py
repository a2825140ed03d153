"""What the page of a plan of several rounds says of hosts."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db.models import Plan
from app.db.session import Sessions, transaction
from app.plans.queries.rounds import main_of, seats_in_rounds
from app.plans.seating import read_seating
from app.worker.execute import execute_run
from tests.run_helpers import read_run, stored_event

ELSEWHERE = ", but sits elsewhere in this one"


@pytest.mark.parametrize(
    ("hosts", "last_round", "sentence"),
    [
        (5, "1", "5 hosts share 3 tables: only 3 tables are used in every round."),
        (5, "", "5 hosts share 4 tables: there are only 4 tables."),
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


def test_host_leaves_the_table_only_anyway_and_is_then_listed_until_all_rounds_agree(
    web: TestClient, api: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event_id = stored_event(sessions, owner, guests=12, sizes=(5, 5, 5))
    host = api.get(f"events/{event_id}/guests").json()["guests"][0]
    started = api.post(f"events/{event_id}/runs", json={"rounds": 3, "restarts": 2, "hosts": [host["id"]]})
    run_id = UUID(started.json()["id"])
    assert execute_run(sessions, run_id) == "done"
    main = api.get(f"events/{event_id}/plans/{read_run(sessions, run_id).plan_id}").json()
    rounds = [one["plan_id"] for one in main["rounds"]]
    kept = next(table for table in main["tables"] if host["id"] in [guest["id"] for guest in table["guests"]])
    other = next(table for table in main["tables"] if table["id"] != kept["id"])
    words = f"{host['name']} is a host and keeps {kept['name']} in all rounds."
    page = unescape(web.get(f"/events/{event_id}/plans/{rounds[0]}?tab=guest&guest={host['id']}").text)
    assert words in page

    def move(number: int, **more: Any) -> Any:
        asked = {"kind": "move", "guest": host["id"], "table": other["id"], **more}
        return api.post(f"events/{event_id}/plans/{rounds[number]}/moves", json=asked, headers={"If-Match": "*"})

    def broken(number: int) -> list[str]:
        found = api.get(f"events/{event_id}/plans/{rounds[number]}").json()["exceptions"]
        return [one["text"] for one in found if one["kind"] == "host"]

    refused = move(0)
    assert refused.status_code == 409
    assert [(one["kind"], one["text"]) for one in refused.json()["breaks"]] == [
        ("host", f"{words} That would no longer hold.")
    ]
    assert move(0, anyway=True).status_code < 300
    assert broken(0) == [words.removesuffix(".").replace("keeps", "should keep") + f"{ELSEWHERE}."]
    assert move(1).status_code < 300  # the other rounds differ by now: no table is the one that the host keeps
    assert move(2).status_code < 300
    assert [broken(number) for number in range(3)] == [[], [], []]


class Hosted:
    """An event with rounds where a guest is a host: one table is kept, the others are not."""

    def __init__(self, web: TestClient, api: TestClient, sessions: Sessions, owner: Actor, *, rounds: int) -> None:
        self.web, self.api, self.event = web, api, stored_event(sessions, owner, guests=12, sizes=(5, 5, 5))
        guest = api.get(f"events/{self.event}/guests").json()["guests"][0]
        self.host, self.name = guest["id"], guest["name"]
        asked = {"rounds": rounds, "restarts": 2, "hosts": [self.host]}
        run_id = UUID(api.post(f"events/{self.event}/runs", json=asked).json()["id"])
        assert execute_run(sessions, run_id) == "done"
        main = api.get(f"events/{self.event}/plans/{read_run(sessions, run_id).plan_id}").json()
        self.plans = [f"events/{self.event}/plans/{one['plan_id']}" for one in main["rounds"]]
        is_kept = {table["id"]: self.host in [guest["id"] for guest in table["guests"]] for table in main["tables"]}
        self.names = {table["id"]: table["name"] for table in main["tables"]}
        self.kept = next(table for table in is_kept if is_kept[table])
        self.others = [table for table in is_kept if not is_kept[table]]

    def move(self, number: int, table: str | None, **more: Any) -> Any:
        """Move the host in a round, to a table or to the tray."""
        asked = {"kind": "move", "guest": self.host, "table": table, **more}
        return self.api.post(f"{self.plans[number - 1]}/moves", json=asked, headers={"If-Match": "*"})

    def exceptions(self, number: int) -> list[str]:
        found = self.api.get(self.plans[number - 1]).json()["exceptions"]
        return [one["text"] for one in found if one["kind"] == "host"]

    def sentences(self, number: int) -> list[str]:
        """Return what the host's own panel says about them as a host."""
        page = unescape(self.web.get(f"/{self.plans[number - 1]}?tab=guest&guest={self.host}").text)
        return sorted(set(re.findall(rf"({self.name} is a host[^<.]*\.)\s*<", page)))

    def says(self, what: str, table: str, more: str = "") -> str:
        return f"{self.name} is a host and {what} {self.names[table]} in all rounds{more}."


def test_host_moved_in_one_of_two_rounds_is_an_exception_there_alone(
    web: TestClient, api: TestClient, sessions: Sessions, owner: Actor
) -> None:
    hosted = Hosted(web, api, sessions, owner, rounds=2)
    here, there = hosted.others
    assert [hosted.sentences(number) for number in (1, 2)] == [[hosted.says("keeps", hosted.kept)]] * 2
    assert hosted.move(1, here, anyway=True).status_code < 300
    should = [hosted.says("should keep", hosted.kept, ELSEWHERE)]
    assert [hosted.exceptions(number) for number in (1, 2)] == [should, []]
    assert [hosted.sentences(number) for number in (1, 2)] == [should, []]
    assert hosted.move(2, None).status_code < 300
    assert hosted.move(2, hosted.kept).status_code < 300  # back from the tray, without a question
    assert hosted.move(2, here).status_code < 300
    assert [hosted.sentences(number) for number in (1, 2)] == [[hosted.says("keeps", here)]] * 2
    assert hosted.move(2, there).status_code == 409  # both rounds agree again


def test_unseated_host_should_go_back_to_their_table(
    web: TestClient, api: TestClient, sessions: Sessions, owner: Actor
) -> None:
    hosted = Hosted(web, api, sessions, owner, rounds=2)
    assert hosted.move(1, None).status_code < 300
    assert (hosted.sentences(1), hosted.sentences(2)) == ([hosted.says("should keep", hosted.kept)], [])
    assert hosted.move(1, hosted.others[0]).status_code == 409
    assert hosted.move(1, hosted.kept).status_code < 300


@pytest.mark.parametrize("rounds", [2, 3])
def test_host_of_a_deleted_table_is_free(
    web: TestClient, api: TestClient, sessions: Sessions, owner: Actor, rounds: int
) -> None:
    hosted = Hosted(web, api, sessions, owner, rounds=rounds)
    deleted = api.delete(f"events/{hosted.event}/tables/{hosted.kept}", headers={"If-Match": "*"})
    assert deleted.status_code < 300, deleted.text
    for number in range(1, rounds + 1):
        assert hosted.move(number, hosted.others[0]).status_code < 300
        assert hosted.exceptions(number) == []
    assert hosted.sentences(1) == [hosted.says("keeps", hosted.others[0])]


def test_reading_a_round_with_hosts_does_not_read_all_seats_of_all_rounds(
    web: TestClient, api: TestClient, sessions: Sessions, owner: Actor
) -> None:
    hosted = Hosted(web, api, sessions, owner, rounds=3)
    with transaction(sessions) as session:
        plan = session.get_one(Plan, UUID(hosted.plans[1].rpartition("/")[2]))
        all_seats = statements_of(session, lambda: seats_in_rounds(session, main_of(plan)))
        assert all_seats.isdisjoint(statements_of(session, lambda: read_seating(session, plan)))
        assert read_seating(session, plan).hosts == {UUID(hosted.host): UUID(hosted.kept)}


def statements_of(session: Session, work: Callable[[], object]) -> set[str]:
    """Return the SQL that some work executes."""
    found: set[str] = set()

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        found.add(statement)

    engine = session.get_bind()
    event.listen(engine, "before_cursor_execute", note)
    try:
        work()
    finally:
        event.remove(engine, "before_cursor_execute", note)
    return found


def test_hosts_are_marked_and_a_table_that_lost_its_host_is_named(
    web: TestClient, api: TestClient, sessions: Sessions, owner: Actor
) -> None:
    event_id = stored_event(sessions, owner, guests=9, sizes=(3, 3, 3))
    host, other = api.get(f"events/{event_id}/guests").json()["guests"][:2]
    started = api.post(f"events/{event_id}/runs", json={"rounds": 3, "restarts": 2, "hosts": [host["id"], other["id"]]})
    run_id = UUID(started.json()["id"])
    assert execute_run(sessions, run_id) == "done"
    plan = api.get(f"events/{event_id}/plans/{read_run(sessions, run_id).plan_id}").json()
    table = next(one["name"] for one in plan["tables"] if host["id"] in [guest["id"] for guest in one["guests"]])
    address = f"/events/{event_id}/plans/{plan['rounds'][1]['plan_id']}"
    page = unescape(web.get(address).text)
    assert page.count('<span class="tag">host</span>') == 2
    assert "has no host" not in page
    panel = unescape(web.get(address, params={"tab": "guest", "guest": host["id"]}).text)
    assert f'<span class="tag">Host of {table} in all rounds</span>' in panel
    etag = api.get(f"events/{event_id}/guests/{host['id']}").headers["etag"]
    declined = api.patch(f"events/{event_id}/guests/{host['id']}", json={"reply": "no"}, headers={"If-Match": etag})
    assert declined.status_code == 200, declined.text
    after = unescape(web.get(address).text)
    assert f"{table} has no host now: {host['name']} is not attending." in after
    assert after.count('<span class="tag">host</span>') == 1
