"""A real server: `convive serve` as a process of its own, on a free port, with its own data folder."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import httpx2
import psutil
from sqlalchemy import Engine

from app.accounts.actor import Actor
from app.accounts.api_keys import create_api_key
from app.accounts.sessions import start_session
from app.accounts.users import actor_of, local_user
from app.config import Settings
from app.db.migrate import migrate
from app.db.models import User
from app.db.session import Sessions, make_engine, make_sessions, transaction
from app.web.deps import session_cookie
from app.web.tokens import form_token
from tests.forks.popen import ForkedPopen, fork_commands, forked_children

if TYPE_CHECKING:
    from playwright._impl._api_structures import SetCookieParam  # it has no public name

Value = TypeVar("Value")
PATIENCE = 120.0  # much more than needed, for machines that are busy with something else
FRESH = httpx2.Limits(keepalive_expiry=1.0)
"""Servers close a connection that nobody used for 5 s: a client that waits as long may use it at that very moment."""


def wait_for(look: Callable[[], Value | None], what: str, patience: float = PATIENCE) -> Value:
    """Return what `look` finds as soon as it finds something."""
    end = time.monotonic() + patience
    pause = 0.01
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(pause)
        pause = min(pause * 1.5, 0.15)  # often at first; each look may be work for a server
    raise AssertionError(f"waited {patience} s for {what}")


@cache
def _empty_database() -> bytes:
    """Return a SQLite file with the newest schema."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "convive.db"
        engine = make_engine(f"sqlite:///{path}")
        migrate(engine)
        engine.dispose()
        return path.read_bytes()


class ServerProcess:
    """Starts, stops and kills a server, and gives clients of it."""

    is_forked = True
    """Whether its processes are copies of one that has loaded the program, which saves seconds for each."""

    def __init__(self, data_dir: Path, **settings: str) -> None:
        self.data_dir = data_dir
        self.log = data_dir / "server.log"
        # One web process, also with PostgreSQL: each takes seconds to start, and most tests need no second one.
        usual = {"CONVIVE_DATA_DIR": str(data_dir), "CONVIVE_PORT": "0", "CONVIVE_WEB_PROCESSES": "1"}
        self._settings = {**usual, **settings}
        self._process: subprocess.Popen[str] | None = None
        self._engines: list[Engine] = []
        self.sign_in_address = ""
        self.said = ""

    def start(self, *flags: str) -> ServerProcess:
        """Start the server and wait until it answers."""
        self.data_dir.mkdir(parents=True, exist_ok=True)
        if self.is_forked and "CONVIVE_DATABASE_URL" not in self._settings:
            self._put_empty_database()
        with self.log.open("a") as log:
            self._process = self.run("serve", *flags, stdout=subprocess.PIPE, stderr=log)
        self.said = ""
        for line in self._process.stdout or ():
            self.said += line
            if line.strip().startswith("http"):
                self.sign_in_address = line.strip()
                return self
        raise AssertionError(f"the server ended with {self._process.wait()}:\n{self.log.read_text()}")

    def _put_empty_database(self) -> None:
        """Save the server its migrations: they are tested elsewhere, and by `TypedServer`."""
        path = self.data_dir / "convive.db"
        if not path.exists():
            path.touch(mode=0o600)
            path.write_bytes(_empty_database())

    def run(self, *command: str, **options: Any) -> subprocess.Popen[str]:
        """Run a `convive` command with the settings of this server."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("CONVIVE_")}
        if self.is_forked:
            fork_commands()
        start = ForkedPopen if self.is_forked else subprocess.Popen
        return start(
            [sys.executable, "-m", "app.cli", *command],
            env={**kept, **self._settings},
            cwd=self.data_dir,
            text=True,
            **options,
        )

    @property
    def address(self) -> str:
        """The address without a path."""
        return self.sign_in_address.partition("/sign-in")[0].partition("/setup")[0]

    @property
    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._process is not None and self._process.poll() is None

    @property
    def process(self) -> psutil.Process:
        """The process of the web server."""
        assert self._process is not None
        return psutil.Process(self._process.pid)

    def processes(self, command: str) -> list[psutil.Process]:
        """The living processes that it has started for a command."""
        own, found = self.process, []
        forked = forked_children(own.pid, command) if self.is_forked else []
        for pid in (*(child.pid for child in own.children()), *forked):
            with contextlib.suppress(psutil.Error):  # it may end just now
                child = psutil.Process(pid)
                if child.status() != psutil.STATUS_ZOMBIE and (pid in forked or command in child.cmdline()):
                    found.append(child)
        return found

    def worker(self) -> psutil.Process | None:
        """The worker process, if one is alive."""
        return next(iter(self.processes("worker")), None)

    def stop(self, how: int = signal.SIGTERM) -> int:
        """Send the signal and return how the server ended; connections of this process are closed as well."""
        assert self._process is not None
        for engine in self._engines:
            engine.dispose()
        if self._process.poll() is None:
            self._process.send_signal(how)
        code = self._process.wait(PATIENCE)
        if self._process.stdout is not None:
            self._process.stdout.close()
        return code

    def sessions(self) -> Sessions:
        """Sessions on the server's own database."""
        address = self._settings.get("CONVIVE_DATABASE_URL") or f"sqlite:///{self.data_dir / 'convive.db'}"
        self._engines.append(make_engine(address))
        return make_sessions(self._engines[-1])

    def owner(self) -> Actor:
        """The person at this machine."""
        with transaction(self.sessions()) as session:
            return actor_of(local_user(session))

    def api(self) -> httpx2.Client:
        """Return a client of the REST API that acts for the person at this machine."""
        with transaction(self.sessions()) as session:
            key = create_api_key(session, actor_of(local_user(session)), "tests")
        headers = {"Authorization": f"Bearer {key}"}
        return httpx2.Client(base_url=f"{self.address}/api/v1/", headers=headers, timeout=30, limits=FRESH)

    @property
    def cookie_name(self) -> str:
        """The name of the cookie that holds a session."""
        host, port = self._settings.get("CONVIVE_HOST", "127.0.0.1"), urlsplit(self.address).port
        base_url = self._settings.get("CONVIVE_BASE_URL", "")
        return session_cookie(Settings(host=host, port=port, base_url=base_url, _env_file=None))

    def session_token(self) -> str:
        """Sign a browser in and return what its cookie holds."""
        with transaction(self.sessions()) as session:
            return start_session(session, session.get_one(User, local_user(session).id), days=1)

    def session_cookie(self) -> SetCookieParam:
        """Sign a browser in and return its cookie, as Playwright takes it."""
        return {"name": self.cookie_name, "value": self.session_token(), "url": self.address}

    def web(self) -> httpx2.Client:
        """Return a client that is signed in and sends the form token with everything."""
        token = self.session_token()
        client = httpx2.Client(
            base_url=self.address, headers={"X-Form-Token": form_token(token)}, timeout=30, limits=FRESH
        )
        client.cookies.set(self.cookie_name, token)
        return client


class TypedServer(ServerProcess):
    """A server as a person starts it in a terminal, from the first import on."""

    is_forked = False
