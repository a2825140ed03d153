"""Invitations to work on an event."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from app.db.models.base import Base, Identified, OfEvent
from app.db.models.events import Role


class Invitation(Identified, OfEvent, Base):
    """A secret address with which one person becomes a member, once; stored as a hash and a seed, as links are.

    With an `email`, only the account with that address can use it.
    """

    __tablename__ = "invitations"
    role: Mapped[Role] = mapped_column(String(10))
    email: Mapped[str | None] = mapped_column(String(320))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    token_seed: Mapped[str] = mapped_column(String(64), default="")
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"), index=True)
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    used_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"), index=True)
    __table_args__ = (CheckConstraint("role IN ('owner', 'editor', 'viewer')", name="role"),)
