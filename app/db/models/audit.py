"""What was done, by whom and from which network."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from app.clock import now
from app.db.models.base import Base
from app.db.types import new_id


class AuditEntry(Base):
    """One line of the audit log. Events and what was done to them are named by ids alone, which outlive them."""

    __tablename__ = "audit_log"
    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    created_at: Mapped[datetime] = mapped_column(default=now, index=True)
    action: Mapped[str] = mapped_column(String(40))
    subject: Mapped[str] = mapped_column(String(20))
    user_id: Mapped[UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"), index=True)
    event_id: Mapped[UUID | None]
    subject_id: Mapped[UUID | None]
    network: Mapped[str] = mapped_column(String(50), default="")
    details: Mapped[dict[str, Any]]
    __table_args__ = (Index("ix_audit_log_event_id_id", "event_id", "id"),)
