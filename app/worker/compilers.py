"""Compiling the solver's kernels in processes beside this one, with low priority: they end when this one ends."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress

from app.config import OWN_COMMAND
from app.logs import logger
from app.solver import NEEDS, Need, Part, count_cores, parts_for

MOST_PROCESSES = 4
"""More have nothing to do: the largest parts take longer than all others together on so many."""
NICENESS = 5  # more than the worker has: pages and what it solves come first
LOOK_SECONDS = 0.5
MOST_STARTS = 3
"""How often the processes are started; after that a run compiles what it needs itself."""
log = logger(__name__)


class Preparation:
    """Which parts of the solver this process has loaded; others are compiled until all are there.

    `has_looked` is set when all that was on disk at the start is loaded.
    """

    def __init__(self, needs: tuple[Need, ...] = NEEDS, on_ready: Callable[[], None] = lambda: None) -> None:
        self._needs, self._parts, self._on_ready = needs, parts_for(needs), on_ready
        self._left = list(self._parts)
        self.has_looked = threading.Event()

    @property
    def is_over(self) -> bool:
        return not self._left

    @property
    def ready(self) -> list[Need]:
        """What can begin now."""
        left = tuple(self._left)
        return [need for need in self._needs if not any(need in part.needs for part in left)]

    def count_for(self, need: Need) -> tuple[int, int]:
        """Return how many of the parts for this are ready, and how many there are."""
        parts = parts_for((need,))
        return sum(part not in self._left for part in parts), len(parts)

    def count(self) -> tuple[int, int]:
        """Return how many of all parts are ready, and how many there are."""
        return len(self._parts) - len(self._left), len(self._parts)

    def load(self) -> bool:
        """Load what is on disk by now; return whether that was all."""
        for part in tuple(self._left):
            if _is_ready(part):
                self._left.remove(part)
                self._on_ready()
        self.has_looked.set()
        return not self._left

    def compile(self) -> Iterator[None]:
        """Load everything, and compile beside this process what is not on disk; yields now and then."""
        if self.load():
            return
        for _ in range(MOST_STARTS):
            compilers = Compilers(self._needs)
            try:
                while compilers.are_running:
                    yield
                    time.sleep(LOOK_SECONDS)
                    if self.load():
                        return
            finally:
                compilers.stop()
            if self.load():
                return
        log.warning("the solver could not be prepared; the first runs compile what they need", left=len(self._left))
        self._left.clear()
        self._on_ready()


def _is_ready(part: Part) -> bool:
    try:
        return part.is_ready()
    except Exception:
        log.exception("could not load a part of the solver", part=part.name)
        return True  # a run that needs it says more


class Compilers:
    """Compile the parts that some needs have, each part in one of several processes: numba uses one core."""

    def __init__(self, needs: Collection[Need]) -> None:
        command = [*OWN_COMMAND, "worker", "--compile", ",".join(needs)]
        priority = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)  # Windows has no niceness
        self._processes: list[subprocess.Popen[bytes]] = []
        try:
            for _ in range(min(count_cores(), MOST_PROCESSES)):
                process = subprocess.Popen(  # noqa: S603  our own command
                    command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, creationflags=priority
                )
                self._processes.append(process)
        except OSError as error:  # no memory or no process number is left: those that have started do it all
            log.warning("could not start a process that compiles", error=type(error).__name__)

    @property
    def are_running(self) -> bool:
        return any(process.poll() is None for process in self._processes)

    def stop(self) -> None:
        """End them at once, as the end of this process would."""
        for process in self._processes:
            if process.stdin is not None:
                with suppress(OSError):
                    process.stdin.close()
        for process in self._processes:
            process.wait()


def compile_beside(needs: Collection[str]) -> None:
    """Be one of the processes: compile what nobody else is compiling, and end when our stdin does."""
    threading.Thread(target=_follow_stdin, name="stdin", daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    left = parts_for(needs)
    while left:
        # Other processes take those that come next; what they leave unfinished comes round again.
        before, left = left, [part for part in left if not part.compile()]
        if left == before:
            time.sleep(LOOK_SECONDS)
    os._exit(0)  # the thread that reads stdin would make an orderly end a fatal error


def _follow_stdin() -> None:
    sys.stdin.buffer.read()
    os._exit(0)
