"""Links that show a plan."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from app.db.models.base import Base, Identified, OfEvent


class Link(Identified, OfEvent, Base):
    """A secret address that shows one plan to one audience; shown once, stored as a hash."""

    __tablename__ = "links"
    plan_id: Mapped[UUID] = mapped_column(ForeignKey("plans.id", ondelete="CASCADE"), index=True)
    audience: Mapped[str] = mapped_column(String(20))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
