"""What /metrics reads when Prometheus asks: the runs of the installation, and the requests that wait."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from app.admin.all_runs import Figures
from app.web.server.admission import Doors


@dataclass(frozen=True, eq=False)  # registries keep collectors by identity
class RunMetrics(Collector):
    """How many runs wait, run and ended, how long they take, and how many workers there are."""

    figures: Figures

    def collect(self) -> Iterator[Metric]:
        figures = self.figures
        workers = 1 if figures.workers is None else figures.workers
        yield _by_status("convive_runs", "Runs in the database", figures.by_status)
        yield GaugeMetricFamily(
            "convive_longest_wait_seconds",
            "Longest time a run has been waiting",
            figures.longest_wait_seconds,
        )
        yield GaugeMetricFamily(
            "convive_workers", "Workers with a recent heartbeat; with SQLite the server runs its own", workers
        )
        yield GaugeMetricFamily("convive_silent_runs", "Running, but without a recent heartbeat", figures.silent)
        yield from self._finished()

    def _finished(self) -> Iterator[Metric]:
        """Yield gauges over the last hour: a counter would fall when old runs are deleted."""
        lately = self.figures.finished_lately
        counts = {status: one.count for status, one in lately.items()}
        mean = {status: one.seconds / one.count for status, one in lately.items()}
        longest = {status: one.longest for status, one in lately.items()}
        yield _by_status("convive_finished_runs_1h", "Runs that ended in the last hour", counts)
        yield _by_status("convive_mean_run_seconds_1h", "Mean run time in the last hour", mean)
        yield _by_status("convive_longest_run_seconds_1h", "Longest run time in the last hour", longest)


@dataclass(frozen=True, eq=False)  # registries keep collectors by identity
class DoorMetrics(Collector):
    """How many requests of this process work on the database, and how many wait for their turn."""

    doors: Doors

    def collect(self) -> Iterator[Metric]:
        """Count them now; on PostgreSQL readers and writers pass the same door."""
        doors = {"read": self.doors.readers}
        if self.doors.writers is not self.doors.readers:
            doors["write"] = self.doors.writers
        working = GaugeMetricFamily("convive_requests_working", "Requests using the database", labels=["door"])
        waiting = GaugeMetricFamily("convive_requests_waiting", "Requests waiting to be admitted", labels=["door"])
        for name, door in doors.items():
            working.add_metric([name], door.admitted)
            waiting.add_metric([name], door.waiting)
        yield from (working, waiting)


def _by_status(name: str, meaning: str, values: dict[str, int] | dict[str, float]) -> Metric:
    family = GaugeMetricFamily(name, meaning, labels=["status"])
    for status, value in values.items():
        family.add_metric([status], value)
    return family
