"""Insert or change rows in one statement, so that two writers at once lose nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from app.db.models import Base


def insert_new(session: Session, model: type[Base], row: dict[str, Any]) -> bool:
    """Insert the row unless its key is there already; return whether it was new."""
    table = model.metadata.tables[model.__tablename__]
    statement = _insert(session)(table).values(**row).on_conflict_do_nothing()
    return session.connection().execute(statement.returning(*table.primary_key.columns)).first() is not None


def upsert(session: Session, model: type[Base], rows: Sequence[dict[str, Any]], changes: Sequence[str]) -> None:
    """Insert the rows; of one whose key is there already, write the columns `changes`."""
    if not rows:
        return
    table = model.metadata.tables[model.__tablename__]
    statement = _insert(session)(table)
    keys = list(table.primary_key.columns)
    changed = {name: statement.excluded[name] for name in changes}
    session.connection().execute(statement.on_conflict_do_update(index_elements=keys, set_=changed), list(rows))


def _insert(session: Session) -> Callable[[Table], postgresql.Insert | sqlite.Insert]:
    return postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
