"""The time limit of one solve, with its stages, progress reports and the request to stop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import replace
from typing import Generic, TypeVar

from app.solver.problem import IntArray
from app.solver.result import OnProgress, Progress, Result, ShouldStop, ignore_progress, never_stop

REPORT_SECONDS = 0.15
POLL_SECONDS = 0.05

Value = TypeVar("Value")


def no_look() -> None:
    """Do nothing."""


class Stopped(Exception):
    """The solve was stopped before it had a plan."""


class Deadline:
    """Counts the seconds of a solve, from the moment it is created or the `spent` seconds before."""

    clock: Callable[[], float] = staticmethod(time.perf_counter)
    """Seconds since any moment; benchmarks count processor time, which other programs do not change."""

    def __init__(
        self,
        time_limit: float | None = None,
        on_progress: OnProgress = ignore_progress,
        should_stop: ShouldStop = never_stop,
        spent: float = 0.0,
    ) -> None:
        self.time_limit = time_limit
        self.stopped = False
        self.seconds_by_stage: dict[str, float] = {"start": spent} if spent else {}
        self._on_progress, self._should_stop = on_progress, should_stop
        self._start, self._reported, self._stage = self.clock() - spent, -REPORT_SECONDS, ""

    @property
    def seconds(self) -> float:
        """The seconds since the start."""
        return self.clock() - self._start

    @property
    def seconds_left(self) -> float | None:
        """The seconds until the time limit, or None without one."""
        return None if self.time_limit is None else max(self.time_limit - self.seconds, 0.0)

    @property
    def is_time_up(self) -> bool:
        """Whether the time limit has passed."""
        return self.seconds_left == 0.0

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count what happens inside as one stage."""
        self._stage, before = name, self.seconds
        try:
            yield
        finally:
            self.seconds_by_stage[name] = self.seconds_by_stage.get(name, 0.0) + self.seconds - before

    def exclude(self, stage: str) -> None:
        """Leave as much time as if this stage had taken none."""
        if self.time_limit is not None:
            self.time_limit += self.seconds_by_stage[stage]

    def is_stopped(self) -> bool:
        """Return whether to stop; once true, it stays true."""
        self.stopped = self.stopped or self._should_stop()
        return self.stopped

    def report(
        self,
        done: int = 0,
        restarts: int = 0,
        best: float | None = None,
        left: float | None = None,
        *,
        now: bool = False,
        seating: IntArray | None = None,
    ) -> None:
        """Report progress if the last report is long enough ago, or `now`."""
        seconds = self.seconds
        if now or seconds - self._reported >= REPORT_SECONDS:
            self._reported = seconds
            self._on_progress(Progress(self._stage, done, restarts, best, seconds, left, seating))

    def with_times(self, result: Result) -> Result:
        """Return the result with the seconds that the solve took until now."""
        return replace(result, seconds=self.seconds, seconds_by_stage=dict(self.seconds_by_stage))

    def run_in_thread(
        self, step: Callable[[], Value], patience: float = 0.0, look: Callable[[], None] = no_look
    ) -> Value:
        """Run a step that cannot be interrupted in a thread of its own, and abandon it when stopped.

        It then has `patience` seconds to come to its end. `look` is called now and then until it is over or abandoned.
        """
        if not patience and self.is_stopped():
            raise Stopped
        thread = _StepThread(step)
        thread.start()
        while thread.is_alive():
            is_stopped = self.is_stopped()
            look()
            if is_stopped:
                thread.join(patience)
                if thread.is_alive():
                    raise Stopped
                break
            self.report(left=None if self._stage == "compile" else self.seconds_left)  # that takes no time from it
            thread.join(POLL_SECONDS)
        return thread.result()


def wait_for(tasks: Sequence[Future[Value]], look: Callable[[], None], end: Callable[[], None]) -> list[Value]:
    """Look after kernels in other threads until all are done; end them if that is interrupted, or they would go on."""
    try:
        while wait(tasks, timeout=POLL_SECONDS).not_done:
            look()
    except BaseException:
        end()
        raise
    return [task.result() for task in tasks]


class _StepThread(threading.Thread, Generic[Value]):
    """A thread that keeps what its step returned or raised; a daemon, so that it never holds the process."""

    def __init__(self, step: Callable[[], Value]) -> None:
        super().__init__(daemon=True)
        self._step = step
        self._values: list[Value] = []
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._values.append(self._step())
        except BaseException as error:
            self._error = error

    def result(self) -> Value:
        """Return what the step returned, or raise what it raised."""
        if self._error is not None:
            raise self._error
        return self._values[0]
