"""Make a backup of a database, while servers and workers go on."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import Engine

from app.db.backup_file import BackupError, Contents, write_contents, written_whole
from app.db.migrate import migrate, require_known
from app.db.postgres_rows import read_rows, snapshot, table_columns
from app.db.schema_version import current_revision
from app.db.session import make_engine

BUSY_SECONDS = 60.0


def make_backup(engine: Engine, path: Path, *, overwrite: bool = False) -> Contents:
    """Write all that the database holds at one moment into a file, readable by its owner alone."""
    if path.exists() and not overwrite:
        raise BackupError(f"{path} already exists. Choose another name, or add --overwrite.")
    if path.exists() and engine.dialect.name == "sqlite" and path.samefile(str(engine.url.database)):
        raise BackupError(f"{path} is the database itself.")
    if not path.parent.is_dir():
        raise BackupError(f"The folder {path.parent} does not exist.")
    with written_whole(path) as partial:
        if engine.dialect.name == "sqlite":
            _copy_sqlite(Path(str(engine.url.database)), partial)
        else:
            _copy_postgres(engine, partial)
        return write_contents(partial)


def _copy_sqlite(database: Path, target: Path) -> None:
    """Copy without what was deleted; it reads one moment, and writers go on beside it."""
    with closing(_open(database)) as connection:
        connection.execute("VACUUM INTO ?", (str(target),))


def _open(database: Path) -> sqlite3.Connection:
    if os.access(database, os.W_OK) or database.with_name(database.name + "-wal").exists():
        return sqlite3.connect(database, timeout=BUSY_SECONDS, isolation_level=None)
    # On a read-only disk SQLite cannot make the files that it needs beside, and nobody can write.
    return sqlite3.connect(f"{database.absolute().as_uri()}?immutable=1", uri=True, isolation_level=None)


def _copy_postgres(engine: Engine, target: Path) -> None:
    with snapshot(engine) as connection:
        revision = current_revision(connection)
        if revision is None:
            raise BackupError("The database is empty.")
        require_known(revision)
        migrate_file(target, revision)
        with closing(sqlite3.connect(target, isolation_level=None)) as file:
            file.execute("PRAGMA journal_mode=OFF")  # whatever goes wrong, the file goes with it
            file.execute("BEGIN")
            for table, columns in table_columns(connection).items():
                names, places = ", ".join(f'"{name}"' for name in columns), ", ".join("?" * len(columns))
                insert = f'INSERT INTO "{table}" ({names}) VALUES ({places})'  # noqa: S608  names from the schema  # nosec B608
                file.executemany(insert, read_rows(connection, table, columns))
            file.execute("COMMIT")


def migrate_file(path: Path, revision: str = "head") -> None:
    """Bring a SQLite database to a schema."""
    engine = make_engine(f"sqlite:///{path}")
    try:
        migrate(engine, revision)
    finally:
        engine.dispose()
