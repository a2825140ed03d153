"""What no run may break."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from app.db.models.base import Base, Identified, OfEvent, Versioned


class Rule(Identified, OfEvent, Versioned, Base):
    """What no run may break: together, apart, pinned to tables, side by side."""

    __tablename__ = "rules"
    kind: Mapped[str] = mapped_column(String(20))
    __table_args__ = (CheckConstraint("kind IN ('together', 'apart', 'pinned', 'side_by_side')", name="kind"),)


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
