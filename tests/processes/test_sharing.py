"""What one account sends delays its own work: runs and files of others go on beside it."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from uuid import UUID

import httpx2

from app.accounts.actor import Actor
from app.accounts.api_keys import create_api_key
from app.accounts.users import actor_of
from app.db.models import User
from app.db.session import transaction
from tests.hostile_files import cell, workbook
from tests.processes.test_whole_server import end_of
from tests.run_helpers import ENDLESS, LARGE, stored_event
from tests.server import ServerProcess, wait_for

FILES = 8
XLSX = {"Content-Type": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"}


def other_account(server: ServerProcess) -> tuple[Actor, httpx2.Client]:
    """Make another account and return a client that acts for it."""
    with transaction(server.sessions()) as session:
        user = User(name="Other")
        session.add(user)
        session.flush()
        actor = actor_of(user)
        key = create_api_key(session, actor, "tests")
    headers = {"Authorization": f"Bearer {key}"}
    return actor, httpx2.Client(base_url=f"{server.address}/api/v1/", headers=headers, timeout=60)


def test_short_run_is_done_while_a_long_one_of_another_account_goes_on(server: ServerProcess) -> None:
    api = server.api()
    event = f"events/{stored_event(server.sessions(), server.owner(), **LARGE)}"
    long = f"{event}/runs/{api.post(f'{event}/runs', json=ENDLESS).json()['id']}"
    wait_for(lambda: api.get(long).json()["progress"], "the first report of the long run")
    other, other_api = other_account(server)
    runs = f"events/{stored_event(server.sessions(), other)}/runs"
    short = other_api.post(runs, json={"time_limit": 1}).json()["id"]
    assert end_of(other_api, f"{runs}/{short}")["status"] == "done"
    assert api.get(long).json()["status"] == "running"
    api.delete(long)
    assert end_of(api, long)["status"] == "cancelled"


def test_file_of_one_account_is_read_before_the_many_of_another(server: ServerProcess) -> None:
    api = server.api()
    other, other_api = other_account(server)
    events = [stored_event(server.sessions(), actor) for actor in (server.owner(), other)]
    file = workbook("".join(f'<row r="{n}">{cell(f"A{n}", f"Guest {n}")}</row>' for n in range(1, 2_000)))

    def send(client: httpx2.Client, event_id: UUID) -> httpx2.Response:
        address = f"events/{event_id}/guests/import"
        return client.post(address, content=file, headers=XLSX, params={"dry_run": True}, timeout=120)

    with ThreadPoolExecutor(FILES + 1) as threads:
        many = [threads.submit(send, api, events[0]) for _ in range(FILES)]
        wait(many, return_when=FIRST_COMPLETED)
        one: Future[httpx2.Response] = threads.submit(send, other_api, events[1])
        assert one.result().status_code == 200
        assert not all(sent.done() for sent in many)
        assert server.api().get("events").status_code == 200  # and pages do not wait for files either
        assert {sent.result().status_code for sent in many} == {200}
