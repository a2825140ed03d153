"""The first start on a machine: pages are there while the solver is compiled, and runs wait for what they need."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest
from filelock import FileLock
from numba.core.caching import UserProvidedCacheLocator

import app.solver
from app.db.session import transaction
from app.solver import NEEDS, parts_for
from tests.run_helpers import stored_event
from tests.server import ServerProcess, TypedServer, wait_for

SOLVER = Path(app.solver.__file__).parent
MISSING = "exact."  # the proof's: quick to compile, and the last thing that a full run needs


def place_of(source: Path) -> str:
    """Return in which folder of `NUMBA_CACHE_DIR` the compiled code of a module is."""
    locator: Any = UserProvidedCacheLocator
    return str(locator.get_suitable_cache_subpath(str(source)))


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    """All compiled kernels but those of one part, where `NUMBA_CACHE_DIR` has them."""
    for part in parts_for(NEEDS):
        wait_for(part.compile, "a kernel that another process compiles")
    folder = tmp_path / "kernels"
    for file in SOLVER.rglob("__pycache__/*.nb[ic]"):
        if not file.name.startswith(MISSING):
            target = folder / place_of(file.parents[1] / "any.py")
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, target)
    return folder


@pytest.fixture
def being_compiled(kernels: Path) -> Iterator[FileLock]:
    """The lock of whoever compiles the missing part: held, so that it is never ready before it is released."""
    source = SOLVER / "proof" / "exact.py"
    folder = kernels / place_of(source)
    folder.mkdir(parents=True, exist_ok=True)
    kernel = sys.modules["app.solver.proof.exact"].search_cover
    lock = FileLock(folder / f"{kernel._cache._impl.filename_base}.lock")
    with lock:
        yield lock


@pytest.fixture
def first_start(tmp_path: Path, kernels: Path, being_compiled: FileLock) -> Iterator[ServerProcess]:
    """A server on a machine that has only some compiled kernels."""
    server = TypedServer(tmp_path / "data", NUMBA_CACHE_DIR=str(kernels)).start("--demo")
    yield server
    server.stop()


def compilers_of(server: ServerProcess) -> list[psutil.Process]:
    worker = server.worker()
    return worker.children() if worker else []


def test_pages_come_first_and_each_run_waits_only_for_what_it_needs(
    first_start: ServerProcess, being_compiled: FileLock
) -> None:
    server = first_start
    assert httpx2.get(server.sign_in_address).status_code == 303
    api, sessions = server.api(), server.sessions()
    event_id = stored_event(sessions, server.owner())
    full, paper = (
        api.post(f"events/{event_id}/runs", json={"method": method, "restarts": 5}).json()["id"]
        for method in ("full", "paper")
    )

    def run(run_id: str) -> dict[str, Any]:
        found: dict[str, Any] = api.get(f"events/{event_id}/runs/{run_id}").json()
        return found

    wait_for(lambda: run(paper)["plan_id"], "the plan that needs no proof")
    waiting = wait_for(lambda: run(full)["progress"], "the words for whoever waits") and run(full)
    assert (waiting["status"], waiting["started_at"]) == ("queued", None)
    assert {name: waiting["progress"][name] for name in ("stage", "restarts", "parts_ready", "parts")} == {
        "stage": "prepare",
        "restarts": 0,
        "parts_ready": 4,
        "parts": 5,
    }
    page = server.web().get(f"/events/{event_id}/runs/{full}").text
    assert "<h1><bdi>Preparing the solver</bdi></h1>" in page
    assert "a minute or two: 4 of 5 parts ready. Your run starts by itself." in page

    worker, compilers = server.worker(), wait_for(lambda: compilers_of(server), "processes that compile")
    assert worker is not None
    worker.kill()
    psutil.wait_procs(compilers, timeout=180)  # they may still be loading, at low priority
    assert not any(process.is_running() for process in compilers)
    wait_for(lambda: compilers_of(server), "processes that compile for the new worker")
    being_compiled.release()
    wait_for(lambda: run(full)["plan_id"], "the plan")
    with transaction(sessions, read_only=True) as session:
        attempts = session.connection().exec_driver_sql("SELECT DISTINCT attempts FROM runs WHERE attempts").all()
    assert attempts == [(1,)]  # a worker that dies while a run waits is no failed attempt
    wait_for(lambda: "solver ready" in server.log.read_text(), "the end of the preparation")


def test_solve_on_the_command_line_compiles_first(kernels: Path, tmp_path: Path) -> None:
    (tmp_path / "ratings.csv").write_text("a,b,2\nc,d,1\n")
    command = TypedServer(tmp_path, NUMBA_CACHE_DIR=str(kernels)).run(
        "solve", "ratings.csv", "--tables", "2,2", "--restarts", "5", stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    said, errors = command.communicate()
    assert command.returncode == 0
    assert errors.splitlines()[0] == "Preparing the solver (only at the first start, a minute or two) …"
    assert "Table 1" in said
    assert len(list(kernels.rglob(f"{MISSING}*.nbc"))) == 1
