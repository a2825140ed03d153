"""Tables and the room that they stand in."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from app.db.models.base import NAME_LENGTH, Base, Identified, OfEvent, StoredImage, Versioned


class Table(Identified, OfEvent, Versioned, Base):
    """A table: name, shape, least and most seats, place on the floor; turned clockwise by `rotation` degrees."""

    __tablename__ = "tables"
    name: Mapped[str] = mapped_column(String(NAME_LENGTH))
    name_key: Mapped[str] = mapped_column(String(NAME_LENGTH * 3))
    shape: Mapped[str] = mapped_column(String(10), default="round")
    seats: Mapped[int]
    min_seats: Mapped[int]
    position: Mapped[int]
    x: Mapped[float | None]
    y: Mapped[float | None]
    rotation: Mapped[float] = mapped_column(default=0.0)
    end_seats: Mapped[bool] = mapped_column(default=False)
    removed_at: Mapped[datetime | None]
    reserved_for: Mapped[UUID | None] = mapped_column(ForeignKey("groups.id", ondelete="SET NULL"), index=True)
    __table_args__ = (
        CheckConstraint("seats >= 1 AND min_seats >= 0 AND min_seats <= seats", name="seats"),
        CheckConstraint("shape IN ('round', 'square', 'long', 'head', 'oval')", name="shape"),
    )


class Room(Versioned, Base):
    """The room of an event: its size in metres if it is known, what stands in it, and how its picture is shown."""

    __tablename__ = "rooms"
    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), primary_key=True)
    width: Mapped[float | None]
    height: Mapped[float | None]
    items: Mapped[list[Any]] = mapped_column(default=list)
    background_width: Mapped[float | None]  # metres that the picture shows from left to right
    background_opacity: Mapped[float] = mapped_column(default=0.5)


class RoomBackground(StoredImage, Base):
    """A picture of the room's plan; in a table of its own, because few reads of a room need its bytes."""

    __tablename__ = "room_backgrounds"
