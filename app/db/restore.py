"""Bring a backup back: into an empty place, or in place of what is there."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp
from typing import get_args

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from app.clock import now
from app.db.backup import make_backup, migrate_file
from app.db.backup_file import CONTENTS, BackupError, Contents, before_restore, check_file, column_names, count_contents
from app.db.failures import first_line
from app.db.migrate import migrate, require_known
from app.db.models import Base
from app.db.models.base import GENERATION
from app.db.models.events import Part
from app.db.postgres_rows import Columns, count_rows, table_columns, with_plain_moments, write_rows
from app.db.row_digest import TableDigest
from app.db.sqlite_file import replace_database

OTHERS = text(
    """
    SELECT count(*) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
    """
)
OTHERS_AT_WORK = "Stop “convive serve” and “convive worker” first, on all machines: {} other connections are open."
LOCK_SECONDS = 10
FIRST_MOMENT = datetime(2020, 1, 1, tzinfo=UTC)
VERSIONED = [table.name for table in Base.metadata.sorted_tables if "version" in table.columns]
_ALL_VERSIONS = " UNION ALL ".join(f"SELECT version FROM {name}" for name in VERSIONED)  # noqa: S608  our own names  # nosec B608
HIGHEST = text(f"SELECT (SELECT max(revision) FROM events), max(version) FROM ({_ALL_VERSIONS}) AS rows")  # noqa: S608  our own names  # nosec B608


@dataclass(frozen=True)
class Highest:
    """The highest revision of an event and the highest version of a row in a database."""

    revision: int = 0
    version: int = 0

    @classmethod
    def of(cls, row: Sequence[int | None]) -> Highest:
        """Read the database's answer; it is empty where there are no rows."""
        return cls(row[0] or 0, row[1] or 0)


@contextmanager
def prepared_copy(file: Path, folder: Path) -> Iterator[Path]:
    """Yield a checked copy of a backup with the newest schema; the backup itself stays as it is."""
    if not file.is_file():
        raise BackupError(f"{file} is not a file.")
    work = Path(mkdtemp(prefix=".restore-", dir=folder))
    try:
        copy = work / "convive.db"
        shutil.copyfile(file, copy)
        beside = file.with_name(file.name + "-wal")
        if beside.exists():  # a database file as it was lying there, with what was written last
            shutil.copyfile(beside, copy.with_name(copy.name + "-wal"))
        copy.chmod(0o600)
        require_known(check_file(copy).revision)
        _bring_up_to_date(copy)
        yield copy
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _bring_up_to_date(copy: Path) -> None:
    migrate_file(copy)
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute(f"DROP TABLE IF EXISTS {CONTENTS}")  # our own name
        connection.execute("PRAGMA journal_mode=DELETE")


def _use_new_numbers(copy: Path, replaced: Highest) -> Contents:
    """Give all events and rows numbers that no browser and no program has; return what the copy holds then.

    They are above those of the backup and of the database that is replaced. Revisions are also at least the seconds
    since 2020, and generations of versions the hours, which is above those of a database that is lost: no event is
    changed once a second for years, and nobody restores every hour. The counters of parts are taken off the revision
    for some pages, so they begin again at 0.
    """
    age = now() - FIRST_MOMENT
    with closing(sqlite3.connect(copy)) as connection:
        with connection:
            saved = Highest.of(connection.execute(str(HIGHEST)).fetchone())
            revision = max(int(age.total_seconds()), saved.revision + 1, replaced.revision + 1)
            generation = max(int(age.total_seconds() / 3600), max(saved.version, replaced.version) // GENERATION + 1)
            parts = ", ".join(f"{part}_revision = 0" for part in get_args(Part))
            # An event without members was being imported when the backup was made: as it is, it is deleted later.
            finished = "id IN (SELECT event_id FROM members)"
            raised = f"UPDATE events SET revision = ?, {parts} WHERE {finished}"  # noqa: S608  our own names  # nosec B608
            connection.execute(raised, (revision,))
            for table in VERSIONED:
                raised = f"UPDATE {table} SET version = version % ? + ?"  # noqa: S608  our own names  # nosec B608
                connection.execute(raised, (GENERATION, GENERATION * generation))
        return count_contents(connection)


def _highest_in_file(database: Path) -> Highest:
    """Return the highest numbers in a SQLite database; 0 if there is none, or nothing that can be read."""
    if not database.exists():
        return Highest()
    with contextlib.suppress(sqlite3.Error), closing(sqlite3.connect(database)) as connection:
        return Highest.of(connection.execute(str(HIGHEST)).fetchone())
    return Highest()


def restore_sqlite(file: Path, database: Path) -> tuple[Contents, Path | None]:
    """Put a backup in place of a SQLite database; return what it holds, and where the one before is kept."""
    database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with prepared_copy(file, database.parent) as copy:
        contents = _use_new_numbers(copy, _highest_in_file(database))
        kept = replace_database(database, copy)
    with closing(sqlite3.connect(database)) as connection:
        if count_contents(connection) != contents:
            raise BackupError(f"The restored data could not be verified. Your previous data is in {kept}")
    return contents, kept


def restore_postgres(file: Path, engine: Engine, folder: Path) -> tuple[Contents, Path | None]:
    """Put a backup in place of all rows in a PostgreSQL database, in one transaction."""
    with prepared_copy(file, folder) as copy:
        engine.dispose()  # connections of our own that rest in the pool
        with engine.connect() as connection:
            _refuse_others(connection)
        migrate(engine)
        with engine.connect() as connection:
            highest = Highest.of(tuple(connection.execute(HIGHEST).one()))
        contents = _use_new_numbers(copy, highest)
        kept = _keep_before(engine, folder)
        try:
            with engine.connect() as connection, connection.begin():
                _replace_rows(connection, copy, contents)
        except DBAPIError as error:
            raise BackupError(f"Nothing was changed. PostgreSQL refused: {first_line(error)}") from None
    return contents, kept


def _refuse_others(connection: Connection) -> None:
    if others := connection.scalar(OTHERS):
        raise BackupError(OTHERS_AT_WORK.format(others))


def _keep_before(engine: Engine, folder: Path) -> Path | None:
    """Save what is in the database now, if there is anything."""
    with engine.connect() as connection:
        if not connection.scalar(text("SELECT count(*) FROM users")):
            return None
    path = folder / f"{before_restore()}.db"
    make_backup(engine, path)
    return path


def _replace_rows(connection: Connection, copy: Path, contents: Contents) -> None:
    connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'"))
    tables = table_columns(connection)
    if set(tables) != set(contents.tables):
        raise BackupError("Nothing was changed: the backup has different tables from the database.")
    # Names from the schema of the database itself; those in the backup were compared with them.
    names = ", ".join(f'"{name}"' for name in (*tables, "procrastinate_jobs"))
    connection.execute(text(f"LOCK TABLE {names}"))
    _refuse_others(connection)  # whoever connected since the first look may have read the old rows
    connection.execute(text(f"TRUNCATE {names} CASCADE"))
    with closing(sqlite3.connect(copy)) as file:
        copied = {table: _copy_table(connection, file, table, columns) for table, columns in tables.items()}
    for table, columns in tables.items():
        if count_rows(connection, table, columns) != copied[table]:
            raise BackupError(f"Nothing was changed: “{table}” differs between PostgreSQL and the backup.")


def _copy_table(connection: Connection, file: sqlite3.Connection, table: str, columns: Columns) -> tuple[int, str]:
    """Copy all rows of a table; return how many there were, and their digest."""
    if column_names(file, table) != list(columns):
        raise BackupError(f"Nothing was changed: “{table}” has different columns in the backup and in the database.")
    wanted, digest = ", ".join(f'"{name}"' for name in columns), TableDigest()
    rows = file.execute(f'SELECT {wanted} FROM "{table}"')  # noqa: S608  names from the schema  # nosec B608
    write_rows(connection, table, columns, digest.watch(with_plain_moments(rows, columns)))
    return digest.rows, digest.hex
