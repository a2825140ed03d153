"""Failed tries slow the next ones down: kept in the database, so that all processes share them.

Nobody is locked out: after a few failures each try has to wait longer than the one before, up to a minute. Whoever
waits holds no thread, connection or lock; they are asked to come back later (429 with Retry-After).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.clock import now
from app.db.models import Attempt
from app.db.upsert import insert_new
from app.errors import TooMany
from app.sentences import count

LONGEST_DELAY = 60.0
MOST_DOUBLINGS = 30  # a number with a fraction cannot be doubled for ever
FORGOTTEN_AFTER = timedelta(hours=1)
"""So long after the last failure it all begins again."""


@dataclass(frozen=True)
class Slowed:
    """Something whose failures are counted, how many are free, and how long a try has to wait at most."""

    subject: str
    free: int
    longest: float = LONGEST_DELAY


class ComeBackLater(TooMany):
    """Too many failed attempts."""

    def __init__(self, seconds: float) -> None:
        self.retry_after = max(1, ceil(seconds))
        super().__init__(f"Too many failed attempts. Wait {count(self.retry_after, 'second')} and try again.")


def delay_after(failures: int, free: int, longest: float = LONGEST_DELAY) -> float:
    """Return how many seconds the next try has to wait: 0, then 1, 2, 4, … up to a minute."""
    return min(2.0 ** min(failures - free, MOST_DOUBLINGS), longest) if failures >= free else 0.0


def check_pace(session: Session, slowed: Iterable[Slowed]) -> None:
    """Refuse a try that comes too early, without writing anything."""
    waits = [_wait(session.get(Attempt, one.subject), one) for one in slowed]
    if max(waits, default=0.0) > 0:
        raise ComeBackLater(max(waits))


def count_failures(session: Session, slowed: Iterable[Slowed]) -> None:
    """Count a try as failed before it is checked, or refuse it: of many at once, few are checked."""
    at = now()
    session.execute(delete(Attempt).where(Attempt.window_start < at - timedelta(days=1)))
    rows = []
    for one in sorted(slowed, key=lambda one: one.subject):  # in one order: two requests never wait for each other
        insert_new(session, Attempt, {"subject": one.subject, "window_start": at, "count": 0})
        rows.append((session.get_one(Attempt, one.subject, with_for_update=True, populate_existing=True), one))
    waits = [_wait(row, one) for row, one in rows]
    if max(waits, default=0.0) > 0:
        raise ComeBackLater(max(waits))
    for row, _ in rows:
        row.count = 1 if _is_forgotten(row, at) else row.count + 1
        row.window_start = at
    session.flush()


def take_back(session: Session, slowed: Iterable[Slowed]) -> None:
    """Uncount the last try: it was right."""
    for one in slowed:
        row = session.get(Attempt, one.subject, with_for_update=True)
        if row is not None:
            row.count = max(0, row.count - 1)
    session.flush()


def forget_failures(session: Session, slowed: Slowed) -> None:
    """Begin again after a success."""
    session.execute(delete(Attempt).where(Attempt.subject == slowed.subject))


def _wait(row: Attempt | None, slowed: Slowed) -> float:
    at = now()
    if row is None or _is_forgotten(row, at):
        return 0.0
    return delay_after(row.count, slowed.free, slowed.longest) - (at - row.window_start).total_seconds()


def _is_forgotten(row: Attempt, at: datetime) -> bool:
    return row.window_start + FORGOTTEN_AFTER < at
