"""What a worker logs while the database is unavailable: few lines, without tracebacks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import structlog
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from app.db.conditions import RunRequest
from app.db.session import Sessions
from app.runs.progress import RunProgress
from app.worker.heartbeat import Heartbeat
from app.worker.procrastinate_worker import log_queue_failure
from app.worker.progress_tracker import Tracker
from tests.loops import in_a_loop


def test_unavailable_database_is_logged_once_and_so_is_its_return(sessions: Sessions) -> None:
    answers: Iterator[RunRequest | None] = iter(["", None])
    failures = iter(range(2))

    def renew(session: Session, progress: RunProgress | None) -> RunRequest | None:
        if next(failures, None) is not None:
            raise OperationalError("UPDATE", {}, Exception("server closed the connection"))
        return next(answers)

    beat = Heartbeat(sessions, Tracker(), renew=renew, give_back=lambda _: True, is_stopping=lambda: False)
    with structlog.testing.capture_logs() as lines:
        beat.run()  # here and not in a thread: it ends when the lease is lost
    assert [(line["log_level"], line["event"]) for line in lines] == [
        ("warning", "could not save run progress, retrying"),
        ("info", "saving run progress again"),
    ]


def test_tasks_of_the_queue_that_fail_while_it_ends_are_one_line_each() -> None:
    tasks: list[asyncio.Task[None]] = []  # kept from the collector

    async def fail_when_cancelled() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            raise ConnectionError

    async def serve() -> None:
        asyncio.get_running_loop().set_exception_handler(log_queue_failure)
        tasks.append(asyncio.create_task(fail_when_cancelled()))
        await asyncio.sleep(0)

    with structlog.testing.capture_logs() as lines:
        in_a_loop(serve)
    assert lines == [{"event": "a task of the queue ended", "error": "ConnectionError", "log_level": "info"}]
