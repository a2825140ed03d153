"""The clock of leases: workers on several machines need one, that of the database they share."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, func, literal
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.clock import now
from app.db.types import UtcDateTime

STALE_AFTER = timedelta(seconds=10)


def moment(session: Session, ago: timedelta = timedelta()) -> ColumnElement[Any]:
    """Return the present moment, or one before it."""
    if session.get_bind().dialect.name == "postgresql":
        return func.now() - ago
    return literal(now() - ago, UtcDateTime)


def is_silent(
    session: Session, heartbeat: InstrumentedAttribute[datetime | None], after: timedelta = STALE_AFTER
) -> ColumnElement[bool]:
    """Say whether a worker has not been heard of for so long that it must be dead."""
    return heartbeat < moment(session, ago=after)
