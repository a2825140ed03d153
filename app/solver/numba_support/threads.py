"""How many cores there are, and how many of them the linear algebra of numpy and scipy takes."""

from __future__ import annotations

import os
import sys
from functools import cache

from threadpoolctl import ThreadpoolController

SMALL = 1000
"""Up to so many guests one core is as quick as all; and where others are at work its threads wait for each other."""


def count_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def choose_cores(guests: int) -> None:
    """Give the linear algebra of this process one core from now on, or all that it may use for a large event."""
    _find_libraries("scipy.linalg" in sys.modules).limit(limits=1 if guests <= SMALL else count_cores())


@cache
def _find_libraries(with_scipy: bool) -> ThreadpoolController:
    """Return the libraries that are loaded: they are looked for once more when scipy has brought its own."""
    return ThreadpoolController().select(user_api="blas")
