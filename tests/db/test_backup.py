"""Backups hold everything, and bring it back to SQLite and to PostgreSQL, from either."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Column, Engine, func, select, text

from alembic import command
from app.db import models
from app.db.backup import make_backup
from app.db.backup_file import CONTENTS, BackupError, check_file
from app.db.migrate import NewerSchema, alembic_config, is_own, migrating
from app.db.restore import restore_postgres, restore_sqlite
from app.db.session import make_engine, make_sessions, transaction
from tests.conftest import postgres_copy, sqlite_copy
from tests.full_tables import fill_tables

MakeEngine = Callable[[str], Engine]


@pytest.fixture
def make_empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeEngine]:
    """Give an empty database with the schema, of the kind that is named."""
    made: list[Engine] = []

    def make(kind: str) -> Engine:
        folder = tmp_path / f"place{len(made)}"
        folder.mkdir()
        address = sqlite_copy(request, folder) if kind == "sqlite" else postgres_copy(request)
        made.append(make_engine(address))
        return made[-1]

    yield make
    for engine in made:
        engine.dispose()


@pytest.fixture(scope="module")
def full_template(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with rows in every table."""
    path = tmp_path_factory.mktemp("full") / "convive.db"
    shutil.copy(sqlite_template, path)
    engine = make_engine(f"sqlite:///{path}")
    fill(engine)
    engine.dispose()
    return path


@pytest.fixture
def full(full_template: Path, tmp_path: Path) -> Iterator[Engine]:
    """A SQLite database with rows in every table."""
    (tmp_path / "full").mkdir()
    shutil.copy(full_template, tmp_path / "full" / "convive.db")
    engine = make_engine(f"sqlite:///{tmp_path / 'full' / 'convive.db'}")
    yield engine
    engine.dispose()


def fill(engine: Engine) -> None:
    with engine.begin() as connection:
        fill_tables(connection, rows=2)


def is_raised(column: Column[Any]) -> bool:
    """Tell whether a restore gives all rows other numbers in this column."""
    return column.name == "version" or column.name.endswith("revision")


def all_rows(engine: Engine) -> dict[str, list[Any]]:
    """Return every row as the application reads it, without revisions of events and versions: a restore raises them."""
    raised = {column for table in models.Base.metadata.sorted_tables for column in table.columns if is_raised(column)}
    with engine.connect() as connection:
        return {
            table.name: sorted(map(repr, connection.execute(select(*sorted(set(table.columns) - raised, key=str)))))
            for table in models.Base.metadata.sorted_tables
        }


def restore(file: Path, engine: Engine, folder: Path) -> Path | None:
    engine.dispose()
    if engine.dialect.name == "sqlite":
        return restore_sqlite(file, Path(str(engine.url.database)))[1]
    return restore_postgres(file, engine, folder)[1]


KINDS = ("sqlite", pytest.param("postgres", marks=pytest.mark.postgres))


@pytest.mark.parametrize("source", KINDS)
@pytest.mark.parametrize("target", KINDS)
def test_restored_database_equals_the_one_that_was_saved(
    make_empty: MakeEngine, tmp_path: Path, source: str, target: str
) -> None:
    saved, other = make_empty(source), make_empty(target)
    fill(saved)
    fill(other)  # what is there is replaced, and kept aside
    wanted, before = all_rows(saved), all_rows(other)
    make_backup(saved, tmp_path / "backup.db")
    kept = restore(tmp_path / "backup.db", other, tmp_path)
    assert all_rows(other) == wanted
    with other.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_name": is_own})
        assert compare_metadata(context, models.Base.metadata) == []
    assert kept is not None
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    restore(kept, saved, tmp_path)
    assert all_rows(saved) == before


def test_backup_goes_into_an_empty_place(full: Engine, tmp_path: Path) -> None:
    make_backup(full, tmp_path / "backup.db")
    _, kept = restore_sqlite(tmp_path / "backup.db", tmp_path / "new" / "convive.db")
    assert kept is None
    engine = make_engine(f"sqlite:///{tmp_path / 'new' / 'convive.db'}")
    assert all_rows(engine) == all_rows(full)
    engine.dispose()


def test_backup_is_one_private_file(full: Engine, tmp_path: Path) -> None:
    (tmp_path / "backups").mkdir()
    make_backup(full, tmp_path / "backups" / "backup.db")
    assert [path.name for path in (tmp_path / "backups").iterdir()] == ["backup.db"]
    assert stat.S_IMODE((tmp_path / "backups" / "backup.db").stat().st_mode) == 0o600


def test_backup_holds_nothing_of_what_was_deleted(full: Engine, tmp_path: Path) -> None:
    with full.begin() as connection:
        connection.execute(text("UPDATE guests SET note = 'kept from everybody'"))
    with full.begin() as connection:
        connection.execute(text("DELETE FROM guests"))
    make_backup(full, tmp_path / "backup.db")
    assert b"kept from everybody" not in (tmp_path / "backup.db").read_bytes()


def test_existing_file_is_not_overwritten_unless_wished(full: Engine, tmp_path: Path) -> None:
    (tmp_path / "backup.db").write_text("precious")
    with pytest.raises(BackupError, match="already exists"):
        make_backup(full, tmp_path / "backup.db")
    assert (tmp_path / "backup.db").read_text() == "precious"
    make_backup(full, tmp_path / "backup.db", overwrite=True)
    check_file(tmp_path / "backup.db")
    with pytest.raises(BackupError, match="the database itself"):
        make_backup(full, Path(str(full.url.database)), overwrite=True)


@pytest.mark.parametrize("kind", KINDS)
def test_backup_is_one_moment_of_a_database_that_is_written(make_empty: MakeEngine, tmp_path: Path, kind: str) -> None:
    """Every transaction adds a user and a session of theirs: a backup in between has as many of each."""
    engine = make_empty(kind)
    stop, sessions, written = threading.Event(), make_sessions(engine), threading.Event()

    def write() -> None:
        while not stop.is_set():
            with transaction(sessions) as session:
                user = models.User(name="x" * 100)
                session.add(user)
                session.flush()
                session.add(models.ApiKey(user_id=user.id, name="key", token_hash=user.id.hex))
            written.set()
            stop.wait(0.005)  # the backups get most of the processor

    threads = [threading.Thread(target=write) for _ in range(2)]
    for thread in threads:
        thread.start()
    counts = []
    for number in range(5):
        written.clear()
        assert written.wait(60)
        contents = make_backup(engine, tmp_path / f"{number}.db")
        counts.append(contents.tables["users"][0])
        assert contents.tables["api_keys"][0] == counts[-1]
        check_file(tmp_path / f"{number}.db")
    stop.set()
    for thread in threads:
        thread.join(60)
    assert counts == sorted(set(counts))  # the writers went on


@pytest.mark.parametrize("kind", KINDS)
def test_backup_with_an_older_schema_is_brought_up_to_date(make_empty: MakeEngine, tmp_path: Path, kind: str) -> None:
    engine, target = make_empty(kind), make_empty(kind)
    fill(engine)
    with migrating(engine) as connection:
        config = alembic_config()
        config.attributes["connection"] = connection
        command.downgrade(config, "0006")
    with engine.connect() as connection:
        guests = connection.scalar(text("SELECT count(*) FROM guests"))
    assert make_backup(engine, tmp_path / "old.db").revision == "0006"
    restore(tmp_path / "old.db", target, tmp_path)
    with target.connect() as connection:
        assert connection.scalar(select(func.count()).select_from(models.Guest)) == guests
        assert set(connection.scalars(select(models.Run.fairness))) == {"none"}


def test_backup_with_a_newer_schema_is_refused_and_nothing_changed(full: Engine, tmp_path: Path) -> None:
    make_backup(full, tmp_path / "backup.db")
    with sqlite3.connect(tmp_path / "backup.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.execute(f"DROP TABLE {CONTENTS}")
    wanted = all_rows(full)
    with pytest.raises(NewerSchema, match="schema 9999"):
        restore(tmp_path / "backup.db", full, tmp_path)
    assert all_rows(full) == wanted


def change_a_byte(path: Path) -> None:
    """Change one letter of a text, which SQLite itself has no means to notice."""
    whole = bytearray(path.read_bytes())
    whole[whole.index(b"\\u6771") + 2] ^= 1
    path.write_bytes(whole)


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def lose_a_row(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM ratings WHERE guest_a = (SELECT min(guest_a) FROM ratings)")


def lose_a_parent(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM events")


def be_something_else(path: Path) -> None:
    path.write_text("name,table\nAino,1\n" * 100)


def be_another_database(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE bookmarks (id INTEGER)")


@pytest.mark.parametrize(
    "harm", [change_a_byte, cut_off, lose_a_row, lose_a_parent, be_something_else, be_another_database]
)
def test_damaged_file_is_refused_and_nothing_changed(
    full: Engine, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    make_backup(full, tmp_path / "backup.db")
    harm(tmp_path / "backup.db")
    wanted = all_rows(full)
    with pytest.raises(BackupError, match=r"damaged|not a backup") as found:
        restore(tmp_path / "backup.db", full, tmp_path)
    assert "\n" not in str(found.value)
    assert all_rows(full) == wanted


def test_copy_of_a_database_by_another_tool_is_taken_with_its_wal(full: Engine, tmp_path: Path) -> None:
    database, copy = Path(str(full.url.database)), tmp_path / "copy.db"
    with full.begin() as connection:
        connection.execute(text("UPDATE guests SET note = 'written last'"))
        shutil.copy(database, copy)
    shutil.copy(database.with_name("convive.db-wal"), tmp_path / "copy.db-wal")
    _, _ = restore_sqlite(copy, tmp_path / "new" / "convive.db")
    with closing(sqlite3.connect(tmp_path / "new" / "convive.db")) as restored:
        assert restored.execute("SELECT DISTINCT note FROM guests").fetchall() == [("written last",)]


def test_database_in_use_is_not_replaced(make_empty: MakeEngine, full: Engine, tmp_path: Path) -> None:
    make_backup(full, tmp_path / "backup.db")
    used = make_empty("sqlite")
    with used.connect() as connection:
        connection.execute(text("SELECT 1"))
        with pytest.raises(BackupError, match="Stop “convive serve” first"):
            restore_sqlite(tmp_path / "backup.db", Path(str(used.url.database)))
    assert not any(all_rows(used).values())


@pytest.mark.postgres
def test_postgresql_in_use_is_not_replaced(make_empty: MakeEngine, full: Engine, tmp_path: Path) -> None:
    make_backup(full, tmp_path / "backup.db")
    used = make_empty("postgres")
    other = make_engine(used.url.render_as_string(hide_password=False))
    with other.connect() as connection:
        connection.execute(text("SELECT 1"))
        with pytest.raises(BackupError, match="1 other connections"):
            restore_postgres(tmp_path / "backup.db", used, tmp_path)
    other.dispose()


@pytest.mark.postgres
def test_moments_written_with_a_zone_go_to_postgresql(make_empty: MakeEngine, full: Engine, tmp_path: Path) -> None:
    with full.begin() as connection:
        connection.execute(text("UPDATE ratings SET updated_at = '2026-12-05 18:00:00+02:00'"))
        connection.execute(text("UPDATE groups SET created_at = '2026-12-05T16:00:00.000000+00:00'"))
    make_backup(full, tmp_path / "backup.db")
    target = make_empty("postgres")
    restore(tmp_path / "backup.db", target, tmp_path)
    with target.connect() as connection:
        found = {
            *connection.scalars(select(models.Rating.updated_at)),
            *connection.scalars(select(models.Group.created_at)),
        }
    assert found == {datetime(2026, 12, 5, 16, tzinfo=UTC)}


def test_damaged_database_is_moved_aside_for_the_backup(full: Engine, tmp_path: Path) -> None:
    make_backup(full, tmp_path / "backup.db")
    wanted, database = all_rows(full), Path(str(full.url.database))
    full.dispose()
    database.write_bytes(b"nothing that SQLite knows" * 1000)
    kept = restore(tmp_path / "backup.db", full, tmp_path)
    assert kept is not None
    assert kept.read_bytes().startswith(b"nothing that SQLite knows")
    assert all_rows(full) == wanted
