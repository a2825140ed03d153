"""The file of a backup: a SQLite database with our schema and a table that says what it must hold."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkstemp

from app import __version__
from app.clock import now
from app.db.row_digest import TableDigest

FORMAT = 1
CONTENTS = "convive_backup"
NOT_DATA = ("alembic_version", CONTENTS)
PARTIAL = ".partial"
BESIDE = ("-wal", "-shm", "-journal")
"""What SQLite adds to the name of a database for the files that it puts beside it."""


class BackupError(Exception):
    """A backup cannot be made or restored; the message says why and what was kept."""


@dataclass(frozen=True)
class Contents:
    """What a backup says about itself."""

    revision: str
    tables: dict[str, tuple[int, str]]
    """Rows and digest by table."""

    @property
    def rows(self) -> int:
        return sum(rows for rows, _ in self.tables.values())


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Yield a new private file that is renamed to `path` once it is complete and safe on disk, or else deleted."""
    handle, name = mkstemp(prefix=f".{path.name}.", suffix=PARTIAL, dir=path.parent)  # readable by the owner alone
    os.close(handle)
    partial = Path(name)
    try:
        yield partial
        flush(partial)
        partial.replace(path)
        flush(path.parent)
    finally:
        remove(partial)


def before_restore() -> str:
    """Return a name for what a restore replaces, another one each time."""
    return f"before-restore-{now():%Y%m%d-%H%M%S-%f}"


def flush(path: Path) -> None:
    """Wait until a file or a folder is safe on disk."""
    if path.is_dir() and os.name != "posix":
        return  # Windows has no such thing for folders
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove(path: Path) -> None:
    """Remove a database file and what SQLite puts beside it."""
    for end in ("", *BESIDE):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + end).unlink()


def write_contents(path: Path) -> Contents:
    """Count what the file holds and note it in the file itself."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")  # one file, with nothing beside it
        connection.execute(f"DROP TABLE IF EXISTS {CONTENTS}")  # our own name
        found = count_contents(connection)
        text = json.dumps(
            {
                "format": FORMAT,
                "made_by": f"Convive {__version__}",
                "made_at": now().isoformat(),
                "revision": found.revision,
                "tables": found.tables,
            }
        )
        with connection:
            connection.execute(f"CREATE TABLE {CONTENTS} (contents TEXT NOT NULL)")  # our own name
            connection.execute(f"INSERT INTO {CONTENTS} VALUES (?)", (text,))  # noqa: S608  our own name  # nosec B608
        return found


def check_file(path: Path) -> Contents:
    """Check a file and return what it holds; a copy that another tool made does not say what it must hold."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            return _check(connection)
    except sqlite3.DatabaseError as error:
        raise BackupError(f"The file is not a backup of Convive, or it is damaged: {error}.") from None


def _check(connection: sqlite3.Connection) -> Contents:
    names = table_names(connection)
    if "alembic_version" not in [row[0] for row in connection.execute("SELECT name FROM sqlite_master")] or not names:
        raise BackupError("The file is not a backup of Convive: it has none of its tables.")
    problems = [row[0] for row in connection.execute("PRAGMA integrity_check(3)")]
    if problems != ["ok"]:
        raise BackupError(f"The file is damaged: {problems[0].splitlines()[0]}.")
    if broken := connection.execute("PRAGMA foreign_key_check").fetchmany(1):
        raise BackupError(f"The file is damaged: the table “{broken[0][0]}” has rows without a parent.")
    found = count_contents(connection)
    wanted = _noted_contents(connection)
    if wanted is not None and wanted != found:
        differing = sorted(
            name for name in {*wanted.tables, *found.tables} if wanted.tables.get(name) != found.tables.get(name)
        )
        raise BackupError(f"The file is damaged: its contents differ from what was saved ({', '.join(differing)}).")
    return found


def _noted_contents(connection: sqlite3.Connection) -> Contents | None:
    try:
        (text,) = connection.execute(f"SELECT contents FROM {CONTENTS}").fetchone()  # noqa: S608  our own name  # nosec B608
    except sqlite3.OperationalError:
        return None
    noted = json.loads(text)
    if noted["format"] > FORMAT:
        raise BackupError(f"The backup was made by {noted['made_by']}, which is newer. Restore it with that version.")
    return Contents(noted["revision"], {name: (rows, digest) for name, (rows, digest) in noted["tables"].items()})


def count_contents(connection: sqlite3.Connection) -> Contents:
    (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone() or ("",)
    tables = {}
    for name in table_names(connection):
        digest = TableDigest()
        columns = ", ".join(f'"{column}"' for column in column_names(connection, name))
        for row in connection.execute(f'SELECT {columns} FROM "{name}"'):  # noqa: S608  names from the schema  # nosec B608
            digest.add(row)
        tables[name] = (digest.rows, digest.hex)
    return Contents(revision, tables)


def table_names(connection: sqlite3.Connection) -> list[str]:
    """Return the tables that hold data."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name"
    return [name for (name,) in connection.execute(query) if name not in NOT_DATA]


def column_names(connection: sqlite3.Connection, table: str) -> list[str]:
    """Return the columns by name: their order depends on how a database came to its schema."""
    query = "SELECT name FROM pragma_table_info(?) ORDER BY name"
    return [name for (name,) in connection.execute(query, (table,))]
