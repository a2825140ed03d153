"""Column types and keys that SQLite and PostgreSQL share."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import DateTime, Dialect
from sqlalchemy.types import NullType, TypeDecorator
from uuid6 import uuid7


class UtcDateTime(TypeDecorator[datetime]):
    """A moment in UTC: refuses one without a zone, and gives back one with a zone on SQLite too."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Store in UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a moment needs a zone")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Read as UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Held(TypeDecorator[Any]):
    """A value as the database gives it, not made into anything else."""

    impl = NullType
    cache_ok = True


def new_id() -> UUID:
    """Return a key that sorts by the time of its making (UUIDv7), a plain `uuid.UUID`."""
    return UUID(int=uuid7().int)
