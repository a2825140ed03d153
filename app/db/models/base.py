"""What all tables share: names of constraints, ids, versions, and rows that belong to an event."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import JSON, ForeignKey, LargeBinary, MetaData, String
from sqlalchemy.orm import DeclarativeBase, Mapped, declared_attr, mapped_column

from app.clock import now
from app.db.types import Id, UtcDateTime, new_id

NAME_LENGTH = 200
GENERATION = 2**13
"""Versions of rows in one generation of the database; there is room for 260,000, one for each hour of thirty years.

Each restore begins a new one, so a version that somebody read before it never names what a row holds after it.
"""


class Base(DeclarativeBase):
    """Constraint names are fixed, so that migrations can name them on both databases."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012  SQLAlchemy's form
        UUID: Id,
        datetime: UtcDateTime,
        dict[str, Any]: JSON,
        list[Any]: JSON,
    }


class Identified:
    """A row with an id that may be part of an address."""

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    created_at: Mapped[datetime] = mapped_column(default=now)


class Versioned:
    """A row that people edit: the version is its ETag, and a concurrent change is noticed."""

    version: Mapped[int] = mapped_column(default=1)

    @declared_attr.directive
    def __mapper_args__(cls) -> dict[str, Any]:  # noqa: N805  a class-level directive
        """Let SQLAlchemy count the version up and refuse a lost update."""
        return {"version_id_col": cls.version}


def changes_of(version: int) -> int:
    """Return how often a row of this version was changed, whatever was restored since."""
    return version % GENERATION


class OfEvent:
    """A row that belongs to an event and goes with it."""

    @declared_attr
    def event_id(cls) -> Mapped[UUID]:  # noqa: N805  a class-level directive
        return mapped_column(ForeignKey("events.id", ondelete="CASCADE"), index=True)


class StoredImage:
    """An image of an event; its bytes are read when they are asked for."""

    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), primary_key=True)
    media_type: Mapped[str] = mapped_column(String(20))
    digest: Mapped[str] = mapped_column(String(32))
    pixel_width: Mapped[int]
    pixel_height: Mapped[int]
    image: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    created_at: Mapped[datetime] = mapped_column(default=now)
