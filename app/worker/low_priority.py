"""Solving in a thread of low priority, so that pages come first; the rest of the worker keeps its own."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

from app.thread_priority import lower_priority

NICENESS = 10
Value = TypeVar("Value")


def at_low_priority(work: Callable[[], Value]) -> Value:
    """Do the work in a thread that pages and heartbeats overtake, and return or raise what comes of it.

    The worker's own thread, which talks to the database, keeps its priority.
    """
    future: Future[Value] = Future()

    def run() -> None:
        lower_priority(NICENESS)
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    Thread(target=run, name="low priority", daemon=True).start()
    return future.result()
