"""Bring the database to the newest schema; `convive` and `alembic` take the same path."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, inspect, text

from alembic import command
from app.config import ROOT
from app.db.schema_version import current_revision

MIGRATION_LOCK = 4_815_162_342


class NewerSchema(Exception):
    """The database has a schema that this version of Convive does not know."""

    def __init__(self, found: str) -> None:
        newest = ", ".join(sorted(_newest()))
        super().__init__(
            f"The database has schema {found}, made by a newer version of Convive; this version supports schemas up to "
            f"{newest}. Nothing was changed. Install the newer version, or restore a backup from before the update."
        )


def migrate(engine: Engine, target: str = "head") -> bool:
    """Run all missing migrations; return whether the database was new."""
    with engine.connect() as connection:
        found = current_revision(connection)
    if found is not None:
        require_known(found)
        if {found} == _newest():
            return False
    with migrating(engine) as connection:
        fresh = not inspect(connection).has_table("alembic_version")
        command.upgrade(_config_for(connection), target)
        return fresh


@contextmanager
def migrating(engine: Engine) -> Iterator[Connection]:
    """Yield a connection inside the one transaction in which migrations may run; others wait."""
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            with _without_foreign_keys(connection), connection.begin():
                yield connection
                _check_foreign_keys(connection)
            return
        with connection.begin():
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK})
            yield connection


@contextmanager
def _without_foreign_keys(connection: Connection) -> Iterator[None]:
    # With foreign keys on, a batch alter drops the old table and every cascading child with it;
    # the pragma is ignored inside a transaction, so it goes to the driver before one begins.
    driver = connection.connection.driver_connection
    if driver is None:
        raise RuntimeError("the connection to SQLite is closed")
    driver.execute("PRAGMA foreign_keys=OFF")
    try:
        yield
    finally:
        driver.execute("PRAGMA foreign_keys=ON")


def _check_foreign_keys(connection: Connection) -> None:
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    if broken:
        raise RuntimeError(f"the migration would leave {len(broken)} rows without their parent")


def refuse_cascades(connection: Connection) -> None:
    """Refuse to migrate a SQLite connection with foreign keys on: rebuilding a table would delete its children."""
    if connection.dialect.name == "sqlite" and connection.exec_driver_sql("PRAGMA foreign_keys").scalar():
        raise RuntimeError("foreign keys are on: migrate inside app.db.migrate.migrating()")


def _config_for(connection: Connection) -> Config:
    config = alembic_config()
    config.attributes["connection"] = connection
    return config


def alembic_config() -> Config:
    """Return alembic's settings, found from the source tree wherever the command runs."""
    config = Config(ROOT / "alembic.ini")
    config.set_main_option("script_location", str(ROOT / "alembic"))
    return config


def is_own(name: str | None, kind: str, parents: object) -> bool:
    """Return whether a table is ours: the job queue's tables have their own migrations."""
    return kind != "table" or not (name or "").startswith("procrastinate_")


def require_known(revision: str) -> None:
    """Refuse a schema of a newer version."""
    if revision not in _known():
        raise NewerSchema(revision)


def _newest() -> set[str]:
    return set(_scripts(str(alembic_config().get_main_option("script_location"))).get_heads())


def _known() -> set[str]:
    scripts = _scripts(str(alembic_config().get_main_option("script_location")))
    return {script.revision for script in scripts.walk_revisions()}


@cache
def _scripts(folder: str) -> ScriptDirectory:
    return ScriptDirectory(folder)
