"""`subprocess.Popen` for the commands of Convive, whose processes are copies of one that has loaded the program."""

from __future__ import annotations

import inspect
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from filelock import FileLock

from app.config import OWN_COMMAND, ROOT
from tests.forks.protocol import address_for, connect, has_arrived, receive, receive_number, send

COMMANDS = (OWN_COMMAND, tuple(word for word in OWN_COMMAND if word != "-P"))
UNSUITABLE = ("preexec_fn", "shell", "executable", "start_new_session")
RealPopen = subprocess.Popen
RUN = os.getpid()
"""The process that collects the tests loads this module; those that run them are copies of it."""
_where: list[Path] = []
_originals: list[object] = []
"""The connection that keeps them running as long as this process, and in the process that started them, they."""


def fork_commands() -> None:
    """Let this test process copy processes instead of loading the program; those of one run share the originals."""
    if sys.platform != "linux" or _where:
        return
    folder = Path(tempfile.gettempdir()) / f"convive-forks-{RUN}"
    folder.mkdir(mode=0o700, exist_ok=True)
    with FileLock(folder / "lock"):
        try:
            connection = connect(address_for(folder, "serve"))
        except OSError:
            _originals.append(_start_original(folder))
            connection = connect(address_for(folder, "serve"))
        send(connection, {})
    _originals.append(connection)
    _where[:] = [folder]


def _start_original(folder: Path) -> RealPopen[bytes]:
    command = [sys.executable, "-m", "tests.forks.original", str(folder)]
    started = RealPopen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    assert started.stdout is not None
    with started.stdout as said:
        assert said.readline() == b"listening\n"
    return started


def fork_from(folder: Path) -> None:
    """Let this process, and those that it starts, copy the processes that listen in this folder."""
    _where[:] = [folder]
    subprocess.Popen = ForkedPopen  # type: ignore[misc]


def forked_children(pid: int, command: str) -> list[int]:
    """Return the living copies that a process has asked for. The system knows them as children of the original."""
    with connect(address_for(_where[0], command)) as connection:
        send(connection, {"children_of": pid})
        return list(receive(connection)[0]["children"])


class ForkedPopen(RealPopen[Any]):
    """Asks for a copy where it can, and starts a process as usual where it cannot."""

    _report: socket.socket | None = None
    """Says how the copy ended."""

    def _execute_child(self, *given: Any) -> None:
        how = inspect.signature(super()._execute_child).bind(*given).arguments  # type: ignore[misc]
        words = _words_of(how)
        if words is None:
            super()._execute_child(*given)  # type: ignore[misc]
            return
        standard = (how[name] for name in ("p2cread", "c2pwrite", "errwrite"))
        files = [place if file == -1 else file for place, file in enumerate(standard)]
        environment = dict(os.environ if how["env"] is None else how["env"])
        asked = {"words": words, "environment": environment, "folder": os.fspath(how["cwd"] or Path.cwd())}
        asked |= {"parent": os.getpid(), "passed": list(how["pass_fds"])}
        self._report = connect(address_for(_where[0], words[0]))
        send(self._report, asked, [*files, *how["pass_fds"]])
        self.pid = receive_number(self._report)
        self._child_created = True
        pipes = (how[name] for name in ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite"))
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]

    def _try_wait(self, flags: int) -> tuple[int, int]:
        if self._report is None:
            return super()._try_wait(flags)  # type: ignore[misc, no-any-return]
        if flags & os.WNOHANG and not has_arrived(self._report):
            return 0, 0
        with self._report as report:
            return self.pid, receive_number(report)

    def _internal_poll(self, *given: Any, **named: Any) -> int | None:
        if self._report is None:
            return super()._internal_poll(*given, **named)  # type: ignore[misc, no-any-return]
        if self.returncode is None and self._waitpid_lock.acquire(blocking=False):  # type: ignore[attr-defined]
            try:
                if self.returncode is None:
                    ended, status = self._try_wait(os.WNOHANG)
                    if ended:
                        self._handle_exitstatus(status)  # type: ignore[attr-defined]
            finally:
                self._waitpid_lock.release()  # type: ignore[attr-defined]
        return self.returncode


def _words_of(how: dict[str, Any]) -> list[str] | None:
    """Return what follows `convive` in a command that can be run by a copy."""
    if not _where or isinstance(how["args"], (str, bytes)) or any(how[name] for name in UNSUITABLE):
        return None
    command = tuple(map(os.fspath, how["args"]))
    for start in COMMANDS:
        if command[: len(start)] == start:
            return list(command[len(start) :]) or None
    return None
