"""Event loops of their own for tests: the thread of the tests may be running one, that of the browser."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def in_a_loop(main: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine function in an event loop of a new thread and return what it returns."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(main())).result()
