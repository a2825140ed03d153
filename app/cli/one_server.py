"""One server for each SQLite database: a second one would start a second worker beside the first."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.common import refuse

if TYPE_CHECKING:
    from app.config import Settings


@contextlib.contextmanager
def one_server(settings: Settings) -> Iterator[None]:
    """Be the one server of a SQLite database, or say which process is; PostgreSQL takes many.

    The system drops the lock with its process, however that ends. The file stays, with the id of the last one.
    """
    if not settings.is_sqlite:
        yield
        return
    from filelock import FileLock, Timeout

    folder = settings.sqlite_path.parent
    path = folder / f"{settings.sqlite_path.name}-server.lock"
    lock = FileLock(path, mode=0o600)
    # Opening the database next reports a folder that cannot be written.
    with contextlib.suppress(OSError):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock.acquire(timeout=0)
            path.write_text(str(os.getpid()))
        except Timeout:
            other = _process_in(path)
            refuse(f"Another “convive serve”{other} is using {folder}. Stop it, or choose another --data-dir.")
    try:
        yield
    finally:
        lock.release()


def _process_in(path: Path) -> str:
    """Name the process that wrote its id there, which on Windows nobody else can read."""
    with contextlib.suppress(OSError):
        if (number := path.read_text()).isdigit():
            return f" (process {number})"
    return ""
