"""How many cores the linear algebra of numpy and scipy takes."""

from __future__ import annotations

import os
import sys
from functools import cache

from threadpoolctl import ThreadpoolController

SMALL = 1000
"""Up to so many guests one core is as quick as all; and where others are at work its threads wait for each other."""


def choose_cores(guests: int) -> None:
    """Give the linear algebra from now on one core, or all of them for a large event.

    With one core the last digits do not depend on the machine either.
    """
    _libraries("scipy.linalg" in sys.modules).limit(limits=1 if guests <= SMALL else os.cpu_count())


@cache
def _libraries(with_scipy: bool) -> ThreadpoolController:  # which brings a library of its own
    return ThreadpoolController().select(user_api="blas")
