"""An installation of real processes: web servers and workers that a supervisor restarts, as systemd would."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from uuid import UUID

import httpx2
import psutil

from app.accounts.actor import Actor
from app.accounts.api_keys import create_api_key
from app.accounts.sessions import start_session
from app.accounts.users import actor_of, local_user
from app.db.session import Sessions, make_engine, make_sessions, transaction
from app.web.tokens import form_token
from fault.stalls import CLOCK
from tests.run_helpers import stored_event

RESTART_SECONDS = 0.2
READY_SECONDS = 120.0
IDLE_SECONDS, IDLE_SHARE = 5.0, 0.1
OVER = ("done", "failed", "cancelled")


def free_port() -> int:
    """Return a free port."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Child:
    """One `convive` process that can be killed and is restarted."""

    def __init__(self, name: str, command: Sequence[str], settings: dict[str, str], folder: Path) -> None:
        self.name, self._command, self._settings, self._folder = name, command, settings, folder
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start, unless it is alive."""
        if self.is_alive:
            return
        kept = {key: value for key, value in os.environ.items() if not key.startswith("CONVIVE_")}
        with (self._folder / f"{self.name}.log").open("ab") as log:
            self._process = subprocess.Popen(
                [*self._command], env={**kept, **self._settings}, cwd=self._folder, stdout=log, stderr=log
            )

    @property
    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        """Send SIGKILL."""
        if self._process is not None and self.is_alive:
            self._process.kill()
            self._process.wait()

    def stop(self) -> float:
        """Send SIGTERM and return the seconds until it ended."""
        began = time.monotonic()
        if self._process is not None and self.is_alive:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
        return time.monotonic() - began

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self._process is not None
        return self._process.pid


class Site:
    """Web servers and workers on one database; everything ends with the `with` statement."""

    def __init__(
        self,
        address: str = "",
        *,
        webs: int = 1,
        workers: int = 0,
        cores: Sequence[str] = (),
        max_attempts: int | None = 100,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        """Prepare the processes; `max_attempts` of None keeps Convive's default."""
        self.folder = Path(tempfile.mkdtemp(prefix="convive-fault-"))
        self.address = address or f"sqlite:///{self.folder / 'convive.db'}"
        self._settings = {
            "CONVIVE_DATA_DIR": str(self.folder),
            "CONVIVE_MAX_WAITING_RUNS": "10000",
            "CONVIVE_MAX_STREAMS_PER_ACCOUNT": "1000",  # all of them belong to one account here
        }
        if max_attempts is not None:
            self._settings["CONVIVE_MAX_ATTEMPTS"] = str(max_attempts)
        self._settings |= settings or {}
        if address:
            self._settings["CONVIVE_DATABASE_URL"] = address
        convive = [sys.executable, "-P", "-m", "app.cli"]
        self.ports = [free_port() for _ in range(webs)]
        self.webs = [
            Child(f"web{n}", [*convive, "serve", "--port", str(port)], self._settings, self.folder)
            for n, port in enumerate(self.ports)
        ]
        pinned = [["taskset", "-c", core] for core in cores] or [[] for _ in range(workers)]
        self.workers = [
            Child(f"worker{n}", [*pin, *convive, "worker"], self._settings, self.folder) for n, pin in enumerate(pinned)
        ]
        self._over = threading.Event()
        self._supervisor = threading.Thread(target=self._supervise, daemon=True)

    def __enter__(self) -> Site:
        """Start the servers one after the other, then the workers."""
        for web, port in zip(self.webs, self.ports, strict=True):
            web.start()
            wait_until(partial(is_ready, port), f"{web.name} to be ready")
        for worker in self.workers:
            worker.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop everything."""
        self._over.set()
        if self._supervisor.is_alive():
            self._supervisor.join()
        for child in [*self.workers, *self.webs]:
            child.stop()

    def watch(self) -> None:
        """Restart every process that dies, from now on."""
        self._supervisor.start()

    def _supervise(self) -> None:
        while not self._over.wait(RESTART_SECONDS):
            for child in [*self.webs, *self.workers]:
                child.start()

    def wait_until_idle(self) -> None:
        """Wait until all processes are idle: a worker loads kernels for a while after its start."""
        seen = self._processor_seconds()
        for _ in range(int(READY_SECONDS / IDLE_SECONDS)):
            time.sleep(IDLE_SECONDS)
            before, seen = seen, self._processor_seconds()
            if sum(seconds - before.get(pid, 0.0) for pid, seconds in seen.items()) < IDLE_SHARE * IDLE_SECONDS:
                return
        raise AssertionError("the processes do not come to rest")

    def _processor_seconds(self) -> dict[int, float]:
        """Return the processor time of each process so far."""
        found: dict[int, float] = {}
        for child in [*self.webs, *self.workers]:
            with contextlib.suppress(psutil.NoSuchProcess):
                parent = psutil.Process(child.pid)
                found |= {one.pid: sum(one.cpu_times()[:2]) for one in (parent, *parent.children(recursive=True))}
        return found

    def sessions(self) -> Sessions:
        """Return sessions on the database."""
        return make_sessions(make_engine(self.address))

    def owner(self) -> Actor:
        """Return the local user."""
        with transaction(self.sessions()) as session:
            return actor_of(local_user(session))

    def event(self, guests: int, sizes: tuple[int, ...]) -> UUID:
        """Create an event."""
        return stored_event(self.sessions(), self.owner(), guests=guests, sizes=sizes)

    def key(self) -> dict[str, str]:
        """Return the header of an API key."""
        with transaction(self.sessions()) as session:
            return {"Authorization": f"Bearer {create_api_key(session, self.owner(), 'fault')}"}

    def api(self, web: int = 0) -> httpx2.Client:
        """Return a client of the REST API of one of the servers."""
        return httpx2.Client(base_url=f"http://127.0.0.1:{self.ports[web]}/api/v1/", headers=self.key(), timeout=30)

    def browser(self, web: int = 0) -> httpx2.Client:
        """Return a signed-in client of the pages."""
        with transaction(self.sessions()) as session:
            token = start_session(session, local_user(session), days=1)
        client = httpx2.Client(
            base_url=f"http://127.0.0.1:{self.ports[web]}", headers={"X-Form-Token": form_token(token)}, timeout=30
        )
        client.cookies.set(f"convive_session_{self.ports[web]}", token)
        return client


def is_ready(port: int) -> bool:
    """Return whether the server at this port accepts requests."""
    with contextlib.suppress(httpx2.HTTPError):
        return bool(httpx2.get(f"http://127.0.0.1:{port}/readyz", timeout=2).status_code == 200)
    return False


def wait_until(look: Callable[[], bool], what: str, seconds: float = READY_SECONDS) -> None:
    """Wait until `look` returns True."""
    end = CLOCK.now() + seconds
    while not look():
        if CLOCK.now() > end:
            raise AssertionError(f"waited {seconds:.0f} s for {what}")
        time.sleep(0.05)
