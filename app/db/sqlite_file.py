"""The file of a SQLite database as a whole: folded into one at the end, and replaced by another."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from app.db.backup_file import BESIDE, BackupError, before_restore, flush, written_whole
from app.db.failures import classify

IN_USE = "Stop “convive serve” first: it is using {}."


def hold_open(database: Path) -> sqlite3.Connection:
    """Open a connection that only shows, until it is closed, that somebody uses the database."""
    connection = sqlite3.connect(database, check_same_thread=False)
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # SQLite opens the file with the first read
    return connection


def fold(database: Path) -> None:
    """Write what is in the -wal file into the database, so that the one file is all; not while others use it."""
    with contextlib.suppress(sqlite3.Error), closing(sqlite3.connect(database, timeout=2.0)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def replace_database(database: Path, copy: Path) -> Path | None:
    """Put a complete copy in place of the database; return where the one before is kept."""
    before = database.with_name(f"{database.name}.{before_restore()}")
    if not database.exists():
        return _put_in_place(copy, database, before)
    try:
        with _alone(database) as connection:
            _keep(connection, before)
            _overwrite(connection, copy)
    except sqlite3.DatabaseError as error:
        if _is_busy(error):
            raise BackupError(IN_USE.format(database)) from None
        if classify(error) in ("full", "read-only"):
            raise
        return _put_in_place(copy, database, before)  # SQLite cannot read what is there
    return before


@contextmanager
def _alone(database: Path) -> Iterator[sqlite3.Connection]:
    """Yield the only connection; SQLite refuses to leave WAL while another one is open."""
    with closing(sqlite3.connect(database, timeout=1.0, isolation_level=None)) as connection:
        connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        connection.execute("PRAGMA journal_mode=DELETE").fetchone()
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("COMMIT")  # the lock stays until the connection is closed
        yield connection


def _is_busy(error: sqlite3.DatabaseError) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _keep(connection: sqlite3.Connection, before: Path) -> None:
    """Copy the database through the connection that has the lock.

    POSIX drops all locks of a process on a file when any descriptor of it is closed: nothing else may open it here.
    """
    with written_whole(before) as partial, closing(sqlite3.connect(partial)) as target:
        connection.backup(target)


def _overwrite(connection: sqlite3.Connection, copy: Path) -> None:
    """Copy page by page in one transaction of SQLite: after a crash, the database is as it was."""
    with closing(sqlite3.connect(copy)) as source:
        source.backup(connection)


def _put_in_place(copy: Path, database: Path, before: Path) -> Path | None:
    """Rename the copy to the database, after what is there was moved aside; return where that is."""
    moved = _move_aside(database, before)
    copy.chmod(0o600)
    flush(copy)
    copy.replace(database)
    flush(database.parent)
    return moved


def _move_aside(database: Path, before: Path) -> Path | None:
    """Move a database and the files beside it; SQLite would read a -wal or -journal that stays into the next one."""
    moved = []
    for end in reversed(("", *BESIDE)):
        with contextlib.suppress(FileNotFoundError):
            moved.append(database.with_name(database.name + end).replace(before.with_name(before.name + end)))
    return moved[-1] if moved else None
