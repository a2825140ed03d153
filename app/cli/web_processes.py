"""Several server processes on one port: they share the listening socket, and one that dies is replaced.

Each process has a control socket to this one. It sends a byte when it can answer requests, and ends at once when the
other end closes, so that none outlives its supervisor.
"""

from __future__ import annotations

import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING

import typer

from app.config import OWN_COMMAND
from app.logs import logger

if TYPE_CHECKING:
    from app.config import Settings

LOOK_SECONDS = 0.1
LEAST_LIFE_SECONDS = 1.0
"""A process that dies sooner is replaced only after so long: something is wrong, and a loop would make it worse."""
STOP_SECONDS = 10.0
METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
log = logger(__name__)


class WebProcess:
    """One server process."""

    def __init__(self, listener: socket.socket, environment: dict[str, str]) -> None:
        self._control, theirs = socket.socketpair()
        self._control.setblocking(False)
        handed = listener.fileno(), theirs.fileno()
        command = [*OWN_COMMAND, "serve-process", *map(str, handed)]
        with theirs:
            self._process = subprocess.Popen(command, env=environment, pass_fds=handed)  # noqa: S603  our own command
        self.started_at = time.monotonic()

    @property
    def exit_code(self) -> int | None:
        """How it ended, or None while it runs."""
        return self._process.poll()

    def is_ready(self) -> bool:
        """Return whether it has just begun to answer requests."""
        with suppress(BlockingIOError, OSError):
            return bool(self._control.recv(1))
        return False

    def ask_to_stop(self) -> None:
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)

    def end(self, seconds: float) -> None:
        """Wait up to `seconds` for its end, then kill it."""
        try:
            self._process.wait(max(seconds, 0.1))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.forget()

    def forget(self) -> None:
        self._control.close()
        log.debug("server process exited", pid=self._process.pid, code=self._process.returncode)


def supervise(settings: Settings, listener: socket.socket, when_ready: Callable[[], None]) -> None:
    """Keep the processes running until a signal says stop; `when_ready` is called when the first one answers."""
    stop = threading.Event()

    def leave(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, leave)
    with tempfile.TemporaryDirectory(prefix="convive-metrics-") as folder:
        environment = {**settings.environment("host", "port", "data_dir"), METRICS_FOLDER: folder}
        processes = [WebProcess(listener, environment) for _ in range(settings.process_count)]
        try:
            _keep_alive(processes, lambda: WebProcess(listener, environment), stop, when_ready)
        finally:
            _stop(processes)


def _keep_alive(
    processes: list[WebProcess], start: Callable[[], WebProcess], stop: threading.Event, when_ready: Callable[[], None]
) -> None:
    was_ready = False
    while not stop.wait(LOOK_SECONDS):
        ready = [process for process in processes if process.is_ready()]
        if ready and not was_ready:
            was_ready = True
            when_ready()
        for place, process in enumerate(processes):
            code = process.exit_code
            if code is None or stop.is_set():
                continue
            if not was_ready:
                raise typer.Exit(code if code > 0 else 1)  # it has said why
            if time.monotonic() - process.started_at >= LEAST_LIFE_SECONDS:
                log.warning("server process died, replacing it", code=code)
                process.forget()
                processes[place] = start()


def _stop(processes: list[WebProcess]) -> None:
    for process in processes:
        process.ask_to_stop()
    end = time.monotonic() + STOP_SECONDS
    for process in processes:
        process.end(end - time.monotonic())
