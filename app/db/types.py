"""Column types and keys that SQLite and PostgreSQL share."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, cast
from uuid import UUID

from sqlalchemy import JSON, DateTime, Dialect, String, Uuid
from sqlalchemy.types import NullType, TypeDecorator
from uuid6 import uuid7


class UtcDateTime(TypeDecorator[datetime]):
    """A moment in UTC: refuses one without a zone, and gives back one with a zone on SQLite too."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a moment needs a zone")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


@lru_cache(maxsize=65_536)
def _parse_id(text: str | None) -> UUID | None:
    """Return an id from its 32 digits.

    Making a UUID takes longer than reading its row, and the same guests and tables are read again and again. The cache
    holds the largest event twice: going through a list longer than the cache would never find anything in it.
    """
    return None if text is None else UUID(text)


parse_id = cast("Callable[[str], UUID]", _parse_id)
"""The same for digits that are never missing."""


class Id(Uuid[UUID]):
    """A key. SQLite stores its digits, which are parsed once; PostgreSQL's driver gives a UUID by itself."""

    cache_ok = True

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any] | None:
        """Return the function that makes a UUID of what the database gives, if one is needed."""
        return None if dialect.supports_native_uuid else _parse_id


class Codes(TypeDecorator[tuple[str, ...]]):
    """A few short words out of a fixed list, in its order, such as “milk,nuts”."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: tuple[str, ...] | None, dialect: Dialect) -> str | None:
        return None if value is None else ",".join(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> tuple[str, ...] | None:
        return value if value is None else parse_codes(value)


@lru_cache(maxsize=4096)
def parse_codes(text: str) -> tuple[str, ...]:
    """Return the words of a stored list."""
    return tuple(text.split(",")) if text else ()


class IdList(TypeDecorator[tuple[UUID, ...]]):
    """A few keys in their order."""

    impl = JSON
    cache_ok = True

    def process_bind_param(self, value: tuple[UUID, ...] | None, dialect: Dialect) -> list[str] | None:
        return None if value is None else [key.hex for key in value]

    def process_result_value(self, value: list[str] | None, dialect: Dialect) -> tuple[UUID, ...]:
        return tuple(UUID(key) for key in value or ())


class IdLists(TypeDecorator[tuple[tuple[UUID, ...], ...]]):
    """Lists of a few keys, in their order."""

    impl = JSON
    cache_ok = True

    def process_bind_param(
        self, value: tuple[tuple[UUID, ...], ...] | None, dialect: Dialect
    ) -> list[list[str]] | None:
        return None if value is None else [[key.hex for key in keys] for keys in value]

    def process_result_value(self, value: list[list[str]] | None, dialect: Dialect) -> tuple[tuple[UUID, ...], ...]:
        return tuple(tuple(UUID(key) for key in keys) for keys in value or ())


class RawValue(TypeDecorator[Any]):
    """A value as the database gives it, not made into anything else."""

    impl = NullType
    cache_ok = True


def new_id() -> UUID:
    """Return a key that sorts by the time of its making (UUIDv7), a plain `uuid.UUID`."""
    return UUID(int=uuid7().int)
