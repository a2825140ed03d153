"""The bytes of erased rows: SQLite keeps them in its files until these are rewritten, PostgreSQL removes them itself.

`user_version` in the header of the file counts the erasures of which some may be left. It is written with the erasure,
in one transaction.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

from sqlalchemy.orm import Session

BUSY_SECONDS = 60.0
CLEAN = 0
_one_at_a_time = threading.Lock()


def note_erasure(session: Session) -> None:
    """Note that erased bytes are left in the file once this transaction has ended."""
    connection = session.connection()
    if connection.dialect.name == "sqlite":
        erasures = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
        connection.exec_driver_sql(f"PRAGMA user_version={int(erasures) + 1}").close()


def overwrite_erased(database: Path) -> bool:
    """Rewrite the file without what was erased and empty its log; return whether that was needed.

    Writers wait meanwhile, readers do not. Of several who ask at once the first does it for all.
    """
    with _one_at_a_time, closing(sqlite3.connect(database, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
        erasures = _count_erasures(connection)
        if erasures == CLEAN:
            return False
        connection.execute("VACUUM")
        if _empty_log(connection):
            _note_clean(connection, erasures)
            _empty_log(connection)
    return True


def _count_erasures(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _note_clean(connection: sqlite3.Connection, erasures: int) -> None:
    """Note that nothing is left, unless more was erased meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    if _count_erasures(connection) == erasures:
        connection.execute(f"PRAGMA user_version={CLEAN}")  # a number of ours
    connection.execute("COMMIT")


def _empty_log(connection: sqlite3.Connection) -> bool:
    """Move what is in the log into the file; false while somebody reads an earlier moment, to be tried again later."""
    busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy
