"""convive worker."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from types import FrameType
from typing import Annotated

import typer

from app.cli.common import PATIENCE, open_database, read_settings, refuse

NICENESS = 2
Embedded = Annotated[
    bool, typer.Option("--embedded", hidden=True, help="Internal: work for the server connected to stdin.")
]
Compile = Annotated[
    str, typer.Option("--compile", hidden=True, help="Internal: compile the solver for the process at stdin.")
]


def worker(embedded: Embedded = False, compile_for: Compile = "") -> None:
    """Start one more worker that solves runs. Needs PostgreSQL."""
    settings = read_settings()
    if settings.is_sqlite and not (embedded or compile_for):
        refuse("With SQLite, “convive serve” runs its own worker. Set CONVIVE_DATABASE_URL=postgresql://… to run more.")
    if embedded or compile_for:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal reaches the server, which passes it on
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICENESS)  # pages come first; solving lowers its priority further; Windows has no such call
    if compile_for:
        from app.worker.compilers import compile_beside

        compile_beside(compile_for.split(","))
    elif embedded:
        from app.worker.embedded_worker import work_for_server

        work_for_server(settings)
    else:
        signal.signal(signal.SIGTERM, _leave)  # until the solver is loaded and can hand back what it has
        from app.worker.procrastinate_worker import work_from_queue

        work_from_queue(settings, open_database(settings, PATIENCE))


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(0)
