"""Retention: delete what is old and unused, was deleted long ago, or is past the day that its owner has set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from app.admin import retention_queries as queries
from app.audit import queries as audit_queries
from app.audit.actions import Action
from app.audit.record import record
from app.clock import now
from app.db.conditions import hold_runs
from app.db.erased_bytes import note_erasure
from app.db.models import Event, GuestImport, Plan, Run
from app.events.erasure_day import is_due
from app.events.queries import lock
from app.plans.versions import RESTORABLE
from app.privacy.erase import RESTORABLE as ERASED_AFTER
from app.privacy.erase import PreparedErasure, erase_guests, prepare_erasure
from app.privacy.queries import events_with_removed, removed_before
from app.transfer.staged_events import unfinished_events

Kind = Literal["plans", "deleted", "runs", "unfinished", "imports", "events", "audit"]
UNFINISHED_AFTER = timedelta(hours=1)


@dataclass(frozen=True)
class Retention:
    """How many days runs without a plan, unused plans and the audit log are kept; 0 keeps them for ever."""

    runs_days: int
    plans_days: int
    audit_days: int = 0

    def before(self, kind: Kind) -> datetime | None:
        """Return the moment before which things of this kind are old; None if they are kept for ever."""
        if kind == "unfinished":
            return now() - UNFINISHED_AFTER
        if kind in ("deleted", "imports"):
            return now() - RESTORABLE
        if kind == "events":
            return now()
        days = {"plans": self.plans_days, "audit": self.audit_days}.get(kind, self.runs_days)
        return now() - timedelta(days=days) if days else None


@dataclass(frozen=True)
class OldData:
    """What is old and unused now: runs, the bytes of their problems, and plans, those deleted long ago included."""

    runs: int
    run_bytes: int
    plans: int


def measure_old_data(session: Session, keep: Retention) -> OldData:
    """Return what would be deleted."""
    runs_before, plans_before = keep.before("runs"), keep.before("plans")
    plans = queries.count_unused_plans(session, plans_before) if plans_before else 0
    plans += queries.count_deleted_plans(session, now() - RESTORABLE)
    runs, size = queries.measure_old_runs(session, runs_before) if runs_before else (0, 0)
    if runs_before and plans_before:
        more, more_size = queries.measure_runs_of_unused(session, runs_before, plans_before)
        runs, size = runs + more, size + more_size
    return OldData(runs, size, plans)


def find_old(session: Session, kind: Kind, before: datetime, limit: int) -> Sequence[UUID]:
    """Return the ids of what is old and unused, at most `limit`."""
    find = {
        "plans": queries.unused_plans,
        "deleted": queries.deleted_plans,
        "runs": queries.old_runs,
        "unfinished": unfinished_events,
        "imports": queries.old_imports,
        "events": queries.events_past_their_day,
        "audit": audit_queries.old_entries,
    }
    return find[kind](session, before, limit)


def delete_old_run(session: Session, run_id: UUID, before: datetime) -> bool:
    """Delete a run if it is still old and without a plan."""
    unused = (Run.id == run_id, queries.is_old_run(before))
    if session.scalar(select(Run.id).where(*unused).with_for_update(skip_locked=True)) is None:
        return False
    with _without_overwriting(session):
        session.execute(delete(Run).where(Run.id == run_id))
    return True


@contextmanager
def _without_overwriting(session: Session) -> Iterator[None]:
    """Let SQLite free the pages of a problem without writing zeros into each: 100 MB would block writers for a second.

    Debian's SQLite overwrites by default (`secure_delete`), others do not.
    """
    connection = session.connection()
    if connection.dialect.name != "sqlite":
        yield
        return
    before = connection.exec_driver_sql("PRAGMA secure_delete").scalar_one()
    connection.exec_driver_sql("PRAGMA secure_delete=FAST").close()
    try:
        yield
    finally:
        connection.exec_driver_sql(f"PRAGMA secure_delete={int(before)}").close()


def delete_unused_plan(session: Session, plan_id: UUID, before: datetime) -> bool:
    """Delete one of the good plans beside an unused plan, or the plan itself when none is left beside it.

    One at a time, because the seats of a large event take a while, and other writers wait meanwhile.
    """
    family = select(Plan.id).where((Plan.id == plan_id) | (Plan.alternative_of == plan_id))
    locked = session.scalars(family.order_by(Plan.id.desc()).with_for_update()).all()
    # In a second statement: it sees a link or an edit that was committed while the first one waited for its lock.
    still = select(Plan.id).where(Plan.id == plan_id, queries.is_unused_plan(before))
    if not locked or session.scalar(still) is None:
        return False
    session.execute(delete(Plan).where(Plan.id == locked[0]))
    return True


def delete_deleted_plan(session: Session, plan_id: UUID, before: datetime) -> bool:
    """Remove for good a plan that somebody deleted so long ago, unless it was restored meanwhile."""
    locked = session.scalar(select(Plan.id).where(Plan.id == plan_id).with_for_update(skip_locked=True))
    still = select(Plan.id).where(Plan.id == plan_id, queries.is_deleted_plan(before))
    if locked is None or session.scalar(still) is None:
        return False
    session.execute(delete(Plan).where(Plan.id == plan_id))
    return True


def delete_old_import(session: Session, import_id: UUID, before: datetime) -> bool:
    """Forget a file of guests that nobody confirmed for so long, or what would undo an import that long ago."""
    old = delete(GuestImport).where(GuestImport.id == import_id, GuestImport.created_at < before)
    if session.scalar(old.returning(GuestImport.id)) is None:
        return False
    note_erasure(session)
    return True


def erase_event(session: Session, event_id: UUID, _now: datetime) -> bool:
    """Erase an event if its day has still come, once it is locked."""
    query = select(Event.date, Event.erase_after_days).where(Event.id == event_id).with_for_update(skip_locked=True)
    found = session.execute(query).one_or_none()
    if found is None or not is_due(*found):
        return False
    hold_runs(session, Run.event_id == event_id)
    record(session, Action.EVENT_DELETED, by=None, event_id=event_id)
    session.execute(delete(Event).where(Event.id == event_id))
    note_erasure(session)
    return True


def events_to_erase_from(session: Session) -> Sequence[UUID]:
    """Return the events with guests who were removed so long ago that nobody can restore them."""
    return events_with_removed(session, now() - ERASED_AFTER)


def prepare_removed(session: Session, event_id: UUID) -> PreparedErasure:
    """Prepare the erasure of these guests of one event: a matrix may have a hundred megabytes."""
    return prepare_erasure(session, event_id, removed_before(session, event_id, now() - ERASED_AFTER))


def erase_removed(session: Session, prepared: PreparedErasure) -> int:
    """Erase guests who are still removed; none of them if one was restored meanwhile."""
    lock(session, prepared.event_id)
    if removed_before(session, prepared.event_id, now() - ERASED_AFTER) != prepared.guest_ids:
        return 0
    return erase_guests(session, prepared)


def delete_audit_entry(session: Session, entry_id: UUID, before: datetime) -> bool:
    """Delete a line of the audit log that is older than its time."""
    return audit_queries.delete_entry(session, entry_id, before)
