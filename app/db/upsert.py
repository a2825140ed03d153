"""Insert or change rows in one statement, so that two writers at once lose nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from app.db.models import Base


def upsert(session: Session, model: type[Base], rows: Sequence[dict[str, Any]], changes: Sequence[str]) -> None:
    """Insert the rows; of one whose key is there already, write the columns `changes`."""
    if not rows:
        return
    make = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    table = model.metadata.tables[model.__tablename__]
    statement = make(table)
    keys = list(table.primary_key.columns)
    changed = {name: statement.excluded[name] for name in changes}
    session.connection().execute(statement.on_conflict_do_update(index_elements=keys, set_=changed), list(rows))
