"""Runs and their shards."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, LargeBinary, String, Text, false
from sqlalchemy.orm import Mapped, mapped_column

from app.clock import now
from app.db.models.base import Base, Identified, OfEvent
from app.db.types import IdList, IdLists

LIVE = ("queued", "running")
OVER = ("done", "failed", "cancelled")


class Run(Identified, OfEvent, Base):
    """One solve. The row is the queue, the lease and the only place where web and worker meet."""

    __tablename__ = "runs"
    user_id: Mapped[UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"), index=True)
    purpose: Mapped[str] = mapped_column(String(10), default="plan")
    status: Mapped[str] = mapped_column(String(10), default="queued", index=True)
    method: Mapped[Literal["full", "paper"]] = mapped_column(String(10))
    objective: Mapped[Literal["average", "total"]] = mapped_column(String(10))
    restarts: Mapped[int]
    time_limit: Mapped[float]
    seed: Mapped[int]
    fairness: Mapped[Literal["none", "some", "strong"]] = mapped_column(String(10), default="none")
    from_plan: Mapped[UUID | None]
    move_cost: Mapped[float] = mapped_column(default=0.0)
    repair: Mapped[bool] = mapped_column(default=False)
    use_plan: Mapped[bool] = mapped_column(default=False)
    rounds: Mapped[int] = mapped_column(default=1, server_default="1")
    goal: Mapped[Literal["new", "spread", "wanted"]] = mapped_column(String(10), default="new", server_default="new")
    hosts: Mapped[tuple[UUID, ...]] = mapped_column(IdList, default=(), server_default="[]")
    met_at: Mapped[UUID | None]
    met_tables: Mapped[tuple[tuple[UUID, ...], ...]] = mapped_column(IdLists, default=(), server_default="[]")
    split_households: Mapped[bool] = mapped_column(default=False, server_default=false())
    round_tables: Mapped[tuple[tuple[UUID, ...], ...]] = mapped_column(IdLists, default=(), server_default="[]")
    stop_early: Mapped[bool] = mapped_column(default=True, server_default=false())
    maybe_percent: Mapped[int] = mapped_column(default=100, server_default="100")
    no_reply_percent: Mapped[int] = mapped_column(default=100, server_default="100")
    problem: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)  # up to 100 MB
    marks: Mapped[dict[str, Any] | None]
    turn: Mapped[int] = mapped_column(default=0)
    shards: Mapped[int] = mapped_column(default=1)
    shards_left: Mapped[int] = mapped_column(default=0)
    progress: Mapped[dict[str, Any] | None]
    error: Mapped[str | None] = mapped_column(Text)
    cancel_requested: Mapped[bool] = mapped_column(default=False)
    finish_requested: Mapped[bool] = mapped_column(default=False, server_default=false())
    token: Mapped[UUID | None]
    attempts: Mapped[int] = mapped_column(default=0)
    heartbeat_at: Mapped[datetime | None]
    queued_at: Mapped[datetime] = mapped_column(default=now)
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    __table_args__ = (
        CheckConstraint("status IN ('queued', 'running', 'done', 'failed', 'cancelled')", name="status"),
        CheckConstraint("purpose IN ('plan', 'questions', 'check')", name="purpose"),
        # All that counting and deleting runs reads: SQLite reaches these columns of a row only through its problem.
        Index("ix_runs_purpose_status", "purpose", "status", "finished_at", "started_at", "id"),
        Index("ix_runs_event_created", "event_id", "created_at"),
    )


class RunNames(Base):
    """What the guests of a run were called then, by id; erased guests are missing.

    In a table of its own: SQLite would write the problem again, up to 100 MB, to change a name beside it.
    """

    __tablename__ = "run_names"
    run_id: Mapped[UUID] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    names: Mapped[dict[str, Any]]


class RunShard(Base):
    """A part of a run's restarts with seeds of its own; leased like a run, and solved on any machine."""

    __tablename__ = "run_shards"
    run_id: Mapped[UUID] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    status: Mapped[str] = mapped_column(String(10), default="queued")
    turn: Mapped[int]
    token: Mapped[UUID | None]
    attempts: Mapped[int] = mapped_column(default=0)
    heartbeat_at: Mapped[datetime | None]
    progress: Mapped[dict[str, Any] | None]
    found: Mapped[bytes | None] = mapped_column(LargeBinary)
    __table_args__ = (CheckConstraint("status IN ('queued', 'running', 'done')", name="status"),)
