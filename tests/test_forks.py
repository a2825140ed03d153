"""A forked process behaves as one that was started by its command."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.conftest import sqlite_copy
from tests.server import ServerProcess, TypedServer

PIPES = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
KINDS = [ServerProcess, TypedServer]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")


def outcome(kind: type[ServerProcess], folder: Path, *words: str) -> tuple[int, str, str]:
    with kind(folder).run(*words, **PIPES) as process:
        stdout, stderr = process.communicate()
    return process.returncode, stdout, stderr


@pytest.mark.parametrize("words", [("--version",), ("serve", "--port", "x"), ("worker",), ("nonsense",)])
def test_output_and_exit_code_are_those_of_the_command(tmp_path: Path, words: tuple[str, ...]) -> None:
    forked, typed = (outcome(kind, tmp_path, *words) for kind in KINDS)
    assert forked == typed
    assert any(forked)


def test_settings_and_folder_are_its_own(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
        sqlite_copy(request, folder)
        assert outcome(ServerProcess, folder, "key", "create", "--name", f"of {folder.name}")[0] == 0
    for folder in folders:
        listed = outcome(ServerProcess, folder, "key", "list")[1]
        assert [f"of {other.name}" in listed for other in folders] == [other == folder for other in folders]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_signal_ends_a_server(tmp_path: Path, how: int) -> None:
    server = ServerProcess(tmp_path).start()
    process = server.process
    assert process.exe() == psutil.Process().exe()
    assert server.stop(how) == -how
    assert not process.is_running()
