"""Retention in the background: a worker deletes what is old and unused, slowly, so that nobody waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from app.admin.retention import Kind, Retention, delete_deleted_plan, delete_old_run, delete_unused_plan, find_old
from app.config import Settings
from app.db.session import Sessions, transaction
from app.logs import logger
from app.transfer.staged_events import delete_unfinished

FIRST_SECONDS, EVERY_SECONDS = 300.0, 6 * 3600.0
PAUSE_SECONDS = 0.05  # between two transactions, for other writers
FOUND_AT_ONCE = 200
log = logger(__name__)
DeleteOne = Callable[[Session, UUID, datetime], bool]


@dataclass
class Deleted:
    """How many runs, plans and events that were not written to their end were deleted."""

    runs: int = 0
    plans: int = 0
    unfinished: int = 0


def delete_old_data(
    sessions: Sessions, keep: Retention, stopping: threading.Event, *, pause: float = PAUSE_SECONDS
) -> Deleted:
    """Delete plans that are unused or were deleted long ago, then runs without a plan; each row in a transaction."""
    sweep = Sweep(sessions, stopping, pause)
    plans_before, runs_before, begun_before = (keep.before(kind) for kind in ("plans", "runs", "unfinished"))
    deleted_before = keep.before("deleted")
    plans = sweep.delete_all("plans", plans_before, delete_unused_plan) if plans_before else 0
    plans += sweep.delete_all("deleted", deleted_before, delete_deleted_plan) if deleted_before else 0
    return Deleted(
        plans=plans,
        runs=sweep.delete_all("runs", runs_before, delete_old_run) if runs_before else 0,
        unfinished=sweep.delete_all("unfinished", begun_before, delete_unfinished) if begun_before else 0,
    )


@dataclass(frozen=True)
class Sweep:
    """One pass over everything that is old."""

    sessions: Sessions
    stopping: threading.Event
    pause: float

    def delete_all(self, kind: Kind, before: datetime, delete_one: DeleteOne) -> int:
        """Delete what is found until there is no more, or until nothing that is found can be deleted."""
        deleted = 0
        while found := self._find(kind, before):
            now_deleted = sum(self._delete(row_id, before, delete_one) for row_id in found)
            deleted += now_deleted
            if not now_deleted or self.stopping.is_set():
                break
        return deleted

    def _find(self, kind: Kind, before: datetime) -> list[UUID]:
        with transaction(self.sessions, read_only=True) as session:
            return list(find_old(session, kind, before, FOUND_AT_ONCE))

    def _delete(self, row_id: UUID, before: datetime, delete_one: DeleteOne) -> int:
        deleted = 0
        while not self.stopping.wait(self.pause):
            with transaction(self.sessions) as session:
                if not delete_one(session, row_id, before):
                    break
            deleted += 1
        return deleted


def start_retention(settings: Settings, sessions: Sessions, stopping: threading.Event) -> None:
    """Delete what is old from now on, some minutes after the start and then every few hours."""
    args = sessions, Retention(settings.keep_runs_days, settings.keep_plans_days), stopping
    threading.Thread(target=_delete_again_and_again, args=args, name="retention", daemon=True).start()


def _delete_again_and_again(sessions: Sessions, keep: Retention, stopping: threading.Event) -> None:
    wait = FIRST_SECONDS
    while not stopping.wait(wait):
        wait = EVERY_SECONDS
        try:
            deleted = delete_old_data(sessions, keep, stopping)
        except SQLAlchemyError as error:
            log.warning("could not delete old runs and plans, will retry", error=type(error).__name__)
            wait = FIRST_SECONDS
            continue
        if deleted != Deleted():
            log.info("deleted old runs and plans", **vars(deleted))
