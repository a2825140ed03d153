"""A server as people start it: over HTTP from nothing to a shared plan, and the worker beside it."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import httpx2
import psutil
import pytest

from app.accounts.api_keys import revoke_api_key
from app.accounts.queries import api_keys_of
from app.db.session import transaction
from app.transfer.demo import NAME as DEMO
from tests.processes.conftest import StartServer
from tests.run_helpers import ENDLESS, LARGE, stored_event
from tests.server import ServerProcess, TypedServer, wait_for


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that nothing was loaded for before."""
    server = TypedServer(tmp_path_factory.mktemp("server")).start()
    yield server
    server.stop()


def end_of(api: httpx2.Client, address: str) -> dict[str, object]:
    """Wait until a run is over."""

    def look() -> dict[str, object] | None:
        run: dict[str, object] = api.get(address).json()
        return run if run["status"] in ("done", "failed", "cancelled") else None

    return wait_for(look, "the end of the run")


def revoke_newest_key(server: ServerProcess) -> None:
    with transaction(server.sessions()) as session:
        revoke_api_key(session, server.owner(), api_keys_of(session, server.owner().user_id)[-1].id)


def test_everything_over_http_from_an_empty_database_to_a_shared_plan(server: ServerProcess) -> None:
    api = server.api()
    event = f"events/{api.post('events', json={'name': 'Party'}).json()['id']}"
    names = [f"Guest {number}" for number in range(22)]
    guests = api.put(f"{event}/guests", json={"guests": [{"name": name} for name in names]}).json()["guests"]
    for number, seats in enumerate((4, 4, 5, 6, 3)):
        api.post(f"{event}/tables", json={"name": f"Table {number}", "seats": seats, "min_seats": seats})
    ids = [guest["id"] for guest in guests]
    ratings = [{"a": a, "b": b, "score": 2} for a, b in zip(ids[::2], ids[1::2], strict=True)]
    assert api.put(f"{event}/ratings", json={"ratings": ratings}).is_success
    started = api.post(f"{event}/runs", json={"restarts": 100, "time_limit": 10})
    assert started.status_code == 202
    run = end_of(api, started.headers["location"].removeprefix("/api/v1/"))
    assert run["status"] == "done"
    plan = api.get(f"{event}/plans/{run['plan_id']}").json()
    assert [len(table["guests"]) for table in plan["tables"]] == [4, 4, 5, 6, 3]
    link = api.post(f"{event}/plans/{run['plan_id']}/links", json={"audience": "guests"}).json()
    shared = httpx2.get(link["url"])
    assert shared.status_code == 200
    assert all(name in shared.text for name in names)


def test_server_never_loads_the_compiler_and_its_worker_does(server: ServerProcess) -> None:
    def has_compiler(process: psutil.Process) -> bool:
        return any("llvmlite" in part.path for part in process.memory_maps())

    wait_for(lambda: (worker := server.worker()) and has_compiler(worker), "the worker to load its kernels")
    assert not has_compiler(server.process)


def test_nothing_that_the_server_imports_reaches_for_the_solver_e_mail_or_openid() -> None:
    slow = {"numba", "sklearn", "scipy", "smtplib", "joserfc"}
    loaded = f"print(sorted({slow} & set(sys.modules)))"
    code = f"import sys, app.main, app.runs.queues.embedded; {loaded}"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_commands_load_no_web_framework_and_no_database_before_they_need_them() -> None:
    code = "import sys, app.cli; print(sorted({'fastapi', 'sqlalchemy', 'numpy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_printed_address_signs_in_once_and_a_new_one_can_be_had(server: ServerProcess) -> None:
    looked = httpx2.head(server.sign_in_address)  # as programs do that show a preview; the key stays unused
    assert (looked.status_code, server.cookie_name in looked.cookies) == (200, False)
    first = httpx2.get(server.sign_in_address)
    assert (first.status_code, first.headers["location"], server.cookie_name in first.cookies) == (303, "/", True)
    again = httpx2.get(server.sign_in_address)
    assert server.cookie_name not in again.cookies
    printed = server.run("sign-in", stdout=subprocess.PIPE).communicate()[0].strip()
    assert server.cookie_name in httpx2.get(server.address + printed[printed.index("/sign-in") :]).cookies


def test_stream_of_a_run_reaches_its_end(server: ServerProcess) -> None:
    event_id, web = stored_event(server.sessions(), server.owner()), server.web()
    form = {"submission": str(uuid4()), "restarts": "1000000", "time_limit": "1", "method": "paper"}
    run = web.post(f"/events/{event_id}/runs", data=form).headers["location"]
    with web.stream("GET", f"{run}/events") as stream:
        lines = [line for line in stream.iter_lines() if line.startswith("event: ")]
    assert lines[-1] == "event: end"
    assert "event: progress" in lines
    assert "/plans/" in web.get(run).headers["location"]


@pytest.mark.parametrize("side", ["page", "API"])
def test_stream_ends_when_its_reader_may_see_no_more(server: ServerProcess, side: str) -> None:
    event_id = stored_event(server.sessions(), server.owner(), **LARGE)
    cancel, reader = server.api(), server.web() if side == "page" else server.api()
    run_id = cancel.post(f"events/{event_id}/runs", json={**ENDLESS, "time_limit": 60}).json()["id"]
    with reader.stream("GET", f"events/{event_id}/runs/{run_id}/events") as stream:
        lines = stream.iter_lines()
        assert next(lines) == "event: progress"
        if side == "page":
            reader.post("/sign-out")
        else:
            revoke_newest_key(server)
        assert "event: end" not in list(lines)
    cancel.delete(f"events/{event_id}/runs/{run_id}")


def test_stream_ends_when_nobody_listens_any_more(server: ServerProcess) -> None:
    api, event = server.api(), f"events/{stored_event(server.sessions(), server.owner(), **LARGE)}"
    run = f"{event}/runs/{api.post(f'{event}/runs', json=ENDLESS).json()['id']}"
    message = server.log.read_text().count("/runs/{run_id}/events")
    with api.stream("GET", f"{run}/events") as stream:
        assert next(stream.iter_lines()) == "event: progress"
    wait_for(lambda: server.log.read_text().count("/runs/{run_id}/events") > message, "the end of the request")
    assert api.delete(run).json()["plan_id"] is None


def test_head_ends_even_for_a_stream(server: ServerProcess) -> None:
    api, event_id = server.api(), stored_event(server.sessions(), server.owner(), **LARGE)
    run = f"events/{event_id}/runs/{api.post(f'events/{event_id}/runs', json=ENDLESS).json()['id']}"
    stream = api.head(f"{run}/events")
    assert (stream.status_code, stream.content) == (200, b"")
    assert stream.headers["content-type"].startswith("text/event-stream")
    assert api.head(f"events/{event_id}/ratings/matrix").status_code == 200
    assert api.get(f"events/{event_id}").status_code == 200  # on the same connection
    assert api.delete(run).status_code == 202
    assert "unforeseen" not in server.log.read_text()


def test_long_run_holds_nobody_up_and_can_be_cancelled(server: ServerProcess) -> None:
    api, event = server.api(), f"events/{stored_event(server.sessions(), server.owner(), **LARGE)}"
    first = f"{event}/runs/{api.post(f'{event}/runs', json=ENDLESS).json()['id']}"
    others = [f"{event}/runs/{api.post(f'{event}/runs', json={'restarts': 5}).json()['id']}" for _ in range(5)]
    wait_for(lambda: api.get(first).json()["progress"], "the first report")
    assert [end_of(api, other)["status"] for other in others] == ["done"] * 5
    assert api.get(first).json()["status"] == "running"
    assert api.delete(first).json()["cancel_requested"] is True
    assert end_of(api, first)["status"] == "cancelled"


def test_port_in_use_is_told_in_one_line(server: ServerProcess) -> None:
    port = server.address.rpartition(":")[2]
    second = server.run("serve", "--port", port, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, error = second.communicate()
    assert (second.returncode, out) == (2, "")
    assert error == f"convive: Port {port} is in use. Choose another: convive serve --port {int(port) + 1}\n"


def test_second_server_on_the_same_folder_is_refused_in_one_line(start_server: StartServer) -> None:
    server = start_server()
    first = server.process.pid
    for _ in range(2):  # the refused one takes nothing away from the first
        second = server.run("serve", "--port", "0", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, error = second.communicate(timeout=60)
        assert (second.returncode, out) == (2, "")
        assert error == (
            f"convive: Another “convive serve” (process {first}) is using {server.data_dir}. "
            "Stop it, or choose another --data-dir.\n"
        )
    for command in (("sign-in",), ("backup", "copy.db"), ("user", "create", "a@example.org", "--password-stdin")):
        beside = server.run(*command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = beside.communicate("a long enough password\n", timeout=60)[0]
        assert beside.returncode == 0, said
    server.stop(signal.SIGKILL)
    assert server.start().process.pid != first


def test_setting_that_cannot_be_used_is_told_in_one_line(server: ServerProcess) -> None:
    command = server.run("serve", "--port", "99999", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, error = command.communicate()
    assert (command.returncode, out) == (2, "")
    assert error.startswith("convive: CONVIVE_PORT: ")
    assert error.count("\n") == 1


def test_data_folder_is_closed_to_others(server: ServerProcess) -> None:
    folder = server.data_dir / "new" / "data"
    assert server.run("sign-in", "--data-dir", str(folder), stdout=subprocess.DEVNULL).wait() == 0
    assert folder.stat().st_mode & 0o077 == 0


def test_database_in_an_open_folder_is_closed_to_others_and_the_folder_is_named(
    start_server: StartServer, tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    folder.chmod(0o755)
    server = start_server()
    server.owner()
    modes = {name: (folder / f"convive.db{name}").stat().st_mode & 0o777 for name in ("", "-wal", "-shm")}
    assert modes == dict.fromkeys(("", "-wal", "-shm"), 0o600)
    message = [line for line in server.log.read_text().splitlines() if line.startswith("Warning")]
    closing = f"“chmod 700 {folder}” makes it private."
    assert message == [f"Warning: others on this machine can read {folder}. {closing}"]


def test_nothing_is_said_of_a_folder_that_is_closed(server: ServerProcess) -> None:
    assert not [line for line in server.log.read_text().splitlines() if line.startswith("Warning")]


def test_worker_beside_sqlite_is_refused(server: ServerProcess) -> None:
    command = server.run("worker", stderr=subprocess.PIPE)
    error = command.communicate()[1]
    assert command.returncode == 2
    assert "CONVIVE_DATABASE_URL" in error


def test_new_database_gets_the_demo_once_and_every_start_says_where_it_is(start_server: StartServer) -> None:
    for _ in range(2):
        server = start_server("--demo")
        events = server.api().get("events").json()["events"]
        assert [event["name"] for event in events] == [DEMO]
        plans = server.api().get(f"events/{events[0]['id']}/plans").json()["plans"]
        assert len(plans) == 1
        links = server.api().get(f"events/{events[0]['id']}/plans/{plans[0]['id']}/links").json()["links"]
        assert [link["expires_at"] > events[0]["date"] for link in links] == [True]
        plan = f"{server.address}/events/{events[0]['id']}/plans/{plans[0]['id']}"
        assert re.findall(r"^Demo, yours: +(.*)$", server.said, re.MULTILINE) == [plan]
        assert httpx2.get(server.sign_in_address).status_code == 303
        server.stop()


def test_server_that_others_reach_asks_for_an_account_first(start_server: StartServer) -> None:
    server = start_server(CONVIVE_HOST="0.0.0.0")
    assert server.sign_in_address.startswith(f"{server.address}/setup?key=")
    assert httpx2.get(server.sign_in_address).status_code == 200


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_stopped_server_leaves_no_process_and_hands_its_run_back(start_server: StartServer, how: int) -> None:
    server = start_server()
    event = f"events/{stored_event(server.sessions(), server.owner(), **LARGE)}"
    api = server.api()
    run = api.post(f"{event}/runs", json=ENDLESS).json()
    wait_for(lambda: api.get(f"{event}/runs/{run['id']}").json()["progress"], "the first report")
    worker = server.worker()
    assert worker is not None
    server.stop(how)
    assert not worker.is_running()
    with transaction(server.sessions(), read_only=True) as session:
        statuses = session.connection().exec_driver_sql("SELECT status FROM runs").scalars().all()
    assert statuses == ["queued"]
