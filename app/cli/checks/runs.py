"""Checks of the queue and of its workers."""

from __future__ import annotations

from collections.abc import Iterator

from filelock import FileLock, Timeout
from sqlalchemy.orm import Session

from app.admin.all_runs import Figures, measure_runs
from app.cli.checks import Finding, ok, problem, warning
from app.config import Settings
from app.runs.queues.embedded import lock_path
from app.sentences import count

LONG_WAIT_SECONDS = 300.0


def check_runs(session: Session, settings: Settings, *, is_serving: bool) -> Iterator[Finding]:
    """Look at what waits and runs, and at who could do it; with SQLite the server brings its worker."""
    figures = measure_runs(session)
    yield _check_queue(figures)
    if settings.is_sqlite:
        yield _check_own_worker(settings, is_serving)
    else:
        yield _check_workers(figures)


def _check_queue(figures: Figures) -> Finding:
    counts = figures.by_status
    message = f"{count(counts['queued'], 'run')} waiting, {counts['running']} running, {counts['failed']} failed"
    if figures.silent:
        return problem("queue", f"{message}; {count(figures.silent, 'run')} without a heartbeat from the worker.")
    if figures.longest_wait_seconds > LONG_WAIT_SECONDS:
        minutes = figures.longest_wait_seconds / 60
        return problem("queue", f"{message}; the oldest has waited for {minutes:,.0f} minutes. Add workers.")
    return ok("queue", f"{message}.")


def _check_workers(figures: Figures) -> Finding:
    if not figures.workers:
        return problem("workers", "No worker is running, so nothing is being solved. Start one: convive worker")
    return ok("workers", f"{count(figures.workers, 'worker')} running.")


def _check_own_worker(settings: Settings, is_serving: bool) -> Finding:
    if _is_locked(settings):
        return ok("workers", "The server's worker is running.")
    if is_serving:
        return warning(
            "workers",
            "The server is running, but its worker is not. It may still be starting; otherwise check the log.",
        )
    return ok("workers", "Not running. “convive serve” starts one.")


def _is_locked(settings: Settings) -> bool:
    path = lock_path(settings)
    if not path.exists():
        return False
    try:
        with FileLock(path, timeout=0):
            return False
    except (Timeout, OSError):
        return True
