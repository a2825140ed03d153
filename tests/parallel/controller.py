"""The process that has collected the tests: it copies itself, gives tests to the copies, and reports what they did."""

from __future__ import annotations

import multiprocessing
import os
import signal
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

import pytest

from tests.parallel.copy import Copy
from tests.parallel.work import Work, units_of

FORK = multiprocessing.get_context("fork")
PATIENCE = 60.0
"""How many seconds a process may take to end; its servers and browsers end with it."""


@dataclass
class Running:
    """A copy, and the test that it runs."""

    number: int
    process: BaseProcess
    connection: Connection
    test: int | None = None


class Controller:
    """Gives each process the next tests as soon as it has no others."""

    def __init__(self, session: pytest.Session, processes: int) -> None:
        self.session = session
        self.config = session.config
        self.work = Work(units_of([item.nodeid for item in session.items], processes), processes)
        self.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # one folder for all of them
        self.running: list[Running] = []
        for number in range(processes):
            self.running.append(self._start(number))

    def run(self) -> None:
        """Run all tests."""
        try:
            while self.running:
                ready = wait([running.connection for running in self.running])
                for running in [running for running in self.running if running.connection in ready]:
                    self._hear(running)
                    self._stop_after_failures()
        finally:
            self._end()

    def _start(self, number: int) -> Running:
        ours, theirs = FORK.Pipe()
        others = [running.connection for running in self.running]
        # Output that nobody has read yet would be in every copy.
        capture = self.config.pluginmanager.getplugin("capturemanager")
        if capture is not None:
            capture.read_global_capture()
        process = FORK.Process(
            target=Copy(self.session, number, theirs).run, args=[ours, *others], name=f"tests-{number}"
        )
        process.start()
        theirs.close()
        return Running(number, process, ours)

    def _hear(self, running: Running) -> None:
        try:
            kind, content = running.connection.recv()
        except (EOFError, OSError):
            self._lost(running)
            return
        hear: dict[str, Callable[[Running, Any], None]] = {
            "next": self._give,
            "started": self._started,
            "report": self._report,
            "warning": self._warn,
            "error": self._fail,
        }
        hear[kind](running, content)

    def _give(self, running: Running, _: None) -> None:
        running.connection.send(self.work.next_unit(running.number))

    def _started(self, running: Running, test: int) -> None:
        running.test = test

    def _report(self, _: Running, content: dict[str, Any]) -> None:
        report = self.config.hook.pytest_report_from_serializable(config=self.config, data=content)
        self.config.hook.pytest_runtest_logreport(report=report)

    def _warn(self, _: Running, content: dict[str, Any]) -> None:
        message = warnings.WarningMessage(**content.pop("message"))
        self.config.hook.pytest_warning_recorded.call_historic(kwargs={**content, "warning_message": message})

    def _fail(self, running: Running, content: str) -> None:
        raise pytest.UsageError(f"process {running.number} failed outside of a test:\n{content}")

    def _lost(self, running: Running) -> None:
        """Report the test that ended its process, and let a new process run those that were left."""
        running.process.join(PATIENCE)
        running.connection.close()
        self.running.remove(running)
        left = self.work.left_by(running.number, running.test)
        if running.process.exitcode == 0 and not left:
            return
        if running.test is not None:
            self._report_crash(running, running.test)
        if left:
            self.running.append(self._start(running.number))

    def _report_crash(self, running: Running, test: int) -> None:
        item = self.session.items[test]
        words = f"The process of this test ended with {running.process.exitcode}."
        report = pytest.TestReport(item.nodeid, item.location, {}, "failed", words, "call")
        self.config.hook.pytest_runtest_logreport(report=report)

    def _stop_after_failures(self) -> None:
        if self.session.shouldfail:
            raise self.session.Failed(self.session.shouldfail)
        if self.session.shouldstop:
            raise self.session.Interrupted(self.session.shouldstop)

    def _end(self) -> None:
        """Let the processes end that still run, after an interruption or the last failure that is allowed."""
        for running in self.running:
            running.connection.close()  # a copy to which nobody listens ends after its test
        for end in (lambda process: None, _interrupt, BaseProcess.kill):
            for running in self.running:
                if running.process.is_alive():
                    end(running.process)
                running.process.join(PATIENCE)


def _interrupt(process: BaseProcess) -> None:
    if process.pid:
        os.kill(process.pid, signal.SIGINT)
