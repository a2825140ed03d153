"""Which tests run in the same test process, and in which order."""

from __future__ import annotations

from typing import Any

from xdist.scheduler import LoadScopeScheduling

BROWSER, PROCESSES = "tests/browser/", "tests/processes/"
MIDDLE_OF_BROWSER = f"{BROWSER}test_m"
"""Browser tests that come before this take about as long as those after it."""


class KeepServersTogether(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """Gives each half of the browser tests to one process, and those of a file in tests/processes: they share servers.

    Tests with servers wait for them most of the time, others keep a core busy. At least one process runs the others,
    so that the cores are neither idle in the first minutes nor overloaded in the last. Groups with many tests go first.

    This looks at addresses alone, because xdist's own groups need a node id that can be changed, and pytest 9.2 has
    none: without an error every test was given to any process.
    """

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        if path.startswith(BROWSER):
            return f"{BROWSER}first" if path < MIDDLE_OF_BROWSER else f"{BROWSER}second"
        return path if path.startswith(PROCESSES) else nodeid

    def _assign_work_unit(self, node: Any) -> None:
        others = [work for other, work in self.assigned_work.items() if other is not node]
        busy = sum(any(_has_servers(scope) and not all(work[scope].values()) for scope in work) for work in others)
        wants_servers = busy < len(others)
        fitting = (scope for scope in self.workqueue if _has_servers(scope) is wants_servers)
        self.workqueue.move_to_end(next(fitting, next(iter(self.workqueue))), last=False)
        super()._assign_work_unit(node)


def _has_servers(scope: str) -> bool:
    return scope.startswith((BROWSER, PROCESSES))
