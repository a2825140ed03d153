"""The answer after an erasure: sent once neither the database's files nor this process has the erased bytes."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool

from app.bounded_cache import clear_caches
from app.config import MEBIBYTE
from app.db.erased_bytes import overwrite_erased
from app.logs import logger
from app.web.after_transaction import AfterTransaction
from app.web.deps import get_settings

LARGEST_AT_ONCE = 256 * MEBIBYTE
"""A larger file is written anew after the answer: nobody waits minutes for a page."""
log = logger(__name__)


def answer_erased(request: Request, answer: Response) -> Response:
    """Return the answer, sent when the files are written anew."""
    settings = get_settings(request)

    async def build() -> Response:
        clear_caches()
        if settings.is_sqlite and settings.sqlite_path.stat().st_size > LARGEST_AT_ONCE:
            threading.Thread(target=_overwrite, args=(settings.sqlite_path,), name="overwriting").start()
        elif settings.is_sqlite:
            await run_in_threadpool(_overwrite, settings.sqlite_path)
        return answer

    return AfterTransaction(build)


def _overwrite(database: Path) -> None:
    """Write the file anew. Where that fails the erasure itself is stored, and a worker tries again."""
    try:
        overwrite_erased(database)
    except sqlite3.Error as error:
        log.warning("could not overwrite erased data, will retry", error=type(error).__name__)
