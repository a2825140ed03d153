"""The peak memory of processes, measured by a separate thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from types import TracebackType

import psutil

PERIOD = 0.05


class Peak:
    """Measure every 50 ms during the `with` statement; `bytes` is the peak of all processes together."""

    def __init__(self, processes: Callable[[], Iterable[psutil.Process]]) -> None:
        self._processes = processes
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.bytes = 0

    def __enter__(self) -> Peak:
        """Start measuring."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop measuring."""
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(PERIOD):
            with suppress(psutil.Error):  # a process may end while it is measured
                self.bytes = max(self.bytes, sum(process.memory_info().rss for process in self._processes()))


def gigabytes(number: int) -> str:
    """Write bytes as gigabytes."""
    return f"{number / 1e9:.2f} GB"
