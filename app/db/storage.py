"""Whether the database can be written: its disk may be full, or read-only."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from app.clock import now
from app.db.failures import classify
from app.db.models import Attempt
from app.db.session import Sessions, transaction
from app.errors import ConviveError, DiskFull, ReadOnlyDatabase

LEAST_FREE = 8 * 1024 * 1024
PROBE = "write probe"
NO_ROOM = "The disk is nearly full."


def storage_error(error: BaseException) -> ConviveError | None:
    """Return what to answer when the database cannot be written; None for other errors."""
    failure = classify(error)
    if failure == "full":
        return DiskFull()
    return ReadOnlyDatabase() if failure == "read-only" else None


class Storage:
    """Remembers that a write failed, until one succeeds; looks at the disk of a SQLite file itself."""

    def __init__(self, sessions: Sessions, file: Path | None) -> None:
        self._sessions, self._file = sessions, file
        self.has_failed = False
        """Whether the last write failed because of the disk."""

    def problem_of_disk(self) -> str | None:
        """Say why nothing can be written, as far as the disk of a SQLite file tells; None if all is well."""
        if self._file is None:
            return None
        with suppress(OSError):
            if shutil.disk_usage(self._file.parent).free < LEAST_FREE:
                return NO_ROOM
        return None if os.access(self._file, os.W_OK) else ReadOnlyDatabase.__doc__

    def try_to_write(self) -> str | None:
        """Write something small; say why that failed, or None and forget the failure."""
        try:
            with transaction(self._sessions) as session:
                session.merge(Attempt(subject=PROBE, window_start=now(), count=0))
        except SQLAlchemyError as error:
            own = storage_error(error)
            return own.message if own else "Cannot write to the database."
        self.has_failed = False
        return None
