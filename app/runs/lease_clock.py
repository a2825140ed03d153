"""When a lease is over: workers on several machines need one clock, that of the database they share."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, func, literal, or_
from sqlalchemy.orm import Session

from app.clock import now
from app.db.models import Run, RunShard
from app.db.types import UtcDateTime

Leased = type[Run] | type[RunShard]
STALE_AFTER = timedelta(seconds=10)


def moment(session: Session, ago: timedelta = timedelta()) -> ColumnElement[Any]:
    """Return the present moment, or one before it."""
    if session.get_bind().dialect.name == "postgresql":
        return func.now() - ago
    return literal(now() - ago, UtcDateTime)


def is_abandoned(session: Session, leased: Leased) -> ColumnElement[bool]:
    """Whether a run or shard is held by a worker that was not heard of for so long that it must be dead."""
    silent = leased.heartbeat_at < moment(session, ago=STALE_AFTER)
    return and_(leased.status == "running", leased.token.is_not(None), silent)


def is_free(session: Session, leased: Leased) -> ColumnElement[bool]:
    """Whether any worker may take a run or shard: nobody holds it, or a worker that is dead."""
    unheld = and_(leased.status == "running", leased.token.is_(None))
    return or_(leased.status == "queued", unheld, is_abandoned(session, leased))
