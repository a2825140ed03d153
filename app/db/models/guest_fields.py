"""What an event asks about its guests besides the usual: its sides, its menu and its own fields."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.db.models.base import NAME_LENGTH, Base, Identified, OfEvent, Versioned

FieldKind = Literal["side", "course", "choice", "text"]
TEXT_LENGTH, MARK_LENGTH, FIELD_KEY_LENGTH = 500, 3, 40


class GuestField(Identified, OfEvent, Versioned, Base):
    """A field of the event's guests: its sides, a course of its menu, or one of its own with options or text."""

    __tablename__ = "guest_fields"
    kind: Mapped[FieldKind] = mapped_column(String(10))
    name: Mapped[str] = mapped_column(String(NAME_LENGTH))
    name_key: Mapped[str] = mapped_column(String(NAME_LENGTH * 3))
    position: Mapped[int]
    __table_args__ = (
        UniqueConstraint("event_id", "name_key"),
        CheckConstraint("kind IN ('side', 'course', 'choice', 'text')", name="kind"),
    )


class FieldOption(Identified, Base):
    """One of the values that guests can share: a side, a dish, or an option of an own field."""

    __tablename__ = "field_options"
    field_id: Mapped[UUID] = mapped_column(ForeignKey("guest_fields.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(NAME_LENGTH))
    name_key: Mapped[str] = mapped_column(String(NAME_LENGTH * 3))
    colour: Mapped[str] = mapped_column(String(10), default="")
    mark: Mapped[str] = mapped_column(String(MARK_LENGTH), default="")  # a letter or two for place cards
    position: Mapped[int]
    __table_args__ = (UniqueConstraint("field_id", "name_key"),)


class GuestValue(Base):
    """What a guest has in a field: an option, or a text in a field of texts."""

    __tablename__ = "guest_values"
    guest_id: Mapped[UUID] = mapped_column(ForeignKey("guests.id", ondelete="CASCADE"), primary_key=True)
    field_id: Mapped[UUID] = mapped_column(
        ForeignKey("guest_fields.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    option_id: Mapped[UUID | None] = mapped_column(ForeignKey("field_options.id", ondelete="CASCADE"), index=True)
    text: Mapped[str] = mapped_column(String(TEXT_LENGTH), default="")
