"""Getting the kernels ready: compiled once on each machine, loaded from disk ever after."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np

from app.config import OWN_COMMAND
from app.logs import logger
from app.solver import (
    Method,
    Problem,
    Table,
    as_known,
    find_good_plans,
    group_and_party_defaults,
    infer_deeply,
    repair_curve,
    solve,
)
from app.worker.low_priority import at_low_priority

Kernels = Method | Literal["questions", "careful"]
LOADING_SECONDS = 6.0  # of this process's time on a processor; loading takes less on any machine, however busy
IDLE_SECONDS = 30.0
LATER_SECONDS = 3.0  # of rest, before what a first run does not need is loaded: pages go first after a start
log = logger(__name__)


def warm_up(method: Kernels) -> None:
    """Compile or load the kernels of a method with a tiny solve, so that the first run is quick."""
    scores = np.random.default_rng(1).integers(-2, 3, (8, 8)).astype(float)
    problem = Problem(scores, (Table(4, 4), Table(4, 3)))
    try:
        if method == "questions":
            _choose_questions(problem)
        elif method == "careful":
            _solve_with_care(problem)
        else:
            solve(problem, method=method, restarts=2, time_limit=0.2, seed=1)
    except Exception:
        log.exception("warm-up failed; the first run will be slower", method=method)


def _choose_questions(problem: Problem) -> None:
    known = as_known(8, [(0, 1), (2, 3)], [1.0, -1.0], np.ones((8, 1)), [[1.0]], [(4, 5)])
    inference = infer_deeply(known, burn=1, keep=2)
    find_good_plans(problem, inference, group_and_party_defaults(known).values, count=1)


def _solve_with_care(problem: Problem) -> None:
    """Weigh guests left alone, and repair."""
    solve(replace(problem, fairness=0.5), restarts=2, time_limit=0.2)
    repair_curve(replace(problem, previous=(0, 0, 0, 0, 1, 1, 1, 1)), restarts=1)


class SecondCompiler:
    """Compiles the kernels of one more method in a process of its own, while this process compiles other ones.

    It begins only when the first solve takes so much work that the kernels cannot have been on disk. Numba compiles one
    kernel at a time in a process, so this saves a third of the wait on a machine that has never solved before.
    """

    def __init__(self, method: Method) -> None:
        self._method = method
        self._process: subprocess.Popen[bytes] | None = None
        self._left = threading.Event()
        threading.Thread(target=self._watch, name="second compiler", daemon=True).start()

    def leave(self) -> None:
        """Do not begin any more: the kernels are there."""
        self._left.set()

    def _watch(self) -> None:
        latest = time.process_time() + LOADING_SECONDS
        while time.process_time() < latest:
            if self._left.wait(0.5):
                return
        self._process = _compile_beside(self._method)


def compile_when_idle(method: Kernels, is_busy: Callable[[], bool], stopping: threading.Event) -> None:
    """Compile what few runs ask for in a process beside this worker, as soon as it has nothing to do for a while."""

    def compile_once() -> None:
        while not stopping.wait(IDLE_SECONDS):
            if not is_busy():
                _compile_beside(method).wait()
                return

    threading.Thread(target=compile_once, name="compiler", daemon=True).start()


def _compile_beside(method: Kernels) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*OWN_COMMAND, "worker", "--warm-up", method], stdin=subprocess.PIPE)  # noqa: S603  our own command


def warm_up_for_worker(method: Kernels) -> None:
    """Compile beside a worker, and be gone with it: its end closes our stdin."""
    threading.Thread(target=_follow_stdin, name="stdin", daemon=True).start()
    at_low_priority(lambda: warm_up(method))
    os._exit(0)  # the thread that reads stdin would make an orderly end a fatal error


def _follow_stdin() -> None:
    sys.stdin.buffer.read()
    os._exit(0)
