"""Plans, seats and edits by hand."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column

from app.clock import now
from app.db.models.base import NAME_LENGTH, Base, Identified, OfEvent, Versioned

MADE_BY_RUN = "alternative_of IS NULL AND NOT is_copy"


class Plan(Identified, OfEvent, Versioned, Base):
    """Who sits at which seat; a run makes one and up to four other good ones, a person edits or duplicates it.

    The plan in use is the one that was put to use last; a deleted plan is hidden everywhere and can be restored.
    Of several rounds each is a plan: `round` counts from 1, and 0 is a plan without rounds. The first one is the plan
    that counts, and the others point to it by `alternative_of`, as alternatives do.
    """

    __tablename__ = "plans"
    run_id: Mapped[UUID | None] = mapped_column(ForeignKey("runs.id", ondelete="SET NULL"), index=True)
    alternative_of: Mapped[UUID | None] = mapped_column(ForeignKey("plans.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(NAME_LENGTH), default="")
    mse: Mapped[float | None]
    total: Mapped[float | None]
    bound: Mapped[float | None]
    moved: Mapped[int | None]
    round: Mapped[int] = mapped_column(default=0, server_default="0")
    split_households: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Whether households need not sit together, as in rounds in which everybody is to meet others."""
    proven_optimal: Mapped[bool] = mapped_column(default=False)
    figures: Mapped[dict[str, Any]]
    locked_tables: Mapped[list[Any]] = mapped_column(default=list, server_default="[]")
    """Ids of tables whose guests stay and where nobody joins."""
    blocked_seats: Mapped[list[Any]] = mapped_column(default=list, server_default="[]")
    """Seats that stay empty, as pairs of a table's id and a number from 0."""
    updated_at: Mapped[datetime] = mapped_column(default=now, onupdate=now)
    number: Mapped[int] = mapped_column(default=1)  # of the version; the other good plans of a run share it
    used_at: Mapped[datetime | None]  # when it was put to use last; never for a copy that nobody chose
    is_copy: Mapped[bool] = mapped_column(default=False)
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"), index=True)
    deleted_at: Mapped[datetime | None]
    __table_args__ = (
        Index("ix_plans_event_state", "event_id", "created_at", "version"),
        # A run has one plan that counts; its other good plans point to that one, and copies are a person's.
        Index(
            "uq_plans_run_id",
            "run_id",
            unique=True,
            sqlite_where=text(MADE_BY_RUN),
            postgresql_where=text(MADE_BY_RUN),
        ),
    )


class Seat(Base):
    """One guest's place in a plan."""

    __tablename__ = "seats"
    plan_id: Mapped[UUID] = mapped_column(ForeignKey("plans.id", ondelete="CASCADE"), primary_key=True)
    guest_id: Mapped[UUID] = mapped_column(ForeignKey("guests.id", ondelete="CASCADE"), primary_key=True, index=True)
    table_id: Mapped[UUID] = mapped_column(ForeignKey("tables.id", ondelete="CASCADE"), index=True)
    seat: Mapped[int]
    locked: Mapped[bool] = mapped_column(default=False)
    __table_args__ = (UniqueConstraint("plan_id", "table_id", "seat"),)


class Move(Identified, Base):
    """One edit of a plan by hand, with what was before and after, so that it can be undone.

    An undo or a redo is a row of its own: it `covers` the numbers of the moves that it took back or did again. What is
    `undone` can be done again until somebody makes another move: then it is `dropped`.
    `broken` has the keys of the promises that it was allowed to break, `plan_version` the plan's version after it.
    """

    __tablename__ = "moves"
    plan_id: Mapped[UUID] = mapped_column(ForeignKey("plans.id", ondelete="CASCADE"), index=True)
    number: Mapped[int]
    kind: Mapped[str] = mapped_column(String(20))
    before: Mapped[list[Any]]
    after: Mapped[list[Any]]
    undone: Mapped[bool] = mapped_column(default=False)
    dropped: Mapped[bool] = mapped_column(default=False, server_default=false())
    user_id: Mapped[UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"), index=True)
    plan_version: Mapped[int | None]
    broken: Mapped[list[Any]] = mapped_column(default=list, server_default="[]")
    covers: Mapped[list[Any]] = mapped_column(default=list, server_default="[]")
    __table_args__ = (UniqueConstraint("plan_id", "number"),)


class PlanEditor(Base):
    """A browser tab or program in which somebody works on a plan now, and the guests picked up there."""

    __tablename__ = "plan_editors"
    plan_id: Mapped[UUID] = mapped_column(ForeignKey("plans.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, index=True)
    tab: Mapped[UUID] = mapped_column(primary_key=True)
    guests: Mapped[list[Any]]
    seen_at: Mapped[datetime]
