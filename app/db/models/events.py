"""Events and their members."""

from __future__ import annotations

import datetime as dt
from datetime import datetime
from typing import Literal
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from app.clock import now
from app.db.models.base import NAME_LENGTH, Base, Identified, Versioned

RatingKind = Literal["score", "distance"]
Role = Literal["viewer", "editor", "owner"]
"""What a member may do in an event, the least first."""
Part = Literal["ratings", "plans", "tables", "rules"]
"""Parts of an event that change on their own, counted in `…_revision`; many of its pages and lists do not show them."""


class Event(Identified, Versioned, Base):
    """Something that people are seated at."""

    __tablename__ = "events"
    name: Mapped[str] = mapped_column(String(NAME_LENGTH))
    wishes_until: Mapped[dt.date | None]
    date: Mapped[dt.date | None]
    erase_after_days: Mapped[int | None]  # after its date; never without either
    kind: Mapped[RatingKind] = mapped_column(String(10), default="score")
    seats_undecided: Mapped[bool] = mapped_column(default=True)
    updated_at: Mapped[datetime] = mapped_column(default=now, onupdate=now)
    revision: Mapped[int] = mapped_column(default=0)  # counts up with every change of anything in the event
    ratings_revision: Mapped[int] = mapped_column(default=0)  # how many of these changed nothing but ratings of pairs
    plans_revision: Mapped[int] = mapped_column(default=0)  # how many of these changed nothing but plans
    tables_revision: Mapped[int] = mapped_column(default=0)  # how many of these changed nothing but tables
    rules_revision: Mapped[int] = mapped_column(default=0)  # how many of these changed nothing but rules
    measure_at: Mapped[datetime | None] = mapped_column(index=True)  # when to measure again how settled its plan is
    __table_args__ = (CheckConstraint("kind IN ('score', 'distance')", name="kind"),)


class Member(Base):
    """Who may do what with an event: owner, editor or viewer."""

    __tablename__ = "members"
    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, index=True)
    role: Mapped[Role] = mapped_column(String(10))
    seen_at: Mapped[datetime | None]  # when they last had a page of the event open, to within a minute
    __table_args__ = (CheckConstraint("role IN ('owner', 'editor', 'viewer')", name="role"),)
