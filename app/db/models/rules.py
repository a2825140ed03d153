"""What no run may break."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from app.db.models.base import Base, Identified, OfEvent, Versioned
from app.db.models.guest_fields import FIELD_KEY_LENGTH

GUEST_KINDS = ("together", "apart", "pinned", "side_by_side")
"""Kinds of rules that name guests."""
VALUE_KINDS = ("group_at", "groups_apart", "at_most", "at_least", "spread", "alternate")
"""Kinds of rules about guests who share a value, such as a group (app/guests/shared_values.py)."""


class Rule(Identified, OfEvent, Versioned, Base):
    """What no run may break: who sits together, apart, at a table, side by side, or how many of a group.

    `field` is the key of the field that is spread over the tables or alternates around them. `number` is how many of a
    group sit at a table, at most or at least, or how far a table may be from its share.
    """

    __tablename__ = "rules"
    kind: Mapped[str] = mapped_column(String(20))
    field: Mapped[str] = mapped_column(String(FIELD_KEY_LENGTH), default="")
    number: Mapped[int | None]
    __table_args__ = (CheckConstraint(f"kind IN ({', '.join(map(repr, GUEST_KINDS + VALUE_KINDS))})", name="kind"),)


class RuleGuest(Base):
    """A guest whom a rule names."""

    __tablename__ = "rule_guests"
    rule_id: Mapped[UUID] = mapped_column(ForeignKey("rules.id", ondelete="CASCADE"), primary_key=True)
    guest_id: Mapped[UUID] = mapped_column(ForeignKey("guests.id", ondelete="CASCADE"), primary_key=True, index=True)


class RuleTable(Base):
    """A table that a rule names."""

    __tablename__ = "rule_tables"
    rule_id: Mapped[UUID] = mapped_column(ForeignKey("rules.id", ondelete="CASCADE"), primary_key=True)
    table_id: Mapped[UUID] = mapped_column(ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True, index=True)


class RuleValue(Base):
    """A value that a rule is about, by the keys of its field and of itself: whoever has it may change any time."""

    __tablename__ = "rule_values"
    rule_id: Mapped[UUID] = mapped_column(ForeignKey("rules.id", ondelete="CASCADE"), primary_key=True)
    field: Mapped[str] = mapped_column(String(FIELD_KEY_LENGTH), primary_key=True)
    value: Mapped[str] = mapped_column(String(FIELD_KEY_LENGTH), primary_key=True)
