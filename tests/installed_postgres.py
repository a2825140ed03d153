"""The PostgreSQL that this machine has installed, such as Debian's 15, as a server of its own with its own data."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg

START_SECONDS = 60.0
FLAGS = ("-c", "shared_buffers=32MB", "-c", "max_connections=200", "-c", "unix_socket_directories=")


def find_binaries() -> Path | None:
    """Return the folder with `initdb` and `postgres`: POSTGRES_BIN, or the newest that Debian has installed."""
    if chosen := os.environ.get("POSTGRES_BIN"):
        return Path(chosen)
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else None


class InstalledPostgres:
    """A server that can be killed and started again on the same data; `close` removes both."""

    def __init__(self, binaries: Path) -> None:
        self._binaries = binaries
        self._folder = Path(tempfile.mkdtemp(prefix="convive-pg-"))
        self._data = self._folder / "data"
        self._user = _unprivileged_user()
        if self._user:
            shutil.chown(self._folder, self._user)
        self._run("initdb", "-D", str(self._data), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = int(free.getsockname()[1])
        self._starting = threading.Lock()
        self._server: subprocess.Popen[bytes] | None = None
        self.start()

    def uri(self, database: str = "postgres") -> str:
        """Return the address of one of its databases."""
        return f"postgresql://postgres@127.0.0.1:{self._port}/{database}"

    @property
    def version(self) -> int:
        """Its major version."""
        return int((self._data / "PG_VERSION").read_text())

    def start(self) -> None:
        """Start, unless it is running, and wait until it answers."""
        with self._starting:
            if self._server is None or self._server.poll() is not None:
                command = [str(self._binaries / "postgres"), "-D", str(self._data), "-p", str(self._port), *FLAGS]
                with (self._folder / "log").open("ab") as log:
                    self._server = subprocess.Popen(command, user=self._user, stdout=log, stderr=log, cwd=self._folder)
            self._wait_until_it_answers()

    def kill(self) -> None:
        """Send SIGKILL to the server and to everything it started."""
        if self._server is None or self._server.poll() is not None:
            return
        with suppress(psutil.NoSuchProcess):
            children = psutil.Process(self._server.pid).children(recursive=True)
            self._server.kill()
            for child in children:
                with suppress(psutil.NoSuchProcess):
                    child.kill()
            psutil.wait_procs(children, timeout=10)
        self._server.wait(10)

    def close(self) -> None:
        """Stop at once and remove the data."""
        if self._server is not None and self._server.poll() is None:
            self._server.send_signal(signal.SIGQUIT)  # without tidying up: the data goes with it
            try:
                self._server.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _wait_until_it_answers(self) -> None:
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            with suppress(psycopg.OperationalError), psycopg.connect(self.uri(), connect_timeout=5):
                return
            time.sleep(0.05)
        raise RuntimeError(f"PostgreSQL did not start:\n{(self._folder / 'log').read_text()}")

    def _run(self, command: str, *flags: str) -> None:
        line = [str(self._binaries / command), *flags]
        done = subprocess.run(line, user=self._user, capture_output=True, text=True, cwd=self._folder, check=False)
        if done.returncode:
            raise RuntimeError(f"{command} failed:\n{done.stderr}")


def _unprivileged_user() -> str | None:
    """PostgreSQL refuses to run as root; then it gets the user that its package has made, or else nobody."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    return None
