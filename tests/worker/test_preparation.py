"""Getting the solver ready never makes those wait who save something."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, event

from app.db.session import Sessions
from app.worker.compilers import Preparation
from app.worker.low_priority import NICENESS
from app.worker.preparation import prepare


def niceness() -> int:
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


class Compiling(Preparation):
    """Two steps of compiling, as at a first start."""

    compiled_at: int | None = None

    def compile(self) -> Iterator[None]:
        self.compiled_at = niceness()
        yield None
        yield None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has priorities of threads")
def test_database_is_written_at_the_priority_of_pages(sessions: Sessions) -> None:
    written_at: list[int] = []

    def note(_connection: Connection) -> None:
        written_at.append(niceness())

    engine = sessions.kw["bind"]
    event.listen(engine, "begin", note)
    compiling = Compiling(())
    try:
        prepare(compiling, sessions, threading.Event())
    finally:
        event.remove(engine, "begin", note)
    assert compiling.compiled_at == max(NICENESS, niceness())
    assert written_at == [niceness()] * 3
