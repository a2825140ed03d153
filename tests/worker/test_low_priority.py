"""Solving at a low priority of its own, with whatever comes of it."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import get_native_id

import pytest

from app.worker.low_priority import NICENESS, at_low_priority


def niceness() -> int:
    return os.getpriority(os.PRIO_PROCESS, get_native_id())


def niceness_of_helper() -> int:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(niceness).result()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a niceness for each thread")
def test_work_and_its_helpers_are_nice_and_the_caller_is_not() -> None:
    before = niceness()
    assert at_low_priority(niceness) == max(NICENESS, before)
    assert at_low_priority(niceness_of_helper) == max(NICENESS, before)
    assert niceness() == before


def test_error_reaches_the_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        at_low_priority(lambda: 1 // 0)
