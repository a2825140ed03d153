"""Metrics of a worker, on a port of its own if CONVIVE_WORKER_METRICS_PORT names one."""

from __future__ import annotations

from prometheus_client import REGISTRY, Counter, Gauge, Histogram, start_http_server
from sqlalchemy import Engine

from app.config import Settings
from app.logs import logger
from app.process_metrics import ProcessMetrics

BUCKETS = (0.1, 0.3, 1, 3, 5, 10, 30, 60, 120, 300, 600, 1800, 3600)
OUTCOMES = Counter("convive_worker_runs_total", "Runs and shards this worker has started", ["kind", "outcome"])
SECONDS = Histogram(
    "convive_worker_solve_seconds", "Time from start to end of a run or shard", ["kind"], buckets=BUCKETS
)
BUSY = Gauge("convive_worker_busy", "Runs and shards this worker is solving", ["kind"])
log = logger(__name__)


def serve_metrics(settings: Settings, engine: Engine) -> None:
    """Answer Prometheus, if a port is set; a port in use is no reason not to solve."""
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
