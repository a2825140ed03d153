"""Solving steps aside for pages: a thread of low priority, while the rest of the worker keeps its own."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread, get_native_id
from typing import TypeVar

NICENESS = 10
Value = TypeVar("Value")


def at_low_priority(work: Callable[[], Value]) -> Value:
    """Do the work in a thread that pages and heartbeats overtake, and return or raise what comes of it.

    On Linux each thread has a niceness of its own, and threads started by this one inherit it. A process cannot go
    back to a lower one, so the worker's own thread, which talks to the database, must not take it on.
    """
    future: Future[Value] = Future()

    def run() -> None:
        if sys.platform == "linux":
            thread = get_native_id()
            with contextlib.suppress(OSError):  # some sandboxes forbid it
                os.setpriority(os.PRIO_PROCESS, thread, max(NICENESS, os.getpriority(os.PRIO_PROCESS, thread)))
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    Thread(target=run, name="low priority", daemon=True).start()
    return future.result()
