"""Work that a worker holds a lease on, a run or a shard: keep the lease, do the work, and write it or give it back."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Literal
from uuid import UUID

from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from app.db.session import Sessions
from app.runs.failure_messages import GIVEN_UP, reason
from app.runs.interruptions import forgive, is_given_up, put_back
from app.runs.leases import Lease, read_problem
from app.runs.shards import ShardLease
from app.solver import ShouldStop, Stopped, never_stop
from app.worker.heartbeat import GiveBack, Heartbeat, Renew
from app.worker.low_priority import at_low_priority
from app.worker.progress_tracker import Tracker
from app.worker.retry import retry

Outcome = Literal["done", "part done", "failed", "cancelled", "handed back", "put back", "lost", "busy"]
Save = Callable[[Session], Outcome | None]
"""Writes what was found; None where nothing was written, because the run is cancelled or another worker has it."""


def leave_in_row(session: Session, run_id: UUID, shard: int | None, turn: int) -> None:
    """Leave what was given back in its row, where the embedded worker finds it."""


@dataclass(frozen=True)
class WorkerContext:
    """What a worker needs for every run: the database, its limits, and how other workers learn of returned work."""

    sessions: Sessions
    max_attempts: int = 3
    is_stopping: Callable[[], bool] = never_stop
    enqueue: Callable[[Session, UUID, int | None, int], None] = leave_in_row

    def put_off(self, session: Session, run_id: UUID, shard: int | None = None) -> bool:
        """Let a run whose worker went silent wait for its new turn, if others wait; return whether that was done."""
        turn = put_back(session, run_id, shard)
        if turn is not None:
            self.enqueue(session, run_id, shard, turn)
        return turn is not None


@dataclass(frozen=True)
class HeldWork:
    """A run or a shard that this worker holds: what it does, and how its lease is kept, given back and ended."""

    worker: WorkerContext
    lease: Lease | ShardLease
    work: Callable[[bytes, Tracker, ShouldStop], Save]
    renew: Renew
    hand_back: GiveBack
    fail: Callable[[Session, str], bool]
    cancel: Callable[[], Outcome]
    shard: int | None = None

    def execute(self) -> Outcome:
        """Do the work, unless it was interrupted so often that it is to blame."""
        if self._is_given_up():
            return self._fail(GIVEN_UP.format(times=self.lease.attempt - 1))
        try:
            outcome = self._keep_and_work()
            if outcome == "lost":
                retry(self.worker.sessions, lambda session: forgive(session, self.lease))
            return outcome
        except OperationalError:
            # Retries are exhausted. The lease runs out and the work is taken up again.
            raise
        except Exception as error:
            return self._fail(reason(error, self.lease.run_id))

    def _keep_and_work(self) -> Outcome:
        tracker, save, is_stopping = Tracker(), None, self.worker.is_stopping
        with Heartbeat(
            self.worker.sessions, tracker, renew=self.renew, give_back=self._give_back, is_stopping=is_stopping
        ) as heartbeat:
            packed = retry(self.worker.sessions, lambda session: read_problem(session, self.lease.run_id))
            if packed is None:
                return "lost"
            with suppress(Stopped):  # before there was any plan
                save = at_low_priority(partial(self.work, packed, tracker, heartbeat.should_stop))
        if heartbeat.lost:
            return "handed back" if is_stopping() else "lost"
        if heartbeat.cancelled:
            return self.cancel()
        if is_stopping():
            return "handed back" if retry(self.worker.sessions, self._give_back) else "lost"
        return (retry(self.worker.sessions, save) if save else None) or self.cancel()

    def _give_back(self, session: Session) -> bool:
        """Give it back and notify other workers, in one transaction."""
        given = self.hand_back(session)
        if given:
            self.worker.enqueue(session, self.lease.run_id, self.shard, self.lease.turn)
        return given

    def _is_given_up(self) -> bool:
        attempt, most = self.lease.attempt, self.worker.max_attempts
        if attempt <= most:
            return False
        return retry(self.worker.sessions, lambda session: is_given_up(session, self.lease.run_id, attempt, most))

    def _fail(self, error: str) -> Outcome:
        return "failed" if retry(self.worker.sessions, lambda session: self.fail(session, error)) else "lost"
