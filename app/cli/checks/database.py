"""Checks of the database: reachable, of a version that is supported, with the right schema, and undamaged."""

from __future__ import annotations

import time
from collections.abc import Iterator

from sqlalchemy import Connection, text

from app.cli.checks import Finding, ok, problem, warning
from app.clock import now
from app.db.migrate import NewerSchema, require_known
from app.db.schema_version import current_revision, has_newest_schema
from app.sentences import count

OLDEST_SQLITE = (3, 35, 0)  # the first with RETURNING
OLDEST_POSTGRES, NEWEST_POSTGRES = 14, 18
SKEW_SECONDS = 2.0
CROWDED = 0.8


def check_database(connection: Connection) -> Iterator[Finding]:
    if connection.dialect.name == "sqlite":
        yield _check_sqlite_version(connection)
        yield _check_schema(connection)
        yield _check_sqlite_integrity(connection)
        return
    yield _check_postgres_version(connection)
    yield _check_schema(connection)
    yield _check_postgres_integrity(connection)
    yield _check_clock(connection)
    yield _check_connections(connection)


def _check_sqlite_version(connection: Connection) -> Finding:
    version = str(connection.exec_driver_sql("SELECT sqlite_version()").scalar_one())
    if tuple(map(int, version.split("."))) < OLDEST_SQLITE:
        return problem("database", f"SQLite {version} is too old: Convive needs 3.35 or newer.")
    return ok("database", f"SQLite {version}.")


def _check_postgres_version(connection: Connection) -> Finding:
    number = int(connection.exec_driver_sql("SHOW server_version_num").scalar_one())
    major, minor = divmod(number, 10_000)
    name = f"PostgreSQL {major}.{minor}"
    if major < OLDEST_POSTGRES:
        return problem("database", f"{name} is too old: Convive needs 14 to 18.")
    if major > NEWEST_POSTGRES:
        return warning("database", f"{name} is newer than the versions Convive was tested with (14 to 18).")
    return ok("database", f"{name}.")


def _check_schema(connection: Connection) -> Finding:
    found = current_revision(connection)
    if found is None:
        return ok("schema", "Empty. “convive serve” creates the tables.")
    if has_newest_schema(connection):
        return ok("schema", f"Up to date ({found}).")
    try:
        require_known(found)
    except NewerSchema as error:
        return problem("schema", str(error))
    return warning("schema", f"Out of date: {found}. “convive serve” migrates it at the next start; back it up first.")


def _check_sqlite_integrity(connection: Connection) -> Finding:
    found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
    if found != "ok":
        return problem("integrity", "The file is damaged. Stop Convive, keep a copy, and restore the newest backup.")
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    if broken:
        return problem("integrity", f"{count(len(broken), 'row')} without a parent row. Restore a backup.")
    return ok("integrity", "No damage found.")


def _check_postgres_integrity(connection: Connection) -> Finding:
    invalid = connection.execute(text("SELECT count(*) FROM pg_index WHERE NOT indisvalid")).scalar_one()
    failures = connection.execute(
        text("SELECT coalesce(checksum_failures, 0) FROM pg_stat_database WHERE datname = current_database()")
    ).scalar_one()
    if invalid or failures:
        indexes = count(invalid, "invalid index", "invalid indexes")
        return problem("integrity", f"{indexes}, {count(failures, 'checksum failure')}.")
    return ok("integrity", "No invalid index, no checksum failure.")


def _check_clock(connection: Connection) -> Finding:
    before = time.monotonic()
    there = connection.execute(text("SELECT clock_timestamp()")).scalar_one()
    here = now()
    skew = (here - there).total_seconds() - (time.monotonic() - before) / 2
    if abs(skew) > SKEW_SECONDS:
        side = "ahead of" if skew > 0 else "behind"
        return problem(
            "clock", f"This machine is {abs(skew):,.1f} s {side} the database. Synchronise both clocks with NTP."
        )
    return ok("clock", "Agrees with the database.")


def _check_connections(connection: Connection) -> Finding:
    most = int(connection.execute(text("SELECT current_setting('max_connections')")).scalar_one())
    used = int(
        connection.execute(
            text("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")
        ).scalar_one()
    )
    message = f"{used} of {most} connections of PostgreSQL in use"
    if used > CROWDED * most:
        return warning("connections", f"{message}. Raise max_connections or lower CONVIVE_DATABASE_CONNECTIONS.")
    return ok("connections", f"{message}.")
