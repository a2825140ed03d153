"""The schema of the job queue: what our migrations give is what the installed procrastinate expects."""

from __future__ import annotations

from importlib import resources
from typing import Any

import psycopg
import pytest

from app.db.migrate import migrate
from app.db.session import make_engine
from tests.conftest import make_database

DESCRIPTION = """
    SELECT 'column', table_name || '.' || column_name,
           data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '')
      FROM information_schema.columns WHERE table_schema = 'public' AND table_name LIKE 'procrastinate%'
    UNION ALL SELECT 'index', indexname, indexdef FROM pg_indexes WHERE tablename LIKE 'procrastinate%'
    UNION ALL SELECT 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
      FROM pg_constraint WHERE conname LIKE '%procrastinate%' OR conrelid::regclass::text LIKE 'procrastinate%'
    UNION ALL SELECT 'trigger', tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE tgname LIKE 'procrastinate%'
    UNION ALL SELECT 'function', oid::regprocedure::text, pg_get_functiondef(oid)
      FROM pg_proc WHERE proname LIKE 'procrastinate%'
    UNION ALL SELECT 'label', enumtypid::regtype || '.' || enumlabel,
           rank() OVER (PARTITION BY enumtypid ORDER BY enumsortorder)::text
      FROM pg_enum WHERE enumtypid::regtype::text LIKE 'procrastinate%'
"""


def connect(server: str, database: str) -> psycopg.Connection[Any]:
    """Return a plain connection to a database of the server."""
    address = server.format(database=database).replace("postgresql+psycopg://", "postgresql://")
    return psycopg.connect(address)


def described(connection: psycopg.Connection[Any]) -> set[tuple[str, str, str]]:
    """Return everything of the queue that a database holds, whatever the order of columns."""
    return set(connection.execute(DESCRIPTION).fetchall())


@pytest.mark.parametrize(
    "server",
    [pytest.param("postgres", marks=pytest.mark.postgres), "installed_postgres_address"],
    ids=["18", "installed"],
)
def test_migrations_give_the_schema_of_the_installed_procrastinate(server: str, request: pytest.FixtureRequest) -> None:
    address = request.getfixturevalue(server)
    for name in ("procrastinate_alone", "procrastinate_migrated"):
        make_database(address, name)
    with connect(address, "procrastinate_alone") as connection:
        connection.execute((resources.files("procrastinate.sql") / "schema.sql").read_bytes())
        wanted = described(connection)
    assert len(wanted) > 50
    engine = make_engine(address.format(database="procrastinate_migrated"))
    migrate(engine)
    engine.dispose()
    with connect(address, "procrastinate_migrated") as connection:
        assert described(connection) == wanted
