"""Rows of PostgreSQL in the form that SQLite has them, read and written as streams."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, cast

import psycopg
from sqlalchemy import Connection, Engine, MetaData, inspect, text

from app.db.backup_file import NOT_DATA
from app.db.migrate import is_own
from app.db.row_digest import Cell, Row, TableDigest

Columns = dict[str, str]
"""The types of a table's columns, by name in the order of the names."""
MOMENT = "timestamp with time zone"
PLAIN_LENGTH = len("2026-12-05 18:00:00.000000")
FORMS = {
    "uuid": ("replace({}::text, '-', '')", "text"),
    MOMENT: ("to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')", "text"),
    "date": ("to_char({}, 'YYYY-MM-DD')", "text"),
    "json": ("{}::text", "text"),
    "character varying": ("{}::text", "text"),
    "text": ("{}", "text"),
    "boolean": ("{}::integer::bigint", "int8"),
    "smallint": ("{}::bigint", "int8"),
    "integer": ("{}::bigint", "int8"),
    "bigint": ("{}", "int8"),
    "double precision": ("{}", "float8"),
    "bytea": ("{}", "bytea"),
}
"""How to ask for a column so that it comes as SQLite has it, and the type of what comes."""
COLUMNS = text(
    """
    SELECT table_name, column_name, data_type FROM information_schema.columns
     WHERE table_schema = current_schema() ORDER BY column_name COLLATE "C"
    """
)


@contextmanager
def snapshot(engine: Engine) -> Iterator[Connection]:
    """Yield a connection that sees one moment and changes nothing."""
    options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    with engine.connect().execution_options(**options) as connection, connection.begin():
        yield connection


def table_columns(connection: Connection) -> dict[str, Columns]:
    """Return our tables, parents before their children, with their columns."""
    metadata = MetaData()
    names = [name for name in inspect(connection).get_table_names() if is_own(name, "table", None)]
    metadata.reflect(connection, only=[name for name in names if name not in NOT_DATA])
    columns: dict[str, Columns] = {table.name: {} for table in metadata.sorted_tables}
    for table, column, kind in connection.execute(COLUMNS):
        if table in columns:
            columns[table][column] = kind
    return columns


def read_rows(connection: Connection, table: str, columns: Columns) -> Iterator[Row]:
    """Read a table row by row, however large it is."""
    wanted = ", ".join(FORMS[kind][0].format(f'"{name}"') for name, kind in columns.items())
    with (
        _driver(connection).cursor() as cursor,
        cursor.copy(f'COPY (SELECT {wanted} FROM "{table}") TO STDOUT (FORMAT BINARY)') as copy,  # noqa: S608  names from the schema  # nosec B608
    ):
        copy.set_types([FORMS[kind][1] for kind in columns.values()])
        yield from copy.rows()


def with_plain_moments(rows: Iterable[Row], columns: Columns) -> Iterator[Row]:
    """Write moments that have a zone, or no fractions, as all others are written: in UTC, with microseconds."""
    places = [place for place, kind in enumerate(columns.values()) if kind == MOMENT]
    for row in rows:
        odd = [place for place in places if isinstance(row[place], str) and len(row[place]) != PLAIN_LENGTH]  # type: ignore[arg-type]  # it is a text
        yield [_plain(cell) if place in odd else cell for place, cell in enumerate(row)] if odd else row


def _plain(cell: Cell) -> str:
    moment = datetime.fromisoformat(str(cell))
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return f"{moment:%Y-%m-%d %H:%M:%S.%f}"


def write_rows(connection: Connection, table: str, columns: Columns, rows: Iterable[Row]) -> None:
    """Add rows to a table, as they come."""
    names = ", ".join(f'"{name}"' for name in columns)
    connection.execute(text("SET LOCAL TIME ZONE 'UTC'"))  # SQLite's moments have no zone
    with _driver(connection).cursor() as cursor, cursor.copy(f'COPY "{table}" ({names}) FROM STDIN') as copy:
        for row in rows:
            copy.write_row(row)


def count_rows(connection: Connection, table: str, columns: Columns) -> tuple[int, str]:
    digest = TableDigest()
    for row in read_rows(connection, table, columns):
        digest.add(row)
    return digest.rows, digest.hex


def _driver(connection: Connection) -> psycopg.Connection[Any]:
    return cast("psycopg.Connection[Any]", connection.connection.driver_connection)
