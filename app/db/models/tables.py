"""Tables."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from app.db.models.base import NAME_LENGTH, Base, Identified, OfEvent, Versioned


class Table(Identified, OfEvent, Versioned, Base):
    """A table: name, shape, least and most seats, place on the floor."""

    __tablename__ = "tables"
    name: Mapped[str] = mapped_column(String(NAME_LENGTH))
    name_key: Mapped[str] = mapped_column(String(NAME_LENGTH * 3))
    shape: Mapped[str] = mapped_column(String(10), default="round")
    seats: Mapped[int]
    min_seats: Mapped[int]
    position: Mapped[int]
    x: Mapped[float | None]
    y: Mapped[float | None]
    removed_at: Mapped[datetime | None]
    reserved_for: Mapped[UUID | None] = mapped_column(ForeignKey("groups.id", ondelete="SET NULL"), index=True)
    __table_args__ = (
        CheckConstraint("seats >= 1 AND min_seats >= 0 AND min_seats <= seats", name="seats"),
        CheckConstraint("shape IN ('round', 'long')", name="shape"),
    )
