"""The engine for SQLite: the server looks after one worker process of its own. The run table is the queue."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

from sqlalchemy import event
from sqlalchemy.orm import Session

from app.config import OWN_COMMAND, Settings
from app.logs import logger
from app.runs.queue import RunQueue

FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0
LONG_LIFE = 5.0
STOP_SECONDS = 6.0
log = logger(__name__)


def lock_path(settings: Settings) -> Path:
    """Return the file whose lock the one worker of this database holds."""
    return Path(f"{settings.sqlite_path}-worker.lock")


class EmbeddedQueue(RunQueue):
    """Starts the worker, wakes it when a run was committed, and starts it again whenever it dies."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._file: int | None = None
        self._supervisor = threading.Thread(target=self._supervise, name="supervisor", daemon=True)

    def submit(self, session: Session, run_id: UUID, turns: Sequence[int]) -> None:
        """Wake the worker as soon as it can see the run."""

        @event.listens_for(session, "after_commit")
        def wake(_session: Session) -> None:
            self._wake()

    def start(self) -> None:
        self._file = _number_of(self._settings.sqlite_path)
        self._supervisor.start()

    def stop(self) -> None:
        """End the worker, which hands back what it is solving."""
        self._stopping.set()
        with self._lock:
            process = self._process
        if process is not None:
            _end(process)
        self._supervisor.join(STOP_SECONDS)

    def _wake(self) -> None:
        # A worker that is just being started looks for runs by itself.
        with self._lock, contextlib.suppress(OSError, ValueError):
            if self._process is not None and self._process.stdin is not None:
                self._process.stdin.write(b"\n")
                self._process.stdin.flush()

    def _supervise(self) -> None:
        pause = FIRST_PAUSE
        while not self._stopping.is_set():
            if self._file != _number_of(self._settings.sqlite_path):
                self._stop_server()
                return
            started = time.monotonic()
            code = self._run_worker()
            if self._stopping.is_set():
                return
            pause = FIRST_PAUSE if time.monotonic() - started > LONG_LIFE else min(pause * 2, LONGEST_PAUSE)
            # With 0 it was asked to stop, perhaps by a signal to all processes; then this one ends soon, too.
            level = logging.INFO if code == 0 else logging.WARNING
            log.log(level, "worker exited, restarting", exit_code=code, seconds=pause)
            self._stopping.wait(pause)

    def _stop_server(self) -> None:
        """End the server: what it writes goes into a file that nobody can open again, and no worker can read it."""
        log.error(
            "database file was deleted or replaced, stopping: restore a backup, then start again",
            path=str(self._settings.sqlite_path),
        )
        os.kill(os.getpid(), signal.SIGTERM)

    def _run_worker(self) -> int | None:
        """Run a worker to its end; None when the machine could not even start one."""
        try:
            with self._lock:
                if self._stopping.is_set():
                    return 0
                self._process = _spawn(self._settings)
        except OSError as error:
            log.error("worker could not be started", error=error.strerror)
            return None
        try:
            return self._process.wait()
        finally:
            _close(self._process)


def _number_of(path: Path) -> int | None:
    """Return the file's number in the file system, which another file in its place does not have."""
    try:
        return path.stat().st_ino
    except OSError:
        return None


def _spawn(settings: Settings) -> subprocess.Popen[bytes]:
    environment = settings.environment("data_dir", "database_url", "max_attempts", "log_level", "log_format")
    command = [*OWN_COMMAND, "worker", "--embedded"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, env=environment)  # noqa: S603  our own command


def _end(process: subprocess.Popen[bytes]) -> None:
    _close(process)
    process.terminate()  # one that is still being loaded does not read its stdin yet
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()


def _close(process: subprocess.Popen[bytes]) -> None:
    # The worker stops at the end of its stdin.
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
