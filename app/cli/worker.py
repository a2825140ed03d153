"""convive worker."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import Annotated

import typer

from app.cli.common import open_database, read_settings, refuse

NICENESS = 5
Embedded = Annotated[bool, typer.Option("--embedded", hidden=True, help="Work for the server that holds stdin.")]


def worker(embedded: Embedded = False) -> None:
    """Solve runs, as one more process beside others, for a database on PostgreSQL."""
    settings = read_settings()
    if settings.is_sqlite and not embedded:
        refuse("With SQLite “convive serve” has a worker of its own. Set CONVIVE_DATABASE_URL=postgresql://… for more.")
    if embedded:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal reaches the server, which tells us
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICENESS)  # pages come first on a busy machine; Windows has no such call
    from app.jobs.worker import work_alone, work_for_server

    if embedded:
        work_for_server(settings)
    else:
        sessions, _ = open_database(settings)
        work_alone(sessions, settings.max_attempts)
