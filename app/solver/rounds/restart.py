"""One restart of a search over rounds, as the threads that run it and look after it share it."""

from __future__ import annotations

import numpy as np

from app.solver.deadline import POLL_SECONDS
from app.solver.problem import FloatArray

GRACE_SECONDS = 2 * POLL_SECONDS
"""What a restart may lose at its start before it cools faster than its steps: nobody looks after it more often."""


class Restart:
    """A restart under way; `control` is what its kernel looks at."""

    def __init__(self, number: int) -> None:
        self.number, self.steps = number, 0
        self.control: FloatArray = np.zeros(2)
        self.started: float | None = None
        """When it left the queue: with fewer cores than restarts some of them wait for others."""

    @property
    def is_ended(self) -> bool:
        """Whether it was asked to end."""
        return bool(self.control[0] > 0.0)

    def cool(self, now: float, until: float) -> None:
        """Pass on how much of its own time is gone: less than its steps, unless it is slower than planned."""
        if self.started is not None:
            begin = self.started + GRACE_SECONDS
            self.control[1] = min(max(now - begin, 0.0) / max(until - begin, 1e-9), 1.0)

    def end(self) -> None:
        """Let it end where it is."""
        self.control[0] = 1.0
