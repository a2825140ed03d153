"""What a restore does to the files of a SQLite database."""

from __future__ import annotations

import resource
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from app.db import sqlite_file
from app.db.backup import make_backup
from app.db.failures import describe
from app.db.models.base import changes_of
from app.db.restore import VERSIONED, restore_sqlite
from app.db.session import make_engine
from tests.conftest import sqlite_copy
from tests.full_tables import fill_tables

WRITE = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=0)
try:
    with connection:
        connection.execute("UPDATE guests SET note = 'from another process'")
except sqlite3.OperationalError as error:
    print(error)
"""


@pytest.fixture
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A SQLite database with rows in every table, that nobody uses."""
    engine = make_engine(sqlite_copy(request, tmp_path))
    with engine.begin() as connection:
        fill_tables(connection, rows=2)
    engine.dispose()
    return Path(str(engine.url.database))


@pytest.fixture
def backup(database: Path, tmp_path: Path) -> Path:
    """A backup of it."""
    engine = make_engine(f"sqlite:///{database}")
    make_backup(engine, tmp_path / "backup.db")
    engine.dispose()
    return tmp_path / "backup.db"


def set_notes(database: Path, note: str) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE guests SET note = ?", (note,))


def notes(database: Path) -> set[str]:
    with closing(sqlite3.connect(database)) as connection:
        return {note for (note,) in connection.execute("SELECT note FROM guests")}


def test_no_other_process_can_write_between_the_copy_aside_and_the_overwrite(
    database: Path, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_notes(database, "before")
    overwrite, printed = sqlite_file._overwrite, list[str]()

    def write_first(connection: sqlite3.Connection, copy: Path) -> None:
        command = [sys.executable, "-c", WRITE, str(database)]
        printed.append(subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout)
        overwrite(connection, copy)

    monkeypatch.setattr(sqlite_file, "_overwrite", write_first)
    _, kept = restore_sqlite(backup, database)
    assert printed == ["database is locked\n"]
    assert kept is not None
    assert notes(kept) == {"before"}


def test_wal_without_its_database_is_moved_aside(database: Path, backup: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        with connection:
            connection.execute("UPDATE guests SET note = 'from the old -wal file'")
        wal = database.with_name("convive.db-wal")
        left = wal.read_bytes()
    database.unlink()
    wal.write_bytes(left)
    saved = notes(backup)
    _, kept = restore_sqlite(backup, database)
    assert notes(database) == saved
    assert kept is not None
    assert (kept.name[-4:], kept.read_bytes()) == ("-wal", left)


def test_second_restore_keeps_what_the_first_one_replaced(database: Path, backup: Path) -> None:
    kept = []
    for note in ("original", "between"):
        set_notes(database, note)
        kept.append(restore_sqlite(backup, database)[1])
    assert [notes(path) for path in kept if path] == [{"original"}, {"between"}]


def set_revisions(database: Path, revision: int) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE events SET revision = ?", (revision,))


def lowest_revision(database: Path) -> int:
    """Return the lowest number that a tag of a page is made of: some leave out ratings and plans."""
    query = "SELECT min(revision - ratings_revision - plans_revision - tables_revision - rules_revision) FROM events"
    with closing(sqlite3.connect(database)) as connection:
        return int(connection.execute(query).fetchone()[0])


@pytest.mark.parametrize("reached", [1_000, 2_000_000_000])
def test_revisions_after_a_restore_were_never_used_before(database: Path, backup: Path, reached: int) -> None:
    set_revisions(database, reached)  # by edits after the backup
    restore_sqlite(backup, database)
    first = lowest_revision(database)
    assert first > reached
    restore_sqlite(backup, database)
    assert lowest_revision(database) > first


def versions(database: Path) -> set[int]:
    with closing(sqlite3.connect(database)) as connection:
        queries = [f"SELECT version FROM {table}" for table in VERSIONED]  # noqa: S608  our own names
        return {version for query in queries for (version,) in connection.execute(query)}


def test_versions_of_rows_after_a_restore_were_never_used_before(database: Path, backup: Path) -> None:
    before = {changes_of(version) for version in versions(database)}
    for reached in (50, 1_000_000_000):
        with closing(sqlite3.connect(database)) as connection, connection:
            connection.execute("UPDATE rules SET version = ?", (reached,))  # by edits after the backup
        restore_sqlite(backup, database)
        now = versions(database)
        assert min(now) > reached
        assert {changes_of(version) for version in now} == before


def test_versions_of_a_lost_database_are_not_used_again(database: Path, backup: Path) -> None:
    lost = max(versions(database)) + 5_000
    database.unlink()
    restore_sqlite(backup, database)
    assert min(versions(database)) > lost


def test_half_imported_event_stays_unfinished(database: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("DELETE FROM members")
        connection.execute("UPDATE events SET revision = 0")
    engine = make_engine(f"sqlite:///{database}")
    make_backup(engine, tmp_path / "half.db")
    engine.dispose()
    restore_sqlite(tmp_path / "half.db", tmp_path / "new" / "convive.db")
    with closing(sqlite3.connect(tmp_path / "new" / "convive.db")) as connection:
        assert connection.execute("SELECT DISTINCT revision FROM events").fetchall() == [(0,)]


def test_revisions_of_a_lost_database_are_not_used_again(database: Path, backup: Path) -> None:
    set_revisions(database, 1_000_000)
    database.unlink()
    restore_sqlite(backup, database)
    assert lowest_revision(database) > 1_000_000


def test_revisions_above_the_clock_go_up_from_the_backup(database: Path, tmp_path: Path) -> None:
    set_revisions(database, 2_000_000_000)
    engine = make_engine(f"sqlite:///{database}")
    make_backup(engine, tmp_path / "high.db")
    engine.dispose()
    restore_sqlite(tmp_path / "high.db", tmp_path / "new" / "convive.db")
    assert lowest_revision(tmp_path / "new" / "convive.db") == 2_000_000_001


def test_full_disk_leaves_the_database_in_its_place(database: Path, backup: Path) -> None:
    set_notes(database, "x" * 2_000_000)
    files = set(database.parent.iterdir())
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, limits[1]))  # enough for the backup alone
    try:
        with pytest.raises(sqlite3.OperationalError) as found:
            restore_sqlite(backup, database)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert str(describe(found.value)).startswith("The disk is full")
    assert notes(database) == {"x" * 2_000_000}
    assert set(database.parent.iterdir()) == files
