"""What is wrong when the database or its disk fails, in one line."""

from __future__ import annotations

import errno
import sqlite3
from typing import Literal

import psycopg
from sqlalchemy.exc import DBAPIError

Failure = Literal["full", "read-only", "damaged", "unavailable"]
AWAY: Failure = "unavailable"
FULL_CODES = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_SHMSIZE,
    sqlite3.SQLITE_IOERR_TRUNCATE,
    sqlite3.SQLITE_IOERR_FSYNC,
)
FAMILIES: dict[int, Failure] = {
    sqlite3.SQLITE_READONLY: "read-only",
    sqlite3.SQLITE_CORRUPT: "damaged",
    sqlite3.SQLITE_NOTADB: "damaged",
    **dict.fromkeys((sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH), AWAY),
    **dict.fromkeys((sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED), AWAY),
}
DISK_ERRORS: dict[int, Failure] = {
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.EFBIG: "full",
    errno.EROFS: "read-only",
}
SENTENCES: dict[Failure, str] = {
    "full": "The disk is full or not writable. Free some space and start again. Everything saved before is safe.",
    "read-only": "The database is read-only. Check its permissions and how the disk is mounted.",
    "damaged": "The database is damaged. Restore a backup: convive restore FILE.",
    "unavailable": "The database cannot be used",
}


def classify(error: BaseException) -> Failure | None:
    """Return what kind of failure of the database or the disk this is; None for anything else."""
    if isinstance(error, DBAPIError):
        return classify(error.orig) if error.orig is not None else None
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", None) or 0
        return "full" if code in FULL_CODES else FAMILIES.get(code & 0xFF)
    if isinstance(error, psycopg.Error):
        return _classify_postgres(error)
    if isinstance(error, OSError):
        return DISK_ERRORS.get(error.errno or 0)
    return None


def _classify_postgres(error: psycopg.Error) -> Failure | None:
    if isinstance(error, psycopg.errors.DiskFull):
        return "full"
    if isinstance(error, psycopg.errors.ReadOnlySqlTransaction):
        return "read-only"
    return "unavailable" if isinstance(error, psycopg.OperationalError) else None


def describe(error: BaseException) -> str | None:
    """Say in one line what is wrong; None for anything that is not a failure of the database or the disk."""
    failure = classify(error)
    if failure is None:
        return None
    sentence, detail = SENTENCES[failure], _detail(error)
    if not detail:
        return sentence
    return f"{sentence}: {detail}" if failure == "unavailable" else f"{sentence} ({detail})"


def _detail(error: BaseException) -> str:
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename else ""
    return first_line(error)


def first_line(error: BaseException) -> str:
    """Return the first line of what the database said; the lines after it may quote a row."""
    lines = str(getattr(error, "orig", None) or error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
