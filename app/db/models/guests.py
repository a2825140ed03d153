"""Guests, households, groups and imports."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ColumnElement, ForeignKey, Index, LargeBinary, String, Text, UniqueConstraint
from sqlalchemy.ext.hybrid import hybrid_property
from sqlalchemy.orm import Mapped, mapped_column

from app.clock import now
from app.db.models.base import NAME_LENGTH, Base, Identified, OfEvent, Versioned
from app.db.types import Codes

TITLE_LENGTH, PART_LENGTH, EMAIL_LENGTH, PHONE_LENGTH = 40, 100, 320, 40
CHILDREN = ("child", "baby")
"""The age groups that count as children."""


class Party(Identified, OfEvent, Base):
    """A household: sits together unless a rule says otherwise."""

    __tablename__ = "parties"
    name: Mapped[str] = mapped_column(String(NAME_LENGTH))
    name_key: Mapped[str] = mapped_column(String(NAME_LENGTH * 3))
    __table_args__ = (UniqueConstraint("event_id", "name_key"),)


class Guest(Identified, OfEvent, Versioned, Base):
    """Someone to be seated. A removed guest stays for an undo, outside of every list."""

    __tablename__ = "guests"
    name: Mapped[str] = mapped_column(String(NAME_LENGTH))
    name_key: Mapped[str] = mapped_column(String(NAME_LENGTH * 3))
    note: Mapped[str] = mapped_column(Text, default="")
    reply: Mapped[str] = mapped_column(String(10), default="invited")
    age_group: Mapped[str] = mapped_column(String(10), default="adult")
    diet: Mapped[str] = mapped_column(String(NAME_LENGTH), default="")
    high_chair: Mapped[bool] = mapped_column(default=False)
    public_name: Mapped[str] = mapped_column(String(NAME_LENGTH), default="")
    title: Mapped[str] = mapped_column(String(TITLE_LENGTH), default="")
    first_name: Mapped[str] = mapped_column(String(PART_LENGTH), default="")
    last_name: Mapped[str] = mapped_column(String(PART_LENGTH), default="")
    email: Mapped[str] = mapped_column(String(EMAIL_LENGTH), default="")
    phone: Mapped[str] = mapped_column(String(PHONE_LENGTH), default="")
    wheelchair: Mapped[bool] = mapped_column(default=False)
    allergies: Mapped[tuple[str, ...]] = mapped_column(Codes(NAME_LENGTH), default=())
    other_allergies: Mapped[str] = mapped_column(String(NAME_LENGTH), default="")
    party_id: Mapped[UUID | None] = mapped_column(ForeignKey("parties.id", ondelete="SET NULL"), index=True)
    position: Mapped[int]
    removed_at: Mapped[datetime | None]
    __table_args__ = (
        Index("ix_guests_event_id_position", "event_id", "position"),
        CheckConstraint("reply IN ('invited', 'yes', 'no', 'maybe')", name="reply"),
        CheckConstraint("age_group IN ('adult', 'teenager', 'child', 'baby')", name="age_group"),
    )

    @hybrid_property
    def child(self) -> bool:
        """Whether they are a child or a baby; what is stored is the age group."""
        return self.age_group in CHILDREN

    @child.inplace.expression
    @classmethod
    def _child_in_sql(cls) -> ColumnElement[bool]:
        return cls.age_group.in_(CHILDREN)


class Group(Identified, OfEvent, Versioned, Base):
    """Guests who have something in common; a guest may be in several.

    `circle_of` is the group within which a circle of close guests was marked. The database does not hold it to that: a
    circle outlives its group as an ordinary one.
    """

    __tablename__ = "groups"
    name: Mapped[str] = mapped_column(String(NAME_LENGTH))
    name_key: Mapped[str] = mapped_column(String(NAME_LENGTH * 3))
    colour: Mapped[str] = mapped_column(String(10), default="")
    circle_of: Mapped[UUID | None]
    __table_args__ = (UniqueConstraint("event_id", "name_key"),)


class GroupGuest(Base):
    """A guest in a group."""

    __tablename__ = "group_guests"
    group_id: Mapped[UUID] = mapped_column(ForeignKey("groups.id", ondelete="CASCADE"), primary_key=True)
    guest_id: Mapped[UUID] = mapped_column(ForeignKey("guests.id", ondelete="CASCADE"), primary_key=True, index=True)


class GroupRating(Base):
    """How well the guests of two groups (or of one) get along by default; `group_a` is the smaller id.

    Without a score the planner was asked about the two groups and skipped the question.
    """

    __tablename__ = "group_ratings"
    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), primary_key=True)
    group_a: Mapped[UUID] = mapped_column(ForeignKey("groups.id", ondelete="CASCADE"), primary_key=True, index=True)
    group_b: Mapped[UUID] = mapped_column(ForeignKey("groups.id", ondelete="CASCADE"), primary_key=True, index=True)
    score: Mapped[float | None]
    updated_at: Mapped[datetime] = mapped_column(default=now, onupdate=now)


class GuestImport(Identified, OfEvent, Base):
    """A file of guests: waiting to be confirmed, taken over, or undone, with what is needed to undo it.

    A reply that was set for many guests at once and a deleted group are kept as one that is taken over, without a file.
    """

    __tablename__ = "guest_imports"
    user_id: Mapped[UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"), index=True)
    file_name: Mapped[str] = mapped_column(String(NAME_LENGTH), default="")
    status: Mapped[str] = mapped_column(String(10), default="open")
    content: Mapped[bytes] = mapped_column(LargeBinary)
    columns: Mapped[dict[str, Any]]
    choices: Mapped[dict[str, Any]] = mapped_column(default=dict)
    undo: Mapped[bytes | None] = mapped_column(LargeBinary)
    finished_at: Mapped[datetime | None]
    __table_args__ = (CheckConstraint("status IN ('open', 'done', 'undone')", name="status"),)
