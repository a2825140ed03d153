"""The answer after an erasure: sent once neither the files of the database nor this process has the erased bytes.

Where that takes long or happens often, the files follow soon after the answer.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool

from app.bounded_cache import clear_caches
from app.config import MEBIBYTE
from app.db.erased_bytes import overwrite_erased
from app.logs import logger
from app.web.after_transaction import AfterTransaction
from app.web.deps import get_settings

LARGEST_AT_ONCE, LARGEST_EACH_TIME = 256 * MEBIBYTE, 8 * MEBIBYTE
"""A file larger than the first is rewritten after the answer: nobody waits minutes for a page.

One larger than the second rests after that: writers wait meanwhile, and whoever deletes one event after the other would
stop everybody else's work.
"""
REST_SECONDS = 60.0
_written: dict[Path, float] = {}
_timers: dict[Path, threading.Timer] = {}
log = logger(__name__)


def answer_erased(request: Request, answer: Response) -> Response:
    """Return the answer, sent once the files are rewritten."""
    settings = get_settings(request)

    async def build() -> Response:
        clear_caches()
        if settings.is_sqlite:
            await _overwrite_soon(settings.sqlite_path)
        return answer

    return AfterTransaction(build)


async def _overwrite_soon(database: Path) -> None:
    """Rewrite the file before this returns, or later if people would have to wait; runs in the event loop."""
    size = database.stat().st_size
    rest = _written.get(database, -REST_SECONDS) + REST_SECONDS - time.monotonic() if size > LARGEST_EACH_TIME else 0.0
    if rest <= 0 and size <= LARGEST_AT_ONCE:
        await run_in_threadpool(_overwrite, database)
    elif database not in _timers or not _timers[database].is_alive():
        timer = _timers[database] = threading.Timer(max(0.0, rest), _overwrite, (database,))
        timer.daemon = True
        timer.start()


def _overwrite(database: Path) -> None:
    """Rewrite the file. If that fails, the erasure itself is stored, and a worker tries again."""
    _timers.pop(database, None)  # what is erased from now on needs another one
    try:
        overwrite_erased(database)
    except sqlite3.Error as error:
        log.warning("could not overwrite erased data, will retry", error=type(error).__name__)
    finally:
        _written[database] = time.monotonic()
