"""What a process that reads or makes one file may take of the machine."""

from __future__ import annotations

import contextlib
import os

NICENESS = 5


def limit_resources(memory: int, seconds: int) -> None:
    """Limit the memory and the processor time of this process, and let pages come first."""
    with contextlib.suppress(ImportError, ValueError, OSError):  # not every system has limits to set
        import resource  # noqa: PLC0415  Windows has none

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICENESS)  # Windows has no such call
