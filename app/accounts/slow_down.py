"""Failed attempts slow down the next ones. They are counted in the database, so that all processes share them.

Nobody is locked out: after a few failures each try has to wait longer than the one before, up to a minute. Whoever
waits holds no thread, connection or lock; they are asked to come back later (429 with Retry-After).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
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
HELD_SECONDS, MOST_HELD = 2.0, 10_000
FORGOTTEN_AFTER = timedelta(hours=1)
"""So long after the last failure it all begins again."""


@dataclass(frozen=True)
class Slowed:
    """Something whose failures are counted, how many are free, and how long a try has to wait at most."""

    subject: str
    free: int
    longest: float = LONGEST_DELAY


class ComeBackLater(TooMany):
    """Too many failed attempts; `waits` has the seconds by subject."""

    def __init__(self, waits: Mapping[str, float]) -> None:
        self.waits = waits
        self.retry_after = max(1, ceil(max(waits.values())))
        super().__init__(f"Too many failed attempts. Wait {count(self.retry_after, 'second')} and try again.")


class RecentRefusals:
    """Recent refusals of this process: further attempts are refused without a query.

    What it holds is soon asked for again, so a success in another process counts within seconds.
    """

    def __init__(self) -> None:
        self._ends: dict[str, tuple[float, float]] = {}

    def note(self, refused: ComeBackLater) -> None:
        """Remember a refusal; when there are many, forget all of them."""
        if len(self._ends) > MOST_HELD:
            self._ends.clear()
        at = time.monotonic()
        self._ends |= {subject: (at + min(wait, HELD_SECONDS), at + wait) for subject, wait in refused.waits.items()}

    def check(self, slowed: Iterable[Slowed]) -> None:
        """Refuse a try that has just been refused."""
        at = time.monotonic()
        found = {one.subject: self._ends.get(one.subject, (0.0, 0.0)) for one in slowed}
        waits = {subject: end - at for subject, (held, end) in found.items() if held > at}
        if waits:
            raise ComeBackLater(waits)

    def clear(self) -> None:
        self._ends.clear()


def delay_after(failures: int, free: int, longest: float = LONGEST_DELAY) -> float:
    """Return how many seconds the next try has to wait: 0, then 1, 2, 4, … up to a minute."""
    return min(2.0 ** min(failures - free, MOST_DOUBLINGS), longest) if failures >= free else 0.0


def check_pace(session: Session, slowed: Iterable[Slowed]) -> None:
    """Refuse a try that comes too early, without writing anything."""
    _require_no_wait({one.subject: _wait(session.get(Attempt, one.subject), one) for one in slowed})


def count_failures(session: Session, slowed: Iterable[Slowed]) -> None:
    """Count a try as failed before it is checked, or refuse it: of many at once, few are checked."""
    at = now()
    session.execute(delete(Attempt).where(Attempt.window_start < at - timedelta(days=1)))
    rows = []
    for one in sorted(slowed, key=lambda one: one.subject):  # in one order: two requests never wait for each other
        insert_new(session, Attempt, {"subject": one.subject, "window_start": at, "count": 0})
        rows.append((session.get_one(Attempt, one.subject, with_for_update=True, populate_existing=True), one))
    _require_no_wait({one.subject: _wait(row, one) for row, one in rows})
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


def _require_no_wait(waits: Mapping[str, float]) -> None:
    if early := {subject: wait for subject, wait in waits.items() if wait > 0}:
        raise ComeBackLater(early)


def _wait(row: Attempt | None, slowed: Slowed) -> float:
    at = now()
    if row is None or _is_forgotten(row, at):
        return 0.0
    return delay_after(row.count, slowed.free, slowed.longest) - (at - row.window_start).total_seconds()


def _is_forgotten(row: Attempt, at: datetime) -> bool:
    return row.window_start + FORGOTTEN_AFTER < at
