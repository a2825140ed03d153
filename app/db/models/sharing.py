"""Links that show a plan, what was printed of it, and the logo on what is printed."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from app.db.models.base import NAME_LENGTH, Base, Identified, OfEvent, StoredImage, Versioned


class Link(Identified, OfEvent, Versioned, Base):
    """A secret address that shows the seating to one audience; its token is stored as a hash.

    Without `plan_id` it shows the plan in use, else that plan.
    """

    __tablename__ = "links"
    plan_id: Mapped[UUID | None] = mapped_column(ForeignKey("plans.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(NAME_LENGTH), default="")
    audience: Mapped[str] = mapped_column(String(20))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    token_seed: Mapped[str] = mapped_column(String(64), default="")
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    uses: Mapped[int] = mapped_column(default=0)
    last_used_at: Mapped[datetime | None]


class Print(Identified, OfEvent, Base):
    """Cards that somebody printed: a short digest of each one, by guest or table, tells which have changed since."""

    __tablename__ = "prints"
    plan_id: Mapped[UUID] = mapped_column(ForeignKey("plans.id", ondelete="CASCADE"))
    what: Mapped[str] = mapped_column(String(20))
    cards: Mapped[dict[str, Any]]
    __table_args__ = (Index("ix_prints_plan_id_what", "plan_id", "what"),)


class EventLogo(StoredImage, Base):
    """A picture for the cards, charts and posters of an event."""

    __tablename__ = "event_logos"
