"""The worker beside SQLite: takes runs one after the other, until it is stopped."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from types import FrameType
from typing import Protocol

from filelock import FileLock, Timeout
from sqlalchemy.exc import OperationalError

from app.config import Settings
from app.db.session import Sessions, make_engine, make_sessions, transaction
from app.logs import logger
from app.runs.interruptions import requeue_running
from app.runs.lanes import LANES, Lane
from app.runs.leases import find_waiting
from app.runs.queue import NullQueue
from app.runs.queues.embedded import lock_path
from app.runs.solver_readiness import can_begin
from app.worker.compilers import Preparation
from app.worker.execute_shard import execute
from app.worker.leased_work import WorkerContext
from app.worker.measure_progress import start_measuring
from app.worker.preparation import prepare_worker
from app.worker.report import report_start
from app.worker.retention_loop import start_retention

POLL_SECONDS = 1.0
RETRY_SECONDS = 1.0
GRACE_SECONDS = 3.0
IDLE_GRACE_SECONDS = 0.5  # to end in order; compiling is not waited for
BESIDE: tuple[Lane, ...] = ("long", "questions")  # lanes with a thread of their own; the first thread has "short"
log = logger(__name__)


class Stoppable(Protocol):
    """A worker as a signal sees it."""

    stopping: threading.Event

    @property
    def is_solving(self) -> bool:
        """Whether there is something to hand back."""

    def work(self) -> None:
        """Take runs until stopped."""

    def stop(self) -> None:
        """End soon, and hand back what is being solved."""


class Worker:
    """A loop for each lane: nobody waits for a short run or for questions behind a long run."""

    def __init__(self, sessions: Sessions, max_attempts: int) -> None:
        self._awake: dict[Lane, threading.Event] = {lane: threading.Event() for lane in LANES}
        self.stopping = threading.Event()
        self._busy: set[Lane] = set()
        self._is_broken = False
        self._sessions, self._context = sessions, WorkerContext(sessions, max_attempts, self.stopping.is_set)
        self._preparation = Preparation(on_ready=self.wake)

    def wake(self) -> None:
        for awake in self._awake.values():
            awake.set()

    def stop(self) -> None:
        self.stopping.set()
        self.wake()

    @property
    def is_solving(self) -> bool:
        return bool(self._busy)

    def work(self) -> None:
        """Take runs until stopped, each as soon as the solver is ready for it."""
        beside = [threading.Thread(target=self._work_in, args=(lane,), name=lane, daemon=True) for lane in BESIDE]
        for lane in beside:
            lane.start()
        prepare_worker(self._preparation, self._sessions, self.stopping)
        while not self.stopping.is_set() and not self._is_broken:
            if not self._work_once("short"):
                self._rest("short")
        if self.stopping.is_set():
            for lane in beside:
                lane.join()  # it hands back what it solves; whoever waits for this thread does not wait for ever

    def _work_in(self, lane: Lane) -> None:
        try:
            while not self.stopping.is_set():
                if not self._work_once(lane):
                    self._rest(lane)
        except Exception as error:
            # Without this lane its runs would wait for ever: the process ends, and is started again.
            log.error("unhandled exception in a lane", lane=lane, exc_info=error)
            self._is_broken = True

    def _rest(self, lane: Lane) -> None:
        self._awake[lane].wait(POLL_SECONDS)
        self._awake[lane].clear()

    def _work_once(self, lane: Lane) -> bool:
        try:
            with transaction(self._sessions, read_only=True) as session:
                among = None if self._preparation.is_over else can_begin(self._preparation.ready)
                ticket = find_waiting(session, lane, among)
            if ticket is None:
                return False
            self._busy.add(lane)
            execute(self._context, ticket)
        except OperationalError as error:
            log.warning("database unavailable, retrying", error=type(error.orig).__name__)
            self.stopping.wait(RETRY_SECONDS)
        finally:
            self._busy.discard(lane)
        return True


def work_for_server(settings: Settings) -> None:
    """Be the one worker of a server on SQLite: woken over stdin, gone when that ends."""
    sessions = make_sessions(make_engine(settings.database))
    worker = Worker(sessions, settings.max_attempts)
    threading.Thread(target=_listen, args=(worker,), name="stdin", daemon=True).start()
    lock = FileLock(lock_path(settings))
    if _wait_for(lock, worker.stopping):
        with transaction(sessions) as session:
            requeue_running(session)
        report_start(settings, sessions)
        start_retention(settings, sessions, worker.stopping)
        start_measuring(sessions, NullQueue(), worker.stopping)  # this worker looks for runs by itself
        work_until_stopped(worker)


def _listen(worker: Worker) -> None:
    for _ in sys.stdin.buffer:
        worker.wake()
    worker.stop()


def _wait_for(lock: FileLock, stopping: threading.Event) -> bool:
    """Wait until the worker before this one is gone; false when it is stopped meanwhile."""
    while not stopping.is_set():
        try:
            lock.acquire(timeout=0.5)
        except Timeout:
            continue
        return True
    return False


def work_until_stopped(worker: Stoppable) -> None:
    """Solve in a second thread, so that a signal is heard at once even in the middle of a long step."""

    def stop(number: int, frame: FrameType | None) -> None:
        worker.stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, stop)
    thread = threading.Thread(target=worker.work, name="solver", daemon=True)
    thread.start()
    while thread.is_alive() and not worker.stopping.wait(1.0):
        pass
    thread.join(GRACE_SECONDS if worker.is_solving else IDLE_GRACE_SECONDS)
    logging.shutdown()
    # A step that cannot be interrupted must not hold the process; its run is handed back already.
    os._exit(0 if worker.stopping.is_set() else 1)
