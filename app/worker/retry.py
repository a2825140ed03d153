"""Writing to a database that may be unavailable for a while."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from app.db.session import Sessions, transaction
from app.logs import logger

Value = TypeVar("Value")
WAITS = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0)
log = logger(__name__)


def retry(sessions: Sessions, act: Callable[[Session], Value]) -> Value:
    """Act in a transaction of its own; try again some times while the database is unavailable or locked."""
    for wait in WAITS:
        try:
            with transaction(sessions) as session:
                return act(session)
        except OperationalError as error:
            log.warning("database unavailable, retrying", error=type(error.orig).__name__, seconds=wait)
            time.sleep(wait)
    with transaction(sessions) as session:
        return act(session)
