"""Every migration up, down and up again with rows in every table: nothing is lost.

Exceptions, by design: 0003 forgets the answers remembered for repeated requests (they did not say which event they
belong to), and going back from 0002 removes other good plans (the older schema has one plan for each run). Tables and
columns that a migration adds go when it is taken back. With 0019 links of the plan in use name no plan: they follow it.
Going back from 0019 removes links that are not for guests, which older code would show to guests. With 0037 fields that
are spread over the tables become rules; going back removes rules that older code does not know.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, Table, select, text

from alembic import command
from app.config import ROOT
from app.db.migrate import NewerSchema, alembic_config, migrate, migrating
from app.db.schema_version import NEWEST_REVISION
from app.db.session import make_engine
from tests.conftest import make_database
from tests.full_tables import Rows, changed_tables, common_part, fill_tables, read_tables, tables_of

REVISIONS = [script.revision for script in ScriptDirectory.from_config(alembic_config()).walk_revisions()][::-1]


@pytest.fixture(params=["sqlite", pytest.param("18", marks=pytest.mark.postgres), "installed"])
def empty_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """A database without any table: SQLite, the PostgreSQL of the tests, and that of this machine."""
    if request.param == "sqlite":
        engine = make_engine(f"sqlite:///{tmp_path / 'convive.db'}")
        yield engine
        engine.dispose()
        return
    if request.param == "installed":
        server = request.getfixturevalue("installed_postgres_address")
    else:
        server = request.getfixturevalue("postgres")
    make_database(server, "migrations")
    engine = make_engine(server.format(database="migrations"))
    yield engine
    engine.dispose()


@pytest.fixture
def _scripts_are_read_once() -> Iterator[None]:
    """Let alembic read the migrations once: each of its commands reads all of them."""
    scripts = ScriptDirectory.from_config(alembic_config())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ScriptDirectory, "from_config", lambda config: scripts)
        yield


def move(engine: Engine, way: str, revision: str) -> None:
    """Migrate up or down by the path that `convive` and `alembic` share."""
    with migrating(engine) as connection:
        config = alembic_config()
        config.attributes["connection"] = connection
        {"up": command.upgrade, "down": command.downgrade}[way](config, revision)


def rows_of(engine: Engine) -> Rows:
    with engine.connect() as connection:
        return read_tables(connection)


def fill(engine: Engine, only: set[str] | None = None) -> None:
    """Add a row to every table; the new link is for an audience unknown to older code, the others for guests."""
    with engine.begin() as connection:
        connection.execute(text("UPDATE links SET audience = 'guests'"))
        fill_tables(connection, only=only)


def tables(engine: Engine) -> list[Table]:
    with engine.connect() as connection:
        return tables_of(connection)


def kept_by(way: str, revision: str, rows: Rows) -> Rows:
    """Return the rows without those that the migration is known to remove."""
    rows = dict(rows)
    if (way, revision) == ("up", "0003"):
        rows["idempotency_keys"] = []
    if (way, revision) == ("down", "0002"):
        gone = {row["id"] for row in rows["plans"] if row.get("alternative_of")}
        rows["plans"] = [row for row in rows["plans"] if row["id"] not in gone]
        for table in ("seats", "moves", "links"):
            rows[table] = [row for row in rows[table] if row["plan_id"] not in gone]
    if (way, revision) == ("down", "0019"):
        rows["links"] = _for_guests(rows)
    if (way, revision) == ("down", "0037"):
        gone = {row["id"] for row in rows["rules"] if row["kind"] == "spread"}
        for table, key in {"rules": "id", "rule_guests": "rule_id", "rule_tables": "rule_id"}.items():
            rows[table] = [row for row in rows[table] if row[key] not in gone]
    if revision == "0019":
        rows["links"] = [_following(way, row, rows["plans"]) for row in rows["links"]]
    return rows


def _without_spread(revision: str, rows: Rows, older: Rows) -> Rows:
    """Return the rows without the rules that were fields before; each field has become one."""
    if revision != "0037":
        return rows
    spread = sorted((row["event_id"], row["field"]) for row in rows["rules"] if row["kind"] == "spread")
    assert spread == sorted((row["event_id"], row["field"]) for row in older["balanced_fields"])
    return {**rows, "rules": [row for row in rows["rules"] if row["kind"] != "spread"]}


def _for_guests(rows: Rows) -> list[dict[str, Any]]:
    return [link for link in rows["links"] if link["audience"] == "guests"]


def _following(way: str, link: dict[str, Any], plans: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a link that follows the plan in use instead of naming it, or names it again."""
    main = [plan for plan in plans if not plan["alternative_of"] and not plan["deleted_at"]]
    of_event = [plan for plan in main if plan["event_id"] == link["event_id"]]
    in_use = max(of_event, key=lambda plan: (str(plan["used_at"] or ""), str(plan["id"])), default={"id": ""})["id"]
    if way == "up":
        return {**link, "plan_id": None} if link["plan_id"] == in_use else link
    return {**link, "plan_id": link["plan_id"] or in_use}


@pytest.mark.usefixtures("_scripts_are_read_once")
def test_every_migration_up_down_and_up_loses_no_row(empty_database: Engine) -> None:
    before, first = "base", set[str]()
    for revision in REVISIONS:
        older, known = rows_of(empty_database), tables(empty_database)
        move(empty_database, "up", revision)
        newer = _without_spread(revision, rows_of(empty_database), older)
        assert common_part(newer, older) == common_part(kept_by("up", revision, older), newer), f"up to {revision}"
        changed = changed_tables(tables(empty_database), known)  # the others have rows already
        fill(empty_database, changed)
        full = rows_of(empty_database)
        assert all(full.values())
        move(empty_database, "down", before)
        older = rows_of(empty_database)
        assert common_part(older, full) == common_part(kept_by("down", revision, full), older), f"down from {revision}"
        move(empty_database, "up", revision)
        again = _without_spread(revision, rows_of(empty_database), older)
        assert common_part(again, older) == common_part(kept_by("up", revision, older), again), f"again {revision}"
        fill(empty_database, changed)
        before = revision
        first = first or {str(row["id"]) for row in rows_of(empty_database)["guests"]}
    assert first <= {str(row["id"]) for row in rows_of(empty_database)["guests"]}


def alembic(database: str, *words: str) -> None:
    """Run the command as a developer does."""
    settings = {**os.environ, "CONVIVE_DATABASE_URL": database}
    done = subprocess.run(
        [sys.executable, "-m", "alembic", *words], env=settings, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.usefixtures("_scripts_are_read_once")
def test_going_back_forgets_what_older_code_cannot_read_of_progress(empty_database: Engine) -> None:
    move(empty_database, "up", "0041")
    fill(empty_database, only={"events", "question_batches"})
    measured = {"settled": 0.4, "after": [0.5], "revision": 1, "answers": 0}
    with empty_database.begin() as connection:
        batches = next(table for table in tables_of(connection) if table.name == "question_batches")
        connection.execute(batches.update().values(progress={**measured, "before": 0.6}))
    move(empty_database, "down", "0040")
    with empty_database.connect() as connection:
        assert connection.scalars(select(batches.c.progress)).all() == [measured]


def test_alembic_on_the_command_line_keeps_every_row(sqlite_template: Path, tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'convive.db'}"
    (tmp_path / "convive.db").write_bytes(sqlite_template.read_bytes())
    engine = make_engine(address)
    fill(engine)
    fill(engine)
    full = rows_of(engine)
    alembic(address, "downgrade", "0006")
    older = rows_of(engine)
    assert [len(full["links"]), len(older["links"])] == [2, 1]
    assert common_part(older, full) == common_part({**full, "links": _for_guests(full)}, older)
    alembic(address, "upgrade", "head")
    expected = {**older, "links": [{**row, "plan_id": None} for row in older["links"]]}  # their plan is the one in use
    assert common_part(rows_of(engine), older) == common_part(expected, full)
    engine.dispose()


def test_newest_revision_is_that_of_the_last_migration() -> None:
    assert REVISIONS[-1] == NEWEST_REVISION


def test_schema_of_a_newer_version_is_refused_and_left_alone(sqlite_template: Path, tmp_path: Path) -> None:
    path = tmp_path / "convive.db"
    path.write_bytes(sqlite_template.read_bytes())
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    engine = make_engine(f"sqlite:///{path}")
    with pytest.raises(NewerSchema, match="schema 9999"):
        migrate(engine)
    engine.dispose()


def test_migrating_with_foreign_keys_on_is_refused(sqlite_template: Path, tmp_path: Path) -> None:
    path = tmp_path / "convive.db"
    path.write_bytes(sqlite_template.read_bytes())
    engine = make_engine(f"sqlite:///{path}")
    config = alembic_config()
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        with pytest.raises(RuntimeError, match="foreign keys are on"):
            command.downgrade(config, "-1")
    engine.dispose()
