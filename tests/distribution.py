"""Which tests run in the same test process, one after the other."""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling


class KeepServersTogether(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """Gives all browser tests to one process, and those of a file in tests/processes: they share servers.

    The groups with the most tests go first. This looks at addresses alone, because xdist's own groups need a node id
    that can be changed, and pytest 9.2 has none: without an error every test was given to any process.
    """

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        if path.startswith("tests/browser/"):
            return "tests/browser"
        return path if path.startswith("tests/processes/") else nodeid
