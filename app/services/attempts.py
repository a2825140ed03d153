"""Limits on how often something may be tried, kept in the database so that all processes share them."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy.orm import Session

from app.clock import now
from app.db import models
from app.errors import TooMany


def count_attempt(session: Session, subject: str, *, most: int, window: timedelta) -> None:
    """Count one try; refuse when there were `most` in this window already."""
    row = session.get(models.Attempt, subject, with_for_update=True)
    if row is None:
        session.add(models.Attempt(subject=subject, window_start=now(), count=1))
    elif row.window_start + window < now():
        row.window_start, row.count = now(), 1
    elif row.count >= most:
        raise TooMany("Too many tries. Wait a quarter of an hour and try again.")
    else:
        row.count += 1
    session.flush()


def clear_attempts(session: Session, subject: str) -> None:
    """Forget the tries after one succeeded."""
    row = session.get(models.Attempt, subject)
    if row is not None:
        session.delete(row)
        session.flush()
