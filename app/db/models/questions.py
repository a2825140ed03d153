"""Which questions are asked next."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from app.clock import now
from app.db.models.base import Base


class AskedPair(Base):
    """A pair that was asked about and got no rating: the planner does not know them, or skipped them."""

    __tablename__ = "asked_pairs"
    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), primary_key=True)
    guest_a: Mapped[UUID] = mapped_column(ForeignKey("guests.id", ondelete="CASCADE"), primary_key=True, index=True)
    guest_b: Mapped[UUID] = mapped_column(ForeignKey("guests.id", ondelete="CASCADE"), primary_key=True, index=True)
    answer: Mapped[str] = mapped_column(String(10))
    created_at: Mapped[datetime] = mapped_column(default=now)
    __table_args__ = (CheckConstraint("answer IN ('unknown', 'skipped')", name="answer"),)


class QuestionBatch(Base):
    """The next questions of an event as a worker chose them, with what is needed to reorder them.

    `progress` is how settled the plan was, and will be after each of them; see app/events/progress.py.
    """

    __tablename__ = "question_batches"
    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), primary_key=True)
    content: Mapped[bytes] = mapped_column(LargeBinary)
    progress: Mapped[dict[str, Any] | None]
    created_at: Mapped[datetime] = mapped_column(default=now)


class QuestionDesk(Base):
    """A page of questions that somebody has open, so that two of them at once are asked about different pairs."""

    __tablename__ = "question_desks"
    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), primary_key=True)
    desk: Mapped[str] = mapped_column(String(40), primary_key=True)
    seen_at: Mapped[datetime] = mapped_column(default=now)
