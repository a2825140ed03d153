"""The answer after an erasure: sent once neither the database's files nor this process has the erased bytes."""

from __future__ import annotations

import threading

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool

from app.bounded_cache import clear_caches
from app.config import MEBIBYTE
from app.db.erased_bytes import overwrite_erased
from app.web.after_transaction import AfterTransaction
from app.web.deps import get_settings

LARGEST_AT_ONCE = 256 * MEBIBYTE
"""A larger file is written anew after the answer: nobody waits minutes for a page."""


def answer_erased(request: Request, answer: Response) -> Response:
    """Return the answer, sent when the files are written anew."""
    settings = get_settings(request)

    async def build() -> Response:
        clear_caches()
        if settings.is_sqlite and settings.sqlite_path.stat().st_size > LARGEST_AT_ONCE:
            threading.Thread(target=overwrite_erased, args=(settings.sqlite_path,), name="overwriting").start()
        elif settings.is_sqlite:
            await run_in_threadpool(overwrite_erased, settings.sqlite_path)
        return answer

    return AfterTransaction(build)
