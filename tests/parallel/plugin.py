"""The option `-n`, and the loop that gives tests to processes."""

from __future__ import annotations

import sys

import pytest

from tests.parallel.controller import Controller


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the number of processes be chosen."""
    add = parser.getgroup("parallel")._addoption  # the public one wants capital letters
    add("-n", "--processes", type=int, default=1, metavar="N", help="run the tests in N processes")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run the tests in processes where several are asked for, and otherwise as usual."""
    option = session.config.option
    many = min(option.processes, len(session.items))
    if many < 2 or sys.platform != "linux" or option.collectonly or option.usepdb or session.testsfailed:
        return None
    Controller(session, many).run()
    return True
