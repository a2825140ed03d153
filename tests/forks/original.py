"""The process that is copied. There are three: one that has loaded what a server needs, one with the solver, too, and
one for servers that count metrics together.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import gc
import io
import os
import shutil
import signal
import socket
import struct
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from select import select
from typing import Any, NoReturn

from app.cli.web_processes import METRICS_FOLDER
from tests.forks.popen import fork_from
from tests.forks.protocol import STANDARD_FILES, address_for, receive, send, send_number

MANY_FILES, MOST_FILES = 512, 1 << 20


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
                    self._forget(asked["passed"], connection, woken, waking)
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
            for place, file in enumerate(files[:STANDARD_FILES]):
                os.dup2(file, place)
            return {**asked, "passed": list(zip(asked["passed"], files[STANDARD_FILES:], strict=True))}
        for file in files:
            os.close(file)
        self.copies[pid] = asked["parent"], connection
        with contextlib.suppress(OSError):
            send_number(connection, pid)
        return None

    def _forget(self, passed: list[tuple[int, int]], *others: socket.socket) -> None:
        """Leave a copy nothing of the original's files; an object must not close a number that is used again."""
        for connection in (self.listener, *self.users, *(held for _, held in self.copies.values()), *others):
            connection.detach()
        aside = [fcntl.fcntl(file, fcntl.F_DUPFD, MANY_FILES) for _, file in passed]
        os.closerange(STANDARD_FILES, MANY_FILES)
        os.closerange(MANY_FILES + len(aside), MOST_FILES)
        for (number, _), file in zip(passed, aside, strict=True):
            os.dup2(file, number)
            os.close(file)


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
    try:
        main()
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            _end(ended.code or 0)
        raise


def _end(code: int) -> NoReturn:
    """End as Python does, but free no objects: that would copy all the memory that is shared with the original."""
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _open_standard_files() -> None:
    reading, writing, errors = (open(place, mode, closefd=False) for place, mode in enumerate(("rb", "wb", "wb")))  # noqa: SIM115
    sys.stdin = io.TextIOWrapper(reading, encoding="utf-8")
    sys.stdout = io.TextIOWrapper(writing, encoding="utf-8", line_buffering=os.isatty(1))
    sys.stderr = io.TextIOWrapper(errors, encoding="utf-8", errors="backslashreplace", line_buffering=True)


def load_server() -> None:
    """Load what servers and most commands need."""
    import uvloop  # noqa: F401, PLC0415

    import app.cli.web_server  # noqa: PLC0415
    import app.db.migrate  # noqa: F401, PLC0415
    from app.main import ROUTERS, included_routers  # noqa: PLC0415
    from app.web.preload import build_routes, load_templates  # noqa: PLC0415

    build_routes(ROUTERS, included_routers())
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


def load_processes(folder: Path) -> None:
    """Load what servers need that count together: the metrics of each copy go to the folder that it is given."""
    metrics = folder / "metrics"
    metrics.mkdir()
    os.environ[METRICS_FOLDER] = str(metrics)
    load_server()


def load_and_wait(folder: Path) -> dict[str, Any] | None:
    """Be the original of servers, and start the two others; return what a copy is asked for."""
    server, solver, processes = (_listen(folder, command) for command in ("serve", "worker", "serve-process"))
    print("listening", flush=True)  # noqa: T201  whoever has started this process connects now
    first = server.accept()[0]
    receive(first)
    ours, theirs = socket.socketpair()  # the others end when this one has
    if not os.fork():
        _close(server, solver, first, ours)
        if processes not in select([processes, theirs], [], [])[0]:
            return None
        load_processes(folder)
        return _wait(Original(processes, [theirs]))
    processes.close()
    load_server()
    if not os.fork():
        _close(server, first, ours)
        load_solver()
        return _wait(Original(solver, [theirs]))
    _close(solver, theirs)
    asked = _wait(Original(server, [first]))
    if asked is None:
        shutil.rmtree(folder)
    return asked


def _listen(folder: Path, command: str) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address_for(folder, command))
    listener.listen()
    return listener


def _close(*inherited: socket.socket) -> None:
    for one in inherited:
        one.close()


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
