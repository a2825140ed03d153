"""What a worker reports in its log and metrics: its start, and one line for each run. Never what people entered."""

from __future__ import annotations

import os
import platform
import socket
import time
from collections.abc import Callable
from typing import Any, TypeVar
from uuid import UUID

from prometheus_client import REGISTRY, Counter, Gauge, Histogram, start_http_server
from sqlalchemy import Engine, select
from sqlalchemy.exc import SQLAlchemyError

from app import __version__
from app.config import Settings
from app.db.models import Run
from app.db.session import Sessions, transaction
from app.logs import logger
from app.process_metrics import ProcessMetrics
from app.runs.failure_messages import reason_code
from app.solver import count_cores

HOST = socket.gethostname()
Outcome = TypeVar("Outcome", bound=str)
BUCKETS = (0.1, 0.3, 1, 3, 5, 10, 30, 60, 120, 300, 600, 1800, 3600)
OUTCOMES = Counter("convive_worker_runs_total", "Runs and shards this worker has started", ["kind", "outcome"])
SECONDS = Histogram(
    "convive_worker_solve_seconds", "Time from start to end of a run or shard", ["kind"], buckets=BUCKETS
)
BUSY = Gauge("convive_worker_busy", "Runs and shards this worker is solving", ["kind"])
log = logger(__name__)


def report_start(settings: Settings, sessions: Sessions) -> None:
    """Log that this worker starts and what it is, and serve its metrics if a port is set."""
    engine = _engine_of(sessions)
    log.info(
        "worker started",
        host=HOST,
        pid=os.getpid(),
        version=__version__,
        python=platform.python_version(),
        cores=count_cores(),
        database=engine.dialect.name,
        max_attempts=settings.max_attempts,
    )
    _serve_metrics(settings, engine)


def _serve_metrics(settings: Settings, engine: Engine) -> None:
    """Answer Prometheus, if a port is set; if the port is in use, solving goes on without."""
    port = settings.worker_metrics_port
    if not port:
        return
    try:
        start_http_server(port, addr=settings.worker_metrics_host)
    except OSError as error:
        log.error("cannot serve the worker's metrics", port=port, error=error.strerror)
        return
    REGISTRY.register(ProcessMetrics(engine, settings.data_dir))
    log.info("serving the worker's metrics", host=settings.worker_metrics_host, port=port)


def report_run(sessions: Sessions, run_id: UUID, kind: str, work: Callable[[], Outcome], **more: Any) -> Outcome:
    """Do the work of a run or of a shard, then log and count what came of it."""
    started = time.monotonic()
    outcome: str = "interrupted"  # by an error that is not the run's: the lease runs out, and it is taken up again
    with BUSY.labels(kind).track_inprogress():
        try:
            result = work()
            outcome = result
        finally:
            seconds = time.monotonic() - started
            OUTCOMES.labels(kind, outcome).inc()
            SECONDS.labels(kind).observe(seconds)
            if outcome == "failed":
                more["reason"] = _reason(sessions, run_id)
            log.info(kind, run=str(run_id), outcome=outcome, seconds=round(seconds, 3), host=HOST, **more)
    return result


def _reason(sessions: Sessions, run_id: UUID) -> str:
    """Return a fixed word for why a run failed: the message for people may name guests."""
    try:
        with transaction(sessions, read_only=True) as session:
            return reason_code(session.scalar(select(Run.error).where(Run.id == run_id)))
    except SQLAlchemyError:
        return "unknown"


def _engine_of(sessions: Sessions) -> Engine:
    engine = sessions.kw["bind"]
    if not isinstance(engine, Engine):
        raise TypeError("a worker needs sessions that are bound to an engine")
    return engine
