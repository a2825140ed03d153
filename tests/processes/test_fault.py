"""The short version of `make fault`: kills of everything for some seconds, and not one run is lost or done twice.

What kills do on SQLite is tested in test_kills.
"""

from __future__ import annotations

import subprocess

import pytest

from fault.kills import kill_for
from tests.conftest import NOT_INSTALLED, missing
from tests.forks.popen import ForkedPopen, fork_commands
from tests.installed_postgres import find_binaries


@pytest.fixture(autouse=True)
def _forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spend the seconds on kills: those who die are replaced by copies of a process that has loaded the program."""
    fork_commands()
    monkeypatch.setattr(subprocess, "Popen", ForkedPopen)


@pytest.mark.postgres
def test_every_run_is_done_once_whatever_dies_on_postgresql(postgres: str) -> None:
    outcome, _ = kill_for(runs=3, seconds=3.0, seed=2, workers=2, installed=False)
    assert outcome.is_right
    assert outcome.acknowledged == 3


def test_every_run_is_done_once_on_the_postgresql_of_this_machine() -> None:
    if find_binaries() is None:
        missing(NOT_INSTALLED)
    outcome, _ = kill_for(runs=2, seconds=2.0, seed=3, workers=1, installed=True)
    assert outcome.is_right
    assert outcome.acknowledged == 2
