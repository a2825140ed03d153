"""Bring the database to the newest schema."""

from __future__ import annotations

from functools import cache

from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, inspect, text

from alembic import command
from app.config import ROOT

MIGRATION_LOCK = 4_815_162_342


def migrate(engine: Engine) -> bool:
    """Run all missing migrations; return whether the database was new."""
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            return _migrate_sqlite(connection)
        with connection.begin():
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK})
            return _upgrade(connection)


def _migrate_sqlite(connection: Connection) -> bool:
    # With foreign keys on, a batch alter drops the old table and every cascading child with it;
    # the pragma is ignored inside a transaction, so it goes to the driver before one begins.
    driver = connection.connection.driver_connection
    if driver is None:
        raise RuntimeError("the connection to SQLite is closed")
    driver.execute("PRAGMA foreign_keys=OFF")
    try:
        with connection.begin():
            fresh = _upgrade(connection)
            broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
            if broken:
                raise RuntimeError(f"the migration would leave {len(broken)} rows without their parent")
        return fresh
    finally:
        driver.execute("PRAGMA foreign_keys=ON")


def _upgrade(connection: Connection) -> bool:
    fresh = not inspect(connection).has_table("alembic_version")
    config = alembic_config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
    return fresh


def alembic_config() -> Config:
    """Return alembic's settings, found from the source tree wherever the command runs."""
    config = Config(ROOT / "alembic.ini")
    config.set_main_option("script_location", str(ROOT / "alembic"))
    return config


def is_own(name: str | None, kind: str, parents: object) -> bool:
    """Tell whether a table is one of ours: those of the job queue have migrations of their own."""
    return kind != "table" or not (name or "").startswith("procrastinate_")


def has_newest_schema(connection: Connection) -> bool:
    """Tell whether every migration of this version has run, and none of a newer one."""
    found = MigrationContext.configure(connection).get_current_heads()
    return set(found) == _newest()


@cache
def _newest() -> set[str]:
    return set(ScriptDirectory.from_config(alembic_config()).get_heads())
