"""The process that is copied. There are two: one that has loaded what a server needs, and one with the solver, too."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import shutil
import signal
import socket
import struct
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from select import select
from typing import Any

from tests.forks.popen import fork_from
from tests.forks.protocol import STANDARD_FILES, address_for, receive, send, send_number

MOST_FILES = 1 << 20


@dataclass
class Original:
    """Is copied for whoever asks, and tells them when their copy has ended."""

    listener: socket.socket
    users: list[socket.socket]
    """The test processes. This process ends with the last of them."""
    copies: dict[int, tuple[int, socket.socket]] = field(default_factory=dict)
    """Who asked for each copy, and where to say how it ended."""

    def wait_for_requests(self) -> dict[str, Any] | None:
        """Return what was asked for in each copy, and None in the original when nobody uses it any more."""
        woken, waking = socket.socketpair()
        waking.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        signal.set_wakeup_fd(waking.fileno(), warn_on_full_buffer=False)
        while self.users:
            ready = select([self.listener, woken, *self.users], [], [])[0]
            if woken in ready:
                woken.recv(1024)
                self._tell_who_ended()
            self.users = [user for user in self.users if user not in ready or user.recv(1)]
            if self.listener in ready:
                connection = self.listener.accept()[0]
                asked = self._answer(connection)
                if asked is not None:
                    signal.set_wakeup_fd(-1)
                    self._forget(connection, woken, waking)
                    return asked
        return None

    def _tell_who_ended(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] in self.copies:
                    connection = self.copies.pop(ended[0])[1]
                    with contextlib.suppress(OSError), connection:  # whoever asked may have ended
                        send_number(connection, ended[1])

    def _answer(self, connection: socket.socket) -> dict[str, Any] | None:
        try:
            asked, files = receive(connection)
        except (OSError, struct.error):
            return None  # whoever asked has ended
        if "words" in asked:
            return self._copy(asked, files, connection)
        if "children_of" in asked:
            found = [pid for pid, (parent, _) in self.copies.items() if parent == asked["children_of"]]
            with contextlib.suppress(OSError), connection:
                send(connection, {"children": found})
        else:
            self.users.append(connection)
        return None

    def _copy(self, asked: dict[str, Any], files: list[int], connection: socket.socket) -> dict[str, Any] | None:
        pid = os.fork()
        if not pid:
            for place, file in enumerate(files):
                os.dup2(file, place)
            return asked
        for file in files:
            os.close(file)
        self.copies[pid] = asked["parent"], connection
        with contextlib.suppress(OSError):
            send_number(connection, pid)
        return None

    def _forget(self, *others: socket.socket) -> None:
        """Leave a copy nothing of the original's files; an object must not close a number that is used again."""
        for connection in (self.listener, *self.users, *(held for _, held in self.copies.values()), *others):
            connection.detach()
        os.closerange(STANDARD_FILES, MOST_FILES)


def run(asked: dict[str, Any], folder: Path) -> None:
    """Be the command that was asked for."""
    from app.cli import main  # noqa: PLC0415  the original starts quickly, and loads after it has said so

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _open_standard_files()
    os.environ.clear()
    os.environ.update(asked["environment"])
    time.tzset()
    os.chdir(asked["folder"])
    sys.modules["__main__"].__package__ = "app.cli"  # as in `python -m app.cli`, for the usage that a command prints
    sys.argv = [str(Path(main.__code__.co_filename).with_name("__main__.py")), *asked["words"]]
    fork_from(folder)
    main()


def _open_standard_files() -> None:
    reading, writing, errors = (open(place, mode, closefd=False) for place, mode in enumerate(("rb", "wb", "wb")))  # noqa: SIM115
    sys.stdin = io.TextIOWrapper(reading, encoding="utf-8")
    sys.stdout = io.TextIOWrapper(writing, encoding="utf-8", line_buffering=os.isatty(1))
    sys.stderr = io.TextIOWrapper(errors, encoding="utf-8", errors="backslashreplace", line_buffering=True)


def load_server() -> None:
    """Load what servers and most commands need."""
    import uvloop  # noqa: F401, PLC0415

    import app.cli.web_server  # noqa: PLC0415
    import app.db.migrate  # noqa: PLC0415
    import app.main  # noqa: F401, PLC0415
    from app.web.preload import load_templates  # noqa: PLC0415

    load_templates()


def load_solver() -> None:
    """Load the solver and its kernels, as a worker does when it has nothing else to do."""
    import app.worker.embedded_worker  # noqa: PLC0415
    import app.worker.procrastinate_worker  # noqa: F401, PLC0415
    from app.solver import NEEDS, parts_for  # noqa: PLC0415
    from app.worker.preparation import solve_once  # noqa: PLC0415

    for part in parts_for(NEEDS):
        part.call()
    solve_once()


def load_and_wait(folder: Path) -> dict[str, Any] | None:
    """Be the original of servers, and start that of solvers; return what a copy is asked for."""
    server, solver = (socket.socket(socket.AF_UNIX) for _ in range(2))
    server.bind(address_for(folder, "serve"))
    solver.bind(address_for(folder, "worker"))
    server.listen()
    solver.listen()
    print("listening", flush=True)  # noqa: T201  whoever has started this process connects now
    first = server.accept()[0]
    receive(first)
    load_server()
    ours, theirs = socket.socketpair()
    if not os.fork():
        for inherited in (server, first, ours):
            inherited.close()
        load_solver()
        return _wait(Original(solver, [theirs]))
    solver.close()
    theirs.close()
    asked = _wait(Original(server, [first]))
    if asked is None:
        shutil.rmtree(folder)
    return asked


def _wait(original: Original) -> dict[str, Any] | None:
    gc.collect()
    gc.freeze()  # otherwise the collector of each copy would write to, and so copy, all that they share
    return original.wait_for_requests()


def main(folder: Path) -> None:
    """Run the command in each copy, and nothing in the originals."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asked = load_and_wait(folder)
    if asked is not None:
        run(asked, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
