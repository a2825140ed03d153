"""The worker beside PostgreSQL: takes procrastinate's jobs, on any machine that reaches the database."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import Counter
from typing import Any
from uuid import UUID

from procrastinate import App, BaseRetryStrategy, PsycopgConnector, RetryDecision
from procrastinate.jobs import Job
from procrastinate.worker import Worker

from app.config import Settings
from app.db.session import Sessions, transaction
from app.logs import logger
from app.runs.lease_clock import STALE_AFTER
from app.runs.leases import Ticket
from app.runs.queues.procrastinate import QUEUES, TASK, ProcrastinateQueue, adopt_orphans, defer
from app.runs.solver_readiness import can_run_begin
from app.worker.compilers import Preparation
from app.worker.embedded_worker import work_until_stopped
from app.worker.execute_shard import execute
from app.worker.leased_work import WorkerContext
from app.worker.measure_progress import start_measuring
from app.worker.preparation import prepare_worker
from app.worker.report import report_start
from app.worker.retention_loop import start_retention

HEARTBEAT_SECONDS = 2.0
STALLED_SECONDS = STALE_AFTER.total_seconds()
POLL_SECONDS = 2.0  # for jobs that were postponed; PostgreSQL notifies of new ones
ABORT_SECONDS = 86_400.0  # jobs are never aborted: a run is cancelled by a column of its row
REAP_SECONDS = 2.0
BUSY_SECONDS = 2
CONNECT_SECONDS = 5.0
FIRST_PAUSE, LONGEST_PAUSE, LONG_LIFE = 0.2, 5.0, 10.0
log = logger(__name__)


class Busy(Exception):
    """Another worker holds the run, or died so lately that it may still be alive; or this one cannot solve it yet."""


class UntilItIsFree(BaseRetryStrategy):
    """Tries again while a run is busy. How often a run may be taken at all is limited in its row."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """Look again a little later; for database errors as well, since the job is not done."""
        return RetryDecision(retry_in={"seconds": BUSY_SECONDS})


class QueueWorker:
    """Runs procrastinate's worker, and restarts it whenever it ends, as it does when PostgreSQL restarts."""

    def __init__(self, address: str, sessions: Sessions, max_attempts: int) -> None:
        self._address, self._sessions = address, sessions
        self.stopping = threading.Event()
        self._busy: Counter[str] = Counter()
        self._context = WorkerContext(sessions, max_attempts, self.stopping.is_set, defer)
        self._workers: list[Worker] = []
        self._preparation = Preparation()

    @property
    def is_solving(self) -> bool:
        return bool(+self._busy)

    def stop(self) -> None:
        self.stopping.set()
        for worker in self._workers:
            worker.stop()  # type: ignore[no-untyped-call]  # procrastinate's

    def work(self) -> None:
        prepare_worker(self._preparation, self._sessions, self.stopping)
        pause = FIRST_PAUSE
        while not self.stopping.is_set():
            began = time.monotonic()
            try:
                asyncio.run(self._serve())
            except Exception as error:
                log.warning("queue unavailable, retrying", error=type(error).__name__)
            if time.monotonic() - began > LONG_LIFE:
                pause = FIRST_PAUSE
            self.stopping.wait(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    async def _serve(self) -> None:
        asyncio.get_running_loop().set_exception_handler(log_queue_failure)
        connector = PsycopgConnector(conninfo=self._address, min_size=1, max_size=6, timeout=CONNECT_SECONDS)
        app = App(connector=connector)
        app.task(name=TASK, retry=UntilItIsFree())(self._execute)
        async with app.open_async():
            self._workers = [_worker_of(app, queue) for queue in QUEUES.values()]
            reaper = asyncio.create_task(self._reap(app))
            try:
                if not self.stopping.is_set():
                    await self._serve_until_one_ends()
            finally:
                reaper.cancel()

    async def _serve_until_one_ends(self) -> None:
        """Serve both queues; when one worker ends, because PostgreSQL is away, end the other as well."""
        tasks = [asyncio.create_task(worker.run()) for worker in self._workers]  # type: ignore[no-untyped-call]  # procrastinate's
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for worker in self._workers:
            worker.stop()  # type: ignore[no-untyped-call]  # procrastinate's
        await asyncio.gather(*tasks)

    def _execute(self, run_id: str, shard: int | None) -> None:
        """Be the task: solve what the job names, or come back to it later; meanwhile another worker may take it."""
        if not self._is_ready_for(run_id):
            raise Busy
        self._busy[run_id] += 1
        try:
            outcome = execute(self._context, Ticket(UUID(run_id), shard))
        finally:
            self._busy[run_id] -= 1
        if outcome == "busy":
            raise Busy

    def _is_ready_for(self, run_id: str) -> bool:
        self._preparation.has_looked.wait()  # loading takes a second; putting the job back would take longer
        if self._preparation.is_over:
            return True
        with transaction(self._sessions, read_only=True) as session:
            return can_run_begin(session, UUID(run_id), self._preparation.ready)

    async def _reap(self, app: App) -> None:
        """Take up what dead workers left: their jobs, and runs without a job."""
        while True:
            try:
                for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=STALLED_SECONDS):
                    log.info(
                        "requeued a job whose worker had lost the database or stopped",
                        run=job.task_kwargs.get("run_id"),
                    )
                    await app.job_manager.retry_job(job)
                await asyncio.to_thread(self._adopt)
            except Exception as error:
                # Another worker was quicker, or the database is unavailable: it is looked at again, whatever it was.
                log.info("could not check for lost jobs", error=type(error).__name__)
            await asyncio.sleep(REAP_SECONDS)

    def _adopt(self) -> None:
        with transaction(self._sessions) as session:
            if adopted := adopt_orphans(session, STALLED_SECONDS):
                log.warning("requeued runs that had no job", runs=adopted)


def log_queue_failure(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log in one line what a task of the queue ended with: without PostgreSQL all of them end at once."""
    log.info("a task of the queue ended", error=type(context.get("exception")).__name__)


def _worker_of(app: App, queue: str) -> Worker:
    return Worker(
        app,
        queues=[queue],
        concurrency=1,
        delete_jobs="always",
        install_signal_handlers=False,
        fetch_job_polling_interval=POLL_SECONDS,
        abort_job_polling_interval=ABORT_SECONDS,
        update_heartbeat_interval=HEARTBEAT_SECONDS,
        stalled_worker_timeout=STALLED_SECONDS,
    )


def work_from_queue(settings: Settings, sessions: Sessions) -> None:
    """Be one of any number of workers on PostgreSQL, until a signal says stop."""
    # It logs every failed job with its traceback, even those that are retried as intended.
    logging.getLogger("procrastinate").setLevel(logging.WARNING)
    # Of a lost connection these write many lines and tracebacks; `work` and `_reap` say it in one.
    for name in ("procrastinate.utils", "psycopg.pool"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    report_start(settings, sessions)
    address = settings.database.replace("postgresql+psycopg://", "postgresql://", 1)
    worker = QueueWorker(address, sessions, settings.max_attempts)
    start_retention(settings, sessions, worker.stopping)
    start_measuring(sessions, ProcrastinateQueue(), worker.stopping)
    work_until_stopped(worker)
