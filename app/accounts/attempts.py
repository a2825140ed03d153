"""Limits on how often something may be tried, kept in the database so that all processes share them."""

from __future__ import annotations

from datetime import timedelta
from math import ceil

from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.clock import now
from app.db import models
from app.db.upsert import insert_new
from app.errors import TooMany
from app.sentences import count

KEPT = timedelta(days=1)


def count_attempt(session: Session, subject: str, *, most: int, window: timedelta) -> None:
    """Count one attempt; refuse it if there were already `most` of them in this window."""
    # Two first tries at once must not fail on each other's row, and old rows must not pile up.
    session.execute(delete(models.Attempt).where(models.Attempt.window_start < now() - KEPT))
    insert_new(session, models.Attempt, {"subject": subject, "window_start": now(), "count": 0})
    row = session.get_one(models.Attempt, subject, with_for_update=True)
    if row.window_start + window < now():
        row.window_start, row.count = now(), 0
    if row.count >= most:
        minutes = max(1, ceil((row.window_start + window - now()) / timedelta(minutes=1)))
        raise TooMany(f"Too many attempts. Wait {count(minutes, 'minute')} and try again.")
    row.count += 1
    session.flush()


def clear_attempts(session: Session, subject: str) -> None:
    """Clear the count after a success."""
    row = session.get(models.Attempt, subject)
    if row is not None:
        session.delete(row)
        session.flush()
