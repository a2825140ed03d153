"""Many restarts on all cores; the plan does not depend on which thread runs which."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from app.solver.clustering.kmeans import Space, make_trial, run_restarts
from app.solver.deadline import Deadline, wait_for
from app.solver.numba_support.threads import count_cores
from app.solver.problem import FloatArray, IntArray
from app.solver.result import Improvement

BATCH_SECONDS = 0.05


@dataclass(frozen=True)
class Outcome:
    """The best plan of the restarts, or none if not even one came to its end."""

    assignment: IntArray | None
    restarts: int
    iterations: int
    history: tuple[Improvement, ...]
    values: FloatArray = field(default_factory=lambda: np.zeros(0))
    """What each restart came to; infinite where it did not."""


class Restarts:
    """The restarts of one solve, dealt out to threads in batches of about BATCH_SECONDS.

    `figure` turns the value that a kernel gives a plan into the one that is reported. `until` ends them even before
    the first; without it the deadline's time limit does, after the first. They are numbered from `first`, which is what
    their random numbers follow from.
    """

    def __init__(
        self,
        space: Space,
        *,
        restarts: int,
        seed: int,
        deadline: Deadline,
        figure: Callable[[float], float] = float,
        threads: int | None = None,
        until: float | None = None,
        first: int = 0,
    ) -> None:
        self._space, self._restarts, self._seed, self._deadline = space, restarts, seed, deadline
        self._first = first
        self._figure, self._until = figure, until
        self._threads = min(threads or count_cores(), restarts)
        self._lock = threading.Lock()
        self._stop = np.zeros(1, dtype=np.int64)
        self._dealt = self._done = self._iterations = 0
        self._best = (np.inf, restarts)
        self._assignment: IntArray | None = None
        self._history: list[Improvement] = []
        self._values = np.full(restarts, np.inf)

    def run(self) -> Outcome:
        """Run them all, or as many as fit before the deadline; always the first one, unless stopped."""
        began = self._deadline.seconds
        with ThreadPoolExecutor(self._threads) as pool:
            working = [pool.submit(self._work) for _ in range(self._threads)]
            wait_for(working, partial(self._look, began), self._end)
        self._report(began, now=True)
        return Outcome(self._assignment, self._done, self._iterations, tuple(self._history), self._values)

    def _look(self, began: float) -> None:
        """Report progress, and stop the kernels when it is time."""
        late = self._until is not None and self._deadline.seconds > self._until
        if self._deadline.is_stopped() or late or (self._deadline.is_time_up and self._done):
            self._end()
        self._report(began)

    def _end(self) -> None:
        self._stop[0] = 1

    def _report(self, began: float, *, now: bool = False) -> None:
        rest = [] if self._deadline.seconds_left is None else [self._deadline.seconds_left]
        if self._done:
            rest.append((self._deadline.seconds - began) / self._done * (self._restarts - self._done))
        best = self._figure(self._best[0]) if self._done else None
        self._deadline.report(self._done, self._restarts, best, min(rest, default=None), now=now)

    def _work(self) -> None:
        """Take batches and run them until there are none; each thread learns how many fit into one."""
        trial, best = make_trial(self._space), np.zeros(len(self._space.squared), dtype=np.int64)
        size, no_trace = 1, np.zeros(0)
        while batch := self._take(size):
            values, steps = np.empty(len(batch)), np.zeros(len(batch), dtype=np.int64)
            start = time.perf_counter()
            number = self._first + batch.start
            done = run_restarts(self._space, trial, self._seed, number, self._stop, values, steps, best, no_trace)
            self._keep(batch.start, values[:done], steps[:done], best)
            if done < len(batch):
                return
            size = max(1, int(len(batch) * BATCH_SECONDS / (time.perf_counter() - start + 1e-6)))

    def _take(self, size: int) -> range:
        with self._lock:
            first = self._dealt
            if self._stop[0]:
                return range(0)
            fair = -(-(self._restarts - first) // (2 * self._threads))
            self._dealt += min(size, fair)
            return range(first, self._dealt)

    def _keep(self, first: int, values: FloatArray, steps: IntArray, best: IntArray) -> None:
        """Take the results of a batch in; of two equal values the earlier restart counts."""
        with self._lock:
            self._done += len(values)
            self._iterations += int(steps.sum())
            if not len(values):
                return
            self._values[first : first + len(values)] = values
            for place in np.flatnonzero(values < self._best[0]):
                if values[place] < self._best[0]:
                    self._note(first + int(place), float(values[place]))
            lowest = int(values.argmin())
            if (values[lowest], first + lowest) <= self._best:
                self._best = (float(values[lowest]), first + lowest)
                self._assignment = best.copy()

    def _note(self, restart: int, value: float) -> None:
        self._best = (value, restart)
        self._history.append(Improvement(self._deadline.seconds, self._first + restart, self._figure(value)))
