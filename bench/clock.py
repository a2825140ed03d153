"""Measure a call: the best of several, because other work on the machine only adds time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from app.solver import Deadline, count_cores

Value = TypeVar("Value")


def best_seconds(call: Callable[[], Value], repeats: int) -> tuple[float, Value]:
    """Return the seconds of the fastest of several calls, and the result of the last one."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        value = call()
        seconds.append(time.perf_counter() - start)
    return min(seconds), value


@contextmanager
def processor_time() -> Iterator[None]:
    """Count time limits in processor time, shared by all cores: other programs on the machine do not change it."""
    wall_clock, cores = Deadline.clock, count_cores()
    Deadline.clock = staticmethod(lambda: time.process_time() / cores)
    try:
        yield
    finally:
        Deadline.clock = staticmethod(wall_clock)


def spell(seconds: float) -> str:
    """Write seconds with three significant digits."""
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{seconds * 1000:.3g} ms"
