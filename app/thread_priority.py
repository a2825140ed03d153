"""The priority of a thread: work that nobody waits for lets pages go first."""

from __future__ import annotations

import contextlib
import os
import sys
from threading import get_native_id


def lower_priority(niceness: int) -> None:
    """Let this thread, and those that it starts, wait for others while the processor is busy; only Linux can.

    A thread cannot go back to a higher priority, so call it in one that does nothing else.
    """
    if sys.platform == "linux":
        thread = get_native_id()
        with contextlib.suppress(OSError):  # some sandboxes forbid it
            os.setpriority(os.PRIO_PROCESS, thread, max(niceness, os.getpriority(os.PRIO_PROCESS, thread)))
