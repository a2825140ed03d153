"""convive doctor beside a server that runs."""

from __future__ import annotations

import json
import subprocess

from app import __version__
from tests.processes.conftest import StartServer
from tests.server import ServerProcess, wait_for


def look(server: ServerProcess) -> tuple[int, dict[str, tuple[str, str]]]:
    """Run the command with the settings of the server and the port where it listens."""
    port = server.address.rpartition(":")[2]
    asking = ServerProcess(server.data_dir, CONVIVE_PORT=port)
    doctor = asking.run("doctor", "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said, errors = doctor.communicate(timeout=120)
    report = json.loads(said or errors)
    return doctor.returncode, {found["check"]: (found["status"], found["message"]) for found in report["checks"]}


def test_doctor_finds_the_server_and_its_worker(start_server: StartServer) -> None:
    server = start_server()
    server.data_dir.chmod(0o700)

    def is_well() -> bool:
        code, found = look(server)
        return (code, found["workers"]) == (0, ("ok", "The server's worker is running."))

    wait_for(is_well, "a worker that is alive")
    found = look(server)[1]
    port = server.address.rpartition(":")[2]
    assert found["port"] == ("ok", f"Convive {__version__} serves at 127.0.0.1, port {port}.")
    assert {check for check, (status, _) in found.items() if status != "ok"} <= {
        "disk",
        "packages",
        "kernels",
        "backups",
    }
    server.stop()
    code, found = look(server)
    assert (code, found["port"][1]) == (0, f"Free: 127.0.0.1, port {port}.")
    assert found["workers"] == ("ok", "Not running. “convive serve” starts one.")
