"""Reads for the operator: the state of all runs, without what they are about."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Select, func, select, text
from sqlalchemy.orm import Session

from app.clock import now
from app.db.models import Run, User
from app.db.models.runs import OVER
from app.runs.lease_clock import is_abandoned

ROWS_OF_A_WORKER = 3  # one for each lane
ALIVE = "SELECT count(*) FROM procrastinate_workers WHERE last_heartbeat > now() - make_interval(secs => :ago)"


@dataclass(frozen=True)
class Finished:
    """Runs that ended lately with one outcome: how many, and the seconds from start to end."""

    count: int
    seconds: float
    longest: float


@dataclass(frozen=True)
class OperatorRun:
    """A run as the operator sees it: whose, how large an order, in which state; nothing of the event."""

    account: str | None
    id: UUID
    status: str
    purpose: str
    method: str
    shards: int
    shards_left: int
    attempts: int
    error: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


def runs_in(session: Session, statuses: tuple[str, ...], *, limit: int, newest_first: bool) -> list[OperatorRun]:
    """Return runs in these states by the moment they were asked for."""
    account, *own = (field.name for field in fields(OperatorRun))
    query: Select[Any] = (
        select(func.coalesce(User.email, User.name).label(account), *(getattr(Run, name) for name in own))
        .outerjoin(User, User.id == Run.user_id)
        .where(Run.status.in_(statuses))
        .order_by(Run.created_at.desc() if newest_first else Run.created_at)
        .limit(limit)
    )
    return [OperatorRun(*row) for row in session.execute(query)]


def oldest_waiting(session: Session) -> datetime | None:
    """Return since when the run waits that has waited longest."""
    return session.scalar(select(func.min(Run.queued_at)).where(Run.status == "queued"))


def finished_since(session: Session, ago: timedelta) -> dict[str, Finished]:
    """Return the runs that ended within this time, by status."""
    query = select(Run.status, Run.started_at, Run.finished_at).where(
        Run.purpose == "plan",
        Run.status.in_(OVER),
        Run.finished_at > now() - ago,
    )
    seconds: dict[str, list[float]] = {}
    for status, started, finished in session.execute(query):
        taken = (finished - started).total_seconds() if started and finished else 0.0
        seconds.setdefault(status, []).append(max(taken, 0.0))
    return {status: Finished(len(each), sum(each), max(each)) for status, each in seconds.items()}


def count_silent(session: Session) -> int:
    """Return how many running runs have had no heartbeat for a while."""
    return int(session.scalar(select(func.count()).where(is_abandoned(session, Run))) or 0)


def count_workers(session: Session, seconds: float) -> int | None:
    """Return how many workers were alive within the last `seconds`; None with SQLite, where each server has one."""
    if session.get_bind().dialect.name != "postgresql":
        return None
    rows = int(session.execute(text(ALIVE), {"ago": seconds}).scalar_one())
    return math.ceil(rows / ROWS_OF_A_WORKER)
