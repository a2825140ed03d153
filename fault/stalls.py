"""A clock that ignores the time in which the machine was stopped, so that it does not look like a slow program."""

from __future__ import annotations

import threading
import time

TICK, LEAST = 0.1, 1.5


class ActiveClock(threading.Thread):
    """Count the seconds in which this process could run."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.stalled_seconds = 0.0
        self._lock = threading.Lock()
        self._seen = time.monotonic()

    def run(self) -> None:
        """Check ten times a second whether the last interval was longer than a tenth of a second."""
        while True:
            time.sleep(TICK)
            self.now()

    def now(self) -> float:
        """Return the seconds without the stops."""
        with self._lock:
            now = time.monotonic()
            if now - self._seen > LEAST:
                self.stalled_seconds += now - self._seen
            self._seen = now
            return now - self.stalled_seconds

    def words(self) -> str:
        """Return a note about the stops, if there were any."""
        if not self.stalled_seconds:
            return ""
        return (
            f"\n\nOther work on this machine stopped everything for {self.stalled_seconds:.0f} s in total; "
            "the seconds measured by the clients do not include this."
        )


CLOCK = ActiveClock()
CLOCK.start()
