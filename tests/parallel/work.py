"""Which tests run in the same process, and in which order."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby

BROWSER, SERVERS = "tests/browser/", "tests/processes/"
LONG = (
    "tests/db/test_migrations.py",
    "tests/plans/test_moves_machine.py",
    "tests/problem/test_large_events.py",
    "tests/db/test_backup.py",
)
"""Files that take longest start first, so that no process is alone at the end."""
UNITS_OF_A_PROCESS = 40


@dataclass(frozen=True)
class Unit:
    """Tests of one file that follow each other."""

    path: str
    tests: list[int]

    @property
    def kind(self) -> str:
        """What the tests need: a browser, servers of their own, or nothing that takes long to start."""
        return next((kind for kind in (BROWSER, SERVERS) if self.path.startswith(kind)), "")


def units_of(addresses: list[str], processes: int) -> list[Unit]:
    """Return the tests in units that are small enough to keep all processes busy to the end.

    Tests of one file share what is set up for it. Those with servers of their own stay together for that.
    """
    most = max(1, len(addresses) // (processes * UNITS_OF_A_PROCESS))
    units: list[Unit] = []
    for path, found in groupby(range(len(addresses)), lambda test: addresses[test].partition("::")[0]):
        tests = list(found)
        size = len(tests) if path.startswith(SERVERS) else most
        units += [Unit(path, tests[start : start + size]) for start in range(0, len(tests), size)]
    return sorted(units, key=lambda unit: (unit.path not in LONG, -len(unit.tests)))


@dataclass
class Work:
    """Gives units to processes.

    Tests with servers and browsers wait for them most of the time, others keep a core busy. So both kinds run beside
    each other from the start. A process that has started a browser goes on with the tests that need one.
    """

    units: list[Unit]
    processes: int
    given: dict[int, list[Unit]] = field(default_factory=dict)

    def next_unit(self, process: int) -> list[int]:
        """Return the next tests of a process, and none when all are given."""
        given = self.given.setdefault(process, [])
        for kind in self._kinds_for(process):
            unit = next((unit for unit in self.units if unit.kind == kind), None)
            if unit is not None:
                self.units.remove(unit)
                given.append(unit)
                return unit.tests
        return []

    def left_by(self, process: int, last: int | None) -> list[int]:
        """Return the tests after the last that a process has run, and give them to the process that follows it."""
        given = [test for unit in self.given.pop(process, []) for test in unit.tests]
        left = given[given.index(last) + 1 :] if last is not None else given
        if left:
            self.units.insert(0, Unit("", left))
        return left or [test for unit in self.units for test in unit.tests]

    def _kinds_for(self, process: int) -> tuple[str, ...]:
        others = [units for other, units in self.given.items() if other != process and units]
        browsers = sum(any(unit.kind == BROWSER for unit in units) for units in others)
        servers = sum(units[-1].kind == SERVERS for units in others)
        if any(unit.kind == BROWSER for unit in self.given[process]) or browsers < min(2, self.processes // 2):
            return (BROWSER, SERVERS, "")
        if browsers + servers < self.processes - 2:
            return (SERVERS, "", BROWSER)
        return ("", SERVERS, BROWSER)
