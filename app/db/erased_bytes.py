"""The bytes of erased rows: SQLite leaves them in its files until these are written anew, PostgreSQL sees to it itself.

`user_version` in the header of the file says that some may be left. It is written with the erasure, in one transaction.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy.orm import Session

BUSY_SECONDS = 60.0
LEFT, CLEAN = 1, 0


def note_erasure(session: Session) -> None:
    """Note that erased bytes are left in the file once this transaction has ended."""
    connection = session.connection()
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA user_version={LEFT}").close()


def overwrite_erased(database: Path) -> bool:
    """Write the file anew without what was erased and empty its log; tell whether that was needed.

    Writers wait meanwhile, readers do not.
    """
    with closing(sqlite3.connect(database, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
        if connection.execute("PRAGMA user_version").fetchone() != (LEFT,):
            return False
        connection.execute("VACUUM")
        if _empty_log(connection):
            connection.execute(f"PRAGMA user_version={CLEAN}")
            _empty_log(connection)
    return True


def _empty_log(connection: sqlite3.Connection) -> bool:
    """Move what is in the log into the file; false while somebody reads an earlier moment, to be tried again later."""
    busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy
