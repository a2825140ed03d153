"""Rows in every table of any schema, written from what the database itself says about its columns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID

from sqlalchemy import JSON, CheckConstraint, Column, Connection, MetaData, Table, inspect, select, text
from sqlalchemy.exc import IntegrityError

from app.db.migrate import is_own
from app.db.schema_version import current_revision

Rows = dict[str, list[dict[str, Any]]]
NUMBERS = count(1)
LISTS_OF_IDS, LISTS_OF_LISTS_OF_IDS = ("hosts",), ("round_tables", "met_tables")
"""To the database these columns are JSON like others."""


SEEN: dict[tuple[str, str | None], list[Table]] = {}


def tables_of(connection: Connection) -> list[Table]:
    """Return our own tables, parents before their children; a schema is looked at once, for that takes long."""
    schema = connection.dialect.name, current_revision(connection)
    if schema not in SEEN:
        SEEN[schema] = _look_at_tables(connection)
    return SEEN[schema]


def _look_at_tables(connection: Connection) -> list[Table]:
    metadata = MetaData()
    names = [name for name in inspect(connection).get_table_names() if is_own(name, "table", None)]
    metadata.reflect(connection, only=[name for name in names if name != "alembic_version"])
    return list(metadata.sorted_tables)


def fill_tables(connection: Connection, rows: int = 1, only: set[str] | None = None) -> None:
    """Add rows to every table, or to some, with a value in every column that may have one."""
    for _ in range(rows):  # each row has the newest parents, so children come after all of them
        for table in tables_of(connection):
            if only is None or table.name in only:
                _insert(connection, table)


def changed_tables(tables: list[Table], older: list[Table]) -> set[str]:
    """Return the names of tables whose columns differ from an older schema, with all tables that they refer to.

    A new row may need new parents, because a parent may have one child only.
    """
    known = {table.name: _columns(table) for table in older}
    changed: set[str] = set()
    for table in reversed(tables):  # children before their parents
        if table.name in changed or known.get(table.name) != _columns(table):
            changed |= {table.name, *(key.column.table.name for key in table.foreign_keys)}
    return changed


def _columns(table: Table) -> list[tuple[str, str, bool | None]]:
    return [(column.name, str(column.type), column.nullable) for column in table.columns]


def read_tables(connection: Connection) -> Rows:
    """Return all rows of all tables, with the values that the database holds."""
    found: Rows = {}
    for table in tables_of(connection):
        key = [column.name for column in table.primary_key]
        rows = map(dict, connection.execute(select(text("*")).select_from(table)).mappings())
        found[table.name] = sorted(rows, key=lambda row: [str(row[name]) for name in key])
    return found


def common_part(rows: Rows, other: Rows) -> Rows:
    """Return those tables and columns of `rows` that `other` has as well."""
    return {
        name: [{key: row[key] for key in row if key in other[name][0]} for row in found] if other[name] else found
        for name, found in rows.items()
        if name in other
    }


def _insert(connection: Connection, table: Table) -> None:
    """Insert one row, and where a constraint forbids a value in every column, leave one out."""
    for row in _candidates(connection, table):
        attempt = connection.begin_nested()
        try:
            connection.execute(table.insert(), row)
            attempt.commit()
        except IntegrityError:
            attempt.rollback()
        else:
            return
    raise AssertionError(f"no row could be added to {table.name}")


def _candidates(connection: Connection, table: Table) -> Iterator[dict[str, Any]]:
    full = {column.name: _value(connection, table, column) for column in table.columns}
    yield full
    for column in table.columns:
        if column.nullable:
            yield {name: value for name, value in full.items() if name != column.name}


def _value(connection: Connection, table: Table, column: Column[Any]) -> Any:
    if column.foreign_keys:
        parent = next(iter(column.foreign_keys)).column
        newest = select(parent).order_by(parent.desc()).limit(1)  # keys of several parents must be new together
        return connection.execute(newest).scalar()
    allowed = _allowed_words(table, column)
    return allowed[0] if allowed else _any_value(column)


def _allowed_words(table: Table, column: Column[Any]) -> list[str]:
    for constraint in table.constraints:
        if isinstance(constraint, CheckConstraint) and re.search(rf"\b{column.name}\b", str(constraint.sqltext)):
            return re.findall(r"'([a-z_]+)'", str(constraint.sqltext))
    return []


def _any_value(column: Column[Any]) -> Any:
    """Return a new value of the column's type; ids and times grow."""
    number = next(NUMBERS)
    if column.name in LISTS_OF_IDS:
        return [UUID(int=number).hex]
    if column.name in LISTS_OF_LISTS_OF_IDS:
        return [[UUID(int=number).hex]]
    if isinstance(column.type, JSON):
        return {"number": number, "text": "Ünïcode – 東京"}
    kind = column.type.python_type
    length = getattr(column.type, "length", None)
    if kind is str and length == 32:  # how SQLite keeps an id
        return UUID(int=number).hex
    moment = datetime(2026, 1, 1, 12, 0, 0, 123456, tzinfo=UTC) + timedelta(minutes=number)
    values: dict[type, Any] = {
        UUID: UUID(int=number),
        str: f"ä{number}"[-(length or 20) :],
        bytes: bytes([0, 255, *number.to_bytes(3, "big")]) * 6,
        int: 1 if column.name in ("seats", "min_seats") else number,
        float: number + 0.1,
        bool: True,
        date: moment.date(),
        datetime: moment if getattr(column.type, "timezone", False) else moment.replace(tzinfo=None),
    }
    return values[kind]
