"""How pairs of guests get along."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from app.clock import now
from app.db.models.base import Base


class Rating(Base):
    """How well one guest gets along with another; the two directions of a pair are averaged."""

    __tablename__ = "ratings"
    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), primary_key=True)
    guest_a: Mapped[UUID] = mapped_column(ForeignKey("guests.id", ondelete="CASCADE"), primary_key=True, index=True)
    guest_b: Mapped[UUID] = mapped_column(ForeignKey("guests.id", ondelete="CASCADE"), primary_key=True, index=True)
    score: Mapped[float]
    updated_at: Mapped[datetime] = mapped_column(default=now, onupdate=now)


class RatingMatrix(Base):
    """An uploaded matrix as one compressed array; single ratings override it."""

    __tablename__ = "rating_matrices"
    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), primary_key=True)
    guest_ids: Mapped[list[Any]]
    values: Mapped[bytes] = mapped_column(LargeBinary)
    asymmetric: Mapped[bool]
    created_at: Mapped[datetime] = mapped_column(default=now)
