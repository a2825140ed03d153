"""In which order a restore looks at a PostgreSQL database and changes it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, text

from alembic import command
from app.db.backup import make_backup
from app.db.backup_file import BackupError
from app.db.migrate import alembic_config, migrating
from app.db.restore import VERSIONED, restore_postgres
from app.db.schema_version import current_revision
from app.db.session import make_engine
from tests.conftest import postgres_copy, sqlite_copy
from tests.full_tables import fill_tables

pytestmark = pytest.mark.postgres
OLD = "0008"


@pytest.fixture
def target(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An empty PostgreSQL database with the schema."""
    engine = make_engine(postgres_copy(request))
    yield engine
    engine.dispose()


@pytest.fixture
def other(target: Engine) -> Iterator[Engine]:
    """Another program's way to the same database."""
    engine = make_engine(target.url.render_as_string(hide_password=False))
    yield engine
    engine.dispose()


@pytest.fixture
def backup(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A backup with rows in every table."""
    engine = make_engine(sqlite_copy(request, tmp_path))
    with engine.begin() as connection:
        fill_tables(connection, rows=2)
    make_backup(engine, tmp_path / "backup.db")
    engine.dispose()
    return tmp_path / "backup.db"


def downgrade(engine: Engine) -> None:
    with migrating(engine) as connection:
        config = alembic_config()
        config.attributes["connection"] = connection
        command.downgrade(config, OLD)


def schema_of(engine: Engine) -> str | None:
    with engine.connect() as connection:
        return current_revision(connection)


def test_damaged_file_leaves_the_schema_as_it_was(target: Engine, backup: Path, tmp_path: Path) -> None:
    downgrade(target)
    backup.write_bytes(backup.read_bytes()[:20_000])
    with pytest.raises(BackupError, match="damaged"):
        restore_postgres(backup, target, tmp_path)
    assert schema_of(target) == OLD


def test_database_in_use_keeps_its_schema(target: Engine, other: Engine, backup: Path, tmp_path: Path) -> None:
    downgrade(target)
    with other.connect() as connection:
        connection.execute(text("SELECT 1"))
        with pytest.raises(BackupError, match="1 other connections"):
            restore_postgres(backup, target, tmp_path)
    assert schema_of(target) == OLD


def test_program_that_connects_meanwhile_stops_the_restore(
    target: Engine, other: Engine, backup: Path, tmp_path: Path
) -> None:
    opened: list[Connection] = []

    def connect(connection: Connection, cursor: Any, statement: str, *rest: Any) -> None:
        if statement.startswith("SET LOCAL lock_timeout"):  # the first statement of the transaction that replaces
            opened.append(other.connect())

    event.listen(target, "before_cursor_execute", connect)
    with pytest.raises(BackupError, match="1 other connections"):
        restore_postgres(backup, target, tmp_path)
    opened[0].close()
    with other.connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM users")) == 0


def test_revisions_after_a_restore_were_never_used_before(target: Engine, backup: Path, tmp_path: Path) -> None:
    with target.begin() as connection:
        fill_tables(connection, rows=1)
        connection.execute(text("UPDATE events SET revision = 2000000000"))
    restore_postgres(backup, target, tmp_path)
    with target.connect() as connection:
        left_out = "ratings_revision + plans_revision + tables_revision + rules_revision"
        query = text(f"SELECT revision - ({left_out}) FROM events")  # noqa: S608  our own names
        assert set(connection.scalars(query)) == {2_000_000_001}


def test_versions_of_rows_after_a_restore_were_never_used_before(target: Engine, backup: Path, tmp_path: Path) -> None:
    with target.begin() as connection:
        fill_tables(connection, rows=1)
        connection.execute(text("UPDATE plans SET version = 2000000000"))
    restore_postgres(backup, target, tmp_path)
    with target.connect() as connection:
        queries = [text(f"SELECT min(version) FROM {table}") for table in VERSIONED]  # noqa: S608  our own names
        found = [connection.execute(query).scalar_one() for query in queries]
        assert len(found) == 9
        assert all(version > 2_000_000_000 for version in found)
