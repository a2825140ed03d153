"""Who has arrived at the event."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from app.db.models.base import Base, OfEvent


class Arrival(OfEvent, Base):
    """A guest who was checked in at the door; `arrived_at` is empty once that was undone.

    `acted_at` is when a helper last acted on it, so that a change that comes late does not undo a later one.
    """

    __tablename__ = "arrivals"
    guest_id: Mapped[UUID] = mapped_column(ForeignKey("guests.id", ondelete="CASCADE"), primary_key=True)
    arrived_at: Mapped[datetime | None]
    acted_at: Mapped[datetime]
    user_id: Mapped[UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"), index=True)
    link_id: Mapped[UUID | None] = mapped_column(ForeignKey("links.id", ondelete="SET NULL"), index=True)
