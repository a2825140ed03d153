"""Retention in the background: a worker deletes what is old and unused, slowly, so that nobody waits for it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from app.admin.retention import (
    Kind,
    Retention,
    delete_audit_entry,
    delete_deleted_plan,
    delete_old_import,
    delete_old_run,
    delete_unused_plan,
    erase_event,
    erase_removed,
    events_to_erase_from,
    find_old,
    prepare_removed,
)
from app.bounded_cache import clear_caches
from app.config import Settings
from app.db.erased_bytes import overwrite_erased
from app.db.session import Sessions, transaction
from app.errors import EventChanged
from app.logs import logger
from app.transfer.staged_events import delete_unfinished

FIRST_SECONDS, EVERY_SECONDS = 300.0, 6 * 3600.0
PAUSE_SECONDS = 0.05  # between two transactions, for other writers
FOUND_AT_ONCE = 200
log = logger(__name__)
DeleteOne = Callable[[Session, UUID, datetime], bool]


@dataclass
class Deleted:
    """How many rows of each kind were deleted, and how many guests and events were erased."""

    runs: int = 0
    plans: int = 0
    unfinished: int = 0
    imports: int = 0
    guests: int = 0
    events: int = 0
    audit: int = 0


def delete_old_data(
    sessions: Sessions, keep: Retention, stopping: threading.Event, *, pause: float = PAUSE_SECONDS
) -> Deleted:
    """Delete plans that are unused or were deleted long ago, then runs without a plan; each row in a transaction."""
    sweep = Sweep(sessions, stopping, pause)
    plans_before, runs_before, begun_before = (keep.before(kind) for kind in ("plans", "runs", "unfinished"))
    deleted_before = keep.before("deleted")
    imports_before, today = keep.before("imports"), keep.before("events")
    audit_before = keep.before("audit")
    plans = sweep.delete_all("plans", plans_before, delete_unused_plan) if plans_before else 0
    plans += sweep.delete_all("deleted", deleted_before, delete_deleted_plan) if deleted_before else 0
    return Deleted(
        plans=plans,
        runs=sweep.delete_all("runs", runs_before, delete_old_run) if runs_before else 0,
        unfinished=sweep.delete_all("unfinished", begun_before, delete_unfinished) if begun_before else 0,
        imports=sweep.delete_all("imports", imports_before, delete_old_import) if imports_before else 0,
        events=sweep.delete_all("events", today, erase_event) if today else 0,
        guests=sweep.erase_guests(),
        audit=sweep.delete_all("audit", audit_before, delete_audit_entry) if audit_before else 0,
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

    def erase_guests(self) -> int:
        """Erase the guests who were removed long ago, all of an event in one transaction."""
        with transaction(self.sessions, read_only=True) as session:
            events = events_to_erase_from(session)
        erased = 0
        for event_id in events:
            if self.stopping.wait(self.pause):
                break
            with transaction(self.sessions, read_only=True) as session:
                prepared = prepare_removed(session, event_id)
            with suppress(EventChanged), transaction(self.sessions) as session:
                erased += erase_removed(session, prepared)
        return erased

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
    args = settings, sessions, stopping
    threading.Thread(target=_delete_again_and_again, args=args, name="retention", daemon=True).start()


def purge_erased(settings: Settings) -> None:
    """Remove the bytes of what was erased from the files of the database."""
    if settings.is_sqlite:
        overwrite_erased(settings.sqlite_path)
    clear_caches()


def _delete_again_and_again(settings: Settings, sessions: Sessions, stopping: threading.Event) -> None:
    keep = Retention(settings.keep_runs_days, settings.keep_plans_days, settings.keep_audit_days)
    wait = FIRST_SECONDS
    while not stopping.wait(wait):
        wait = EVERY_SECONDS
        try:
            deleted = delete_old_data(sessions, keep, stopping)
            purge_erased(settings)
        except (SQLAlchemyError, sqlite3.Error) as error:
            log.warning("could not delete old data, will retry", error=type(error).__name__)
            wait = FIRST_SECONDS
            continue
        if deleted != Deleted():
            log.info("deleted old data", **vars(deleted))
