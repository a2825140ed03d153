"""A clock that does not count when the machine stands still, which would else be taken for a slow program."""

from __future__ import annotations

import threading
import time

TICK, LEAST = 0.1, 1.5


class ActiveClock(threading.Thread):
    """Counts the seconds in which this process was let run."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.stalled_seconds = 0.0
        self._lock = threading.Lock()
        self._seen = time.monotonic()

    def run(self) -> None:
        """Look ten times a second whether it still is ten times a second."""
        while True:
            time.sleep(TICK)
            self.now()

    def now(self) -> float:
        """Return seconds that only go on while the machine does."""
        with self._lock:
            now = time.monotonic()
            if now - self._seen > LEAST:
                self.stalled_seconds += now - self._seen
            self._seen = now
            return now - self.stalled_seconds

    def words(self) -> str:
        """Say how long it stood still, if it did."""
        if not self.stalled_seconds:
            return ""
        return (
            f"\n\nOther work on this machine stopped everything for {self.stalled_seconds:.0f} s in total; "
            "the seconds measured by the clients do not include this."
        )


CLOCK = ActiveClock()
CLOCK.start()
