"""Metrics about a process itself, for Prometheus: the same for servers and workers."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy import Engine
from sqlalchemy.pool import QueuePool

from app import __version__


@dataclass(frozen=True, eq=False)  # registries keep collectors by identity
class ProcessMetrics(Collector):
    """Version, database connections and disk; the memory comes from prometheus_client's own collector on Linux."""

    engine: Engine
    data_dir: Path

    def describe(self) -> Iterator[Metric]:
        """Name nothing in advance: registering must not read the disk."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        yield _build_info(self.engine.dialect.name)
        yield from _connections(self.engine)
        free = free_bytes(self.data_dir)
        if free is not None:
            yield GaugeMetricFamily("convive_disk_free_bytes", "Free disk space for the data folder", value=free)


def free_bytes(folder: Path) -> int | None:
    """Return how much space is left where the folder is; None if there is no such folder."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def _build_info(database: str) -> Metric:
    family = GaugeMetricFamily(
        "convive_build_info", "Always 1; the labels identify the version", labels=["version", "python", "database"]
    )
    family.add_metric([__version__, platform.python_version(), database], 1)
    return family


def _connections(engine: Engine) -> Iterator[Metric]:
    pool = engine.pool
    if not isinstance(pool, QueuePool):
        return
    family = GaugeMetricFamily(
        "convive_database_connections", "Database connections in use by this process", labels=["state"]
    )
    family.add_metric(["in_use"], pool.checkedout())
    family.add_metric(["idle"], pool.checkedin())
    yield family
    yield GaugeMetricFamily(
        "convive_database_connections_limit", "Maximum database connections of this process", value=pool.size()
    )
