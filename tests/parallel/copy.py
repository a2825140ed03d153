"""A process that runs tests: a copy of the one that has collected them."""

from __future__ import annotations

import signal
import traceback
import warnings
from multiprocessing.connection import Connection
from typing import Any, NoReturn

import pytest


class Copy:
    """Runs what it is given, and sends what came out of it."""

    def __init__(self, session: pytest.Session, number: int, connection: Connection) -> None:
        self.session = session
        self.config = session.config
        self.number = number
        self.connection = connection
        self.is_separate = False

    def run(self, *of_the_controller: Connection) -> None:
        """Run tests until there are none left."""
        for connection in of_the_controller:
            connection.close()  # otherwise nobody would notice that the controller has closed it
        signal.signal(signal.SIGINT, _interrupt_once)
        try:
            self._be_separate()
            self._run_units()
            self.config._ensure_unconfigure()
        except (ConnectionError, EOFError, KeyboardInterrupt):
            self.session._setupstate.teardown_exact(None)  # nobody listens any more
        except BaseException:
            self.connection.send(("error", traceback.format_exc()))
            raise

    def _be_separate(self) -> None:
        """Have files of one's own for output and for tests, and leave the terminal to the controller."""
        plugins = self.config.pluginmanager
        plugins.unregister(name="terminalreporter")
        plugins.register(self, "sends-reports")
        capture = plugins.getplugin("capturemanager")
        if capture is not None:
            capture.stop_global_capturing()
            capture.start_global_capturing()
        folders = self.config._tmp_path_factory  # type: ignore[attr-defined]
        folders._basetemp = folders.mktemp(f"process-{self.number}-")
        folders._next_number.clear()
        self.is_separate = True

    def _run_units(self) -> None:
        tests = self._next_unit()
        while tests:
            test = tests.pop(0)
            tests = tests or self._next_unit()  # what a test leaves for the next one depends on which that is
            self.connection.send(("started", test))
            item, following = self.session.items[test], self.session.items[tests[0]] if tests else None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)

    def _next_unit(self) -> list[int]:
        self.connection.send(("next", None))
        return list(self.connection.recv())

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Send a report."""
        content = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        self.connection.send(("report", content))

    def pytest_warning_recorded(
        self, warning_message: warnings.WarningMessage, when: str, nodeid: str, location: Any
    ) -> None:
        """Send a warning, whose own arguments may be objects that cannot be sent."""
        if not self.is_separate:
            return  # pytest repeats those that the controller has reported
        message = {"message": str(warning_message.message), "category": warning_message.category}
        place = {"filename": warning_message.filename, "lineno": warning_message.lineno}
        content = {"message": {**message, **place}, "when": when, "nodeid": nodeid, "location": location}
        self.connection.send(("warning", content))


def _interrupt_once(number: int, frame: Any) -> NoReturn:
    """End the test; servers and browsers are then ended in peace. A terminal and the controller both send this."""
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt
