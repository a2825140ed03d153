"""Whom guests would like to sit with."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, String, false
from sqlalchemy.orm import Mapped, mapped_column

from app.clock import now
from app.db.models.base import Base, Identified, OfEvent


class WishLink(Identified, OfEvent, Base):
    """A secret address where one guest, or one party, says whom they would like to sit with; stored as a hash."""

    __tablename__ = "wish_links"
    guest_id: Mapped[UUID | None] = mapped_column(ForeignKey("guests.id", ondelete="CASCADE"), index=True)
    party_id: Mapped[UUID | None] = mapped_column(ForeignKey("parties.id", ondelete="CASCADE"), index=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    shown: Mapped[list[Any]] = mapped_column(default=list, server_default="[]")
    """References of the names that searches through this link have shown; they mean nothing without its token."""
    __table_args__ = (CheckConstraint("(guest_id IS NULL) <> (party_id IS NULL)", name="whose"),)


class Wish(Base):
    """A guest would like to sit with another; it counts once the planner has accepted it.

    One that a household sent is `shared`: all of them see it. The others are seen through the guest's own link alone.
    """

    __tablename__ = "wishes"
    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), primary_key=True)
    guest_id: Mapped[UUID] = mapped_column(ForeignKey("guests.id", ondelete="CASCADE"), primary_key=True, index=True)
    other_id: Mapped[UUID] = mapped_column(ForeignKey("guests.id", ondelete="CASCADE"), primary_key=True, index=True)
    created_at: Mapped[datetime] = mapped_column(default=now)
    accepted_at: Mapped[datetime | None]
    declined_at: Mapped[datetime | None]
    shared: Mapped[bool] = mapped_column(default=False, server_default=false())
