"""Seconds of a call: the best of several, because everything else on the machine only adds to it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")


def best_seconds(call: Callable[[], Value], repeats: int) -> tuple[float, Value]:
    """Return the seconds of the quickest of several calls, and what the last one returned."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        value = call()
        seconds.append(time.perf_counter() - start)
    return min(seconds), value


def spell(seconds: float) -> str:
    """Write seconds with three digits that count."""
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{seconds * 1000:.3g} ms"
